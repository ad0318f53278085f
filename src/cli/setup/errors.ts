import { CodedError, makeErrorBuilder } from "../../base/coded-error.ts";

/** Why setup did not begin, or did not end. */
type SetupErrorCode =
  | "declined"
  /** A part failed, and what setup had done before it was undone. */
  | "incomplete"
  /** The OpenClaw that was named is not the one that was set up. */
  | "set-up-elsewhere"
  | "record-unreadable"
  | "record-unwritable"
  | "not-writable"
  /** Another setup is at work, or has changed something since this one has looked. */
  | "setup-running";

export class SetupError extends CodedError<SetupErrorCode> {
  override readonly name = "SetupError";
}

/** Builds the three-part message all refusals share. */
export const setupError = makeErrorBuilder(SetupError);
