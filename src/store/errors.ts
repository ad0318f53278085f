/** Why something about a stored session was refused. The code is for programs, the message for the person who has to act. */
export type StoreErrorCode =
  | "archive-missing"
  | "archive-foreign"
  | "archive-damaged"
  | "archive-moved"
  | "session-missing"
  | "session-taken"
  | "session-left"
  | "session-busy"
  | "checkpoint-missing"
  | "checkpoint-foreign"
  | "checkpoint-damaged"
  | "store-unreadable"
  | "openclaw-unfit"
  | "openclaw-failed"
  | "declined"
  | "not-writable";

/** Every refusal of this room. When one is thrown, the session is as it was before. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Builds the three-part message all refusals share. */
export function refusal(
  code: StoreErrorCode,
  parts: { readonly expected: string; readonly found: string; readonly todo: string; readonly cause?: unknown },
): StoreError {
  const message = `expected ${parts.expected}; found ${parts.found}. ${parts.todo}`;
  return new StoreError(code, message, parts.cause === undefined ? undefined : { cause: parts.cause });
}

/** What went wrong, in the words of the error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a call of the file system failed with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
