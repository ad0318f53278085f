/**
 * Why a patch was refused. The code is for programs, the message for the person who has to act:
 * it says what was expected, what was found and what to do.
 */
export type PatchErrorCode =
  | "openclaw-missing"
  | "openclaw-ambiguous"
  | "openclaw-in-archive"
  | "openclaw-modified"
  | "half-patched"
  | "point-mismatch"
  | "outcome-invalid"
  | "guard-missing"
  | "not-writable"
  | "busy"
  | "not-patched"
  | "install-failed";

/** Every refusal of this room. When one is thrown, the installation is as it was before. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Builds the three-part message all refusals share. */
export function refusal(
  code: PatchErrorCode,
  parts: { readonly expected: string; readonly found: string; readonly todo: string; readonly cause?: unknown },
): PatchError {
  const message = `expected ${parts.expected}; found ${parts.found}. ${parts.todo}`;
  return new PatchError(code, message, parts.cause === undefined ? undefined : { cause: parts.cause });
}
