import { Draft, replaceFile, UnsafePathError, type DraftOptions } from "../../base/files/index.ts";
import { reasonOf, storeError, StoreError } from "../errors.ts";
import { stateDirectory } from "../state-directory.ts";

/**
 * Puts a file in place as one step: after a kill or a power cut it is the old one or the new one, whole. A link that is
 * the user's own stays one, the file behind it is replaced. Throws `not-writable`, or `unsafe-path` where another user
 * could have a hand in it; then the old one is still there.
 */
export function putFile(
  file: string,
  bytes: string | Uint8Array,
  mode: number,
  options: Omit<DraftOptions, "mode"> = {},
): void {
  unlessRefused(file, () => replaceFile(file, bytes, { below: stateDirectory(), ...options, mode }));
}

/**
 * A draft of a file, for `work` to fill and to put in place; it is closed then. Throws what {@link putFile} throws, and
 * what `work` does.
 */
export function withDraft<Value>(
  file: string,
  mode: number,
  work: (draft: Draft) => Value,
  options: Omit<DraftOptions, "mode"> = {},
): Value {
  const draft = unlessRefused(file, () => new Draft(file, { below: stateDirectory(), ...options, mode }));
  try {
    return work(draft);
  } finally {
    draft.close();
  }
}

/** Says of which file the system refused to write. */
export function unlessRefused<Value>(file: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (error instanceof UnsafePathError) throw new StoreError(error.code, error.message, { cause: error });
    throw storeError("not-writable", {
      expected: `to write ${file}`,
      found: reasonOf(error),
      todo: "Run it as the user OpenClaw runs as, and make the folder writable and room on the disk; nothing was changed.",
      cause: error,
    });
  }
}
