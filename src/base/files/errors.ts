import { CodedError, refusalsOf, type RefusalParts } from "../coded-error.ts";

/** Thrown instead of writing a file when another user of the machine could redirect the write. Nothing was changed. */
export class UnsafePathError extends CodedError<"unsafe-path"> {
  override readonly name = "UnsafePathError";
}

const unsafePathError = refusalsOf(UnsafePathError);

/** Builds the error for an unsafe path. */
export function unsafePath(parts: RefusalParts): UnsafePathError {
  return unsafePathError("unsafe-path", parts);
}
