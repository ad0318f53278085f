import { CodedError, refusalsOf } from "../../base/coded-error.ts";

/** Why setup did not begin, or did not end. */
type SetupErrorCode = "declined" | "incomplete" | "record-unwritable";

class SetupError extends CodedError<SetupErrorCode> {
  override readonly name = "SetupError";
}

/** Builds the three-part message all refusals share. */
export const setupError = refusalsOf(SetupError);
