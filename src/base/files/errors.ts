import { CodedError, refusalsOf, type RefusalParts } from "../coded-error.ts";

/**
 * A file is not written, because another user of the machine could turn that into a write elsewhere. Nothing was
 * changed.
 */
export class UnsafePathError extends CodedError<"unsafe-path"> {
  override readonly name = "UnsafePathError";
}

const refusal = refusalsOf(UnsafePathError);

/** The refusal of a path, in three parts. */
export function unsafePath(parts: RefusalParts): UnsafePathError {
  return refusal("unsafe-path", parts);
}
