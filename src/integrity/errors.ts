import { CodedError, refusalsOf } from "../base/coded-error.ts";

/** Why something was refused. The code is for programs, the message for the person who has to act. */
export type IntegrityErrorCode =
  /** The session is no longer what it was when the checkpoint was made. */
  | "checkpoint-mismatch"
  /** No such checkpoint, or its messages are no longer stored. */
  | "checkpoint-missing"
  /** The checkpoint is of another session. */
  | "checkpoint-foreign"
  /** What was given to `executeToolCycle` is no tool call. */
  | "bad-call"
  /** A call with the same id is being carried out, and is another one. */
  | "call-running"
  /** What was given to `executeToolCycle` cannot run tools. */
  | "bad-executor"
  /** The API named to `guardCall` is not known. */
  | "bad-api"
  | "bad-config"
  /** The session could not be changed. */
  | "session-failed";

/** Every refusal of this room. When one is thrown, the session is as it was before. */
export class IntegrityError extends CodedError<IntegrityErrorCode> {
  override readonly name = "IntegrityError";
}

/** Builds the three-part message all refusals share. */
export const integrityError = refusalsOf(IntegrityError);

export { reasonOf } from "../base/coded-error.ts";
