import { chmodSync, closeSync, constants, existsSync, fstatSync, lstatSync, openSync, type Stats } from "node:fs";
import { hasModes, placeOf } from "./place.ts";

const { O_NOFOLLOW = 0, S_IFMT, S_IFREG } = constants;
/**
 * Linux: a handle for a file's name and mode. Closing one leaves alone the locks that this process has on the file,
 * which closing any other takes away.
 */
const O_PATH = 0o10000000;
const OTHERS = 0o077;

/** Why a file could not be kept from others: it is another user's. */
export interface ForeignFile {
  readonly file: string;
  readonly uid: number;
  readonly mode: number;
}

/**
 * Has a file that is there be readable by its owner only (0600), without opening it: a database may have it open in
 * this process. Returns whose it is when others can read or write it and this process may not change that; nothing when
 * all is well or no file is there. Throws an `UnsafePathError` for a link of somebody else, and what the file system
 * throws.
 */
export function keepPrivate(file: string): ForeignFile | undefined {
  if (process.geteuid === undefined || !existsSync(file)) return undefined;
  try {
    return madePrivate(placeOf(file, { shared: "allow" }).path);
  } catch (error) {
    // The last process to close a database takes what lies beside it away.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function madePrivate(path: string): ForeignFile | undefined {
  return withStat(path, ({ mode, uid }, change) => {
    if ((mode & S_IFMT) !== S_IFREG || (mode & OTHERS) === 0) return undefined;
    if (!hasModes(path)) return undefined;
    const euid = process.geteuid?.();
    const isChanged = (euid === 0 || euid === uid) && unlessForbidden(() => change(mode & 0o700));
    return isChanged ? undefined : { file: path, uid, mode: mode & 0o777 };
  });
}

/** Root may not everywhere: not over NFS, nor in every container. */
function unlessForbidden(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPERM") return false;
    throw error;
  }
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
