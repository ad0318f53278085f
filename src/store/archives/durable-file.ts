import { Draft, replaceFile, UnsafePathError, type DraftOptions } from "../../base/files/index.ts";
import { storeError, StoreError } from "../errors.ts";
import { stateDirectory } from "../state-directory.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";

/**
 * Replaces a file in one step: after a kill or a power cut it has either the old content or the new, complete. The
 * user's own link is followed and stays a link. Throws `not-writable`, or `unsafe-path` where another user could
 * interfere; the old file is still there then.
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
 * Opens a draft of a file for `work` to fill and put in place, and closes it afterwards. Throws what {@link putFile}
 * throws, and what `work` throws.
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

/**
 * Runs `work` and turns a failure into `not-writable` or `unsafe-path` with the file's name; a StoreError passes
 * unchanged.
 */
export function unlessRefused<Value>(file: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (error instanceof UnsafePathError) throw new StoreError(error.code, error.message, { cause: error });
    throw storeError(
      "not-writable",
      refusedByDisk(error, {
        expected: `to write ${file}`,
        asOwner: "Run it as the user OpenClaw runs as, and make the folder writable.",
        ending: "Nothing was changed.",
      }),
    );
  }
}
