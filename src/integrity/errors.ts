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
  | "bad-config"
  /** The session could not be changed. */
  | "session-failed";

/** Every refusal of this room. When one is thrown, the session is as it was before. */
export class IntegrityError extends Error {
  override readonly name = "IntegrityError";
  readonly code: IntegrityErrorCode;

  constructor(code: IntegrityErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Builds the three-part message all refusals share. */
export function integrityError(
  code: IntegrityErrorCode,
  parts: { readonly expected: string; readonly found: string; readonly todo: string; readonly cause?: unknown },
): IntegrityError {
  const message = `expected ${parts.expected}; found ${parts.found}. ${parts.todo}`;
  return new IntegrityError(code, message, parts.cause === undefined ? undefined : { cause: parts.cause });
}

/** What went wrong, in the words of the error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
