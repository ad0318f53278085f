import { chmodSync, closeSync, constants, existsSync, fstatSync, lstatSync, openSync, type Stats } from "node:fs";
import { resolvePlace } from "./place.ts";
import { hasModes } from "./who-shares.ts";

const { O_NOFOLLOW = 0, S_IFMT, S_IFREG } = constants;
/**
 * Linux: a handle without access to the content. Closing it keeps the locks that this process has on the file; closing
 * any other handle would release them.
 */
const O_PATH = 0o10000000;
const OTHERS = 0o077;

/** A file that could not be made private, because another user owns it. */
export interface ForeignFile {
  readonly file: string;
  readonly uid: number;
  readonly mode: number;
}

/**
 * Makes an existing file readable by its owner only (0600) without opening it, because a database in this process may
 * have it open. Returns the file's owner and mode when others can read or write it and this process may not change
 * that; undefined when the file is private or missing. Throws an `UnsafePathError` for a link of another user, and what
 * the file system throws.
 */
export function keepPrivate(file: string): ForeignFile | undefined {
  if (process.geteuid === undefined || !existsSync(file)) return undefined;
  try {
    return madePrivate(resolvePlace(file, { shared: "allow" }).path);
  } catch (error) {
    // The last process that closes a database removes the files beside it.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function madePrivate(path: string): ForeignFile | undefined {
  return withStat(path, ({ mode, uid }, change) => {
    if ((mode & S_IFMT) !== S_IFREG || (mode & OTHERS) === 0 || !hasModes(path)) return undefined;
    const euid = process.geteuid?.();
    try {
      if (euid === 0 || euid === uid) {
        change(mode & 0o700);
        return undefined;
      }
    } catch (error) {
      // Even root is refused on NFS and in some containers.
      if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    }
    return { file: path, uid, mode: mode & 0o777 };
  });
}

function withStat<Value>(path: string, work: (stat: Stats, change: (mode: number) => void) => Value): Value {
  if (process.platform !== "linux") return work(lstatSync(path), (mode) => chmodSync(path, mode));
  const handle = openSync(path, O_PATH | O_NOFOLLOW);
  const byHandle = `/proc/self/fd/${handle}`;
  try {
    return work(fstatSync(handle), (mode) => chmodSync(existsSync(byHandle) ? byHandle : path, mode));
  } finally {
    closeSync(handle);
  }
}
