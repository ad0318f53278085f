import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { withErrorsAt } from "./errors.ts";
import { Folder } from "./folder.ts";
import { setOwner, type Owner } from "./owner.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;

/**
 * Writes a file that must not exist yet (mode 0600 by default) and flushes it to the disk. When the process runs as
 * root, the file is given to `owner`, or to the owner of its folder. Throws the file system's error, EEXIST when the
 * name is taken, also by a symbolic link; then the file is removed, unless only the flush of the folder has failed.
 */
export function createFile(
  file: string,
  bytes: string | Uint8Array,
  { mode = 0o600, owner }: { readonly mode?: number; readonly owner?: Owner | undefined } = {},
): void {
  const folder = new Folder(realpathSync(dirname(file)));
  try {
    const path = folder.at(basename(file));
    const handle = withErrorsAt(file, () => openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    try {
      const data = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
      for (let written = 0; written < data.length;) written += writeSync(handle, data, written);
      setOwner(handle, owner ?? folder.stat);
      fchmodSync(handle, mode);
      fsyncSync(handle);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
    folder.sync();
  } finally {
    folder.close();
  }
}

/** Creates an empty file like {@link createFile}, where there is none. */
export function createMissing(file: string): void {
  if (existsSync(file)) return;
  try {
    createFile(file, "");
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
