import { CodedError, makeErrorBuilder, type RefusalParts } from "../coded-error.ts";

/** Thrown instead of writing a file when another user of the machine could redirect the write. Nothing was changed. */
export class UnsafePathError extends CodedError<"unsafe-path"> {
  override readonly name = "UnsafePathError";
}

const unsafePathError = makeErrorBuilder(UnsafePathError);

/** Builds the error for an unsafe path. */
export function unsafePath(parts: RefusalParts): UnsafePathError {
  return unsafePathError("unsafe-path", parts);
}

const BY_HANDLE = /\/proc\/self\/fd\/\d+(?:\/[^']*)?/g;

/**
 * Runs `work`, which may name a file by the handle of its folder; an error of the file system that it throws names
 * `path` instead.
 */
export function withErrorsAt<Value>(path: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) {
      error.message = error.message.replaceAll(BY_HANDLE, () => path);
      Object.assign(error, { path });
    }
    throw error;
  }
}
