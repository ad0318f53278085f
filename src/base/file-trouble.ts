/** Errors of the file system, as sentences for the person who has to act. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { describeError, type RefusalParts } from "./coded-error.ts";
import { visible } from "./visible.ts";

interface Trouble {
  /** What was found. */
  readonly found: string;
  readonly todo: string;
}

const AS_OWNER = "Run it as the user that it belongs to (the one OpenClaw runs as).";
const TROUBLES: Readonly<Record<string, Trouble>> = {
  EACCES: { found: "no permission", todo: AS_OWNER },
  EPERM: { found: "no permission", todo: AS_OWNER },
  ENOENT: { found: "no such file or folder", todo: "Check the path." },
  ENOTDIR: { found: "a file where a folder should be", todo: "Check the path." },
  EISDIR: { found: "a folder where a file should be", todo: "Check the path." },
  EEXIST: { found: "a file or folder of this name", todo: "Check the path." },
  ELOOP: { found: "symbolic links that lead in a circle", todo: "Check the path." },
  ENAMETOOLONG: { found: "a name that is too long for the disk", todo: "Choose a shorter one." },
  EROFS: { found: "a disk that can only be read", todo: "Mount it writable, or run it where it is." },
  ENOSPC: { found: "no space left on the disk", todo: "Free some space, and run it again." },
  EDQUOT: { found: "no space left in this user's quota", todo: "Free some space, and run it again." },
  EMFILE: { found: "too many open files in this process", todo: "Raise the limit (ulimit -n), and run it again." },
  ENFILE: { found: "too many open files on this machine", todo: "End programs that hold files, and run it again." },
  EBUSY: { found: "a file that another program holds", todo: "Run it again when that has ended." },
  EIO: { found: "an error of the disk", todo: "Check the disk (its log: dmesg)." },
};

/** What Node reports about the current folder. */
const GONE = "that it was deleted";

/** Calls of the system in words. */
const CALLS: Readonly<Record<string, string>> = {
  scandir: "list the folder",
  opendir: "list the folder",
  mkdir: "make the folder",
  rmdir: "remove the folder",
  unlink: "remove",
  rename: "rename",
  stat: "look at",
  lstat: "look at",
  access: "look at",
  realpath: "look at",
  copyfile: "copy",
};

/**
 * Returns the code and a sentence for an error of the file system: what was tried, what was found and what to do.
 * Undefined for any other error.
 */
export function fileTrouble(
  error: unknown,
): (Trouble & { readonly code: string; readonly message: string }) | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  if (!("syscall" in error) || typeof error.syscall !== "string" || !Object.hasOwn(TROUBLES, error.code))
    return undefined;
  if (error.syscall === "uv_cwd")
    return {
      code: error.code,
      found: GONE,
      todo: "Change to another folder.",
      message: `expected a current folder; found ${GONE}. Change to another folder.`,
    };
  const { todo, found: what } = TROUBLES[error.code]!;
  const found = `${what} (${error.code})`;
  const path = "path" in error && typeof error.path === "string" ? visible(withoutHandle(error.path)) : "a file";
  const call = Object.hasOwn(CALLS, error.syscall) ? CALLS[error.syscall]! : "read or write";
  return { code: error.code, found, todo, message: `expected to ${call} ${path}; found ${found}. ${todo}` };
}

/** SQLITE_IOERR and SQLITE_CANTOPEN (https://sqlite.org/rescode.html): SQLite does not say why. */
const UNTOLD: ReadonlySet<number> = new Set([10, 14]);
/** The database, its write-ahead log and its shared memory. */
const HANDLES = 3;

/**
 * Returns what the file system has against opening a database, where SQLite says no more than that it cannot: no such
 * file, no permission, too many open files. Undefined for other errors, and where the file can be opened. With
 * `isToBeMade` a missing file is no trouble, but a folder in which none can be made is.
 */
export function openingTrouble(
  error: unknown,
  file: string,
  { isToBeMade = false } = {},
): ReturnType<typeof fileTrouble> {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  if (typeof errcode !== "number" || !UNTOLD.has(errcode & 0xff)) return undefined;
  const handles: number[] = [];
  try {
    if (isToBeMade && !existsSync(file)) accessSync(dirname(file), constants.W_OK | constants.X_OK);
    for (let count = 0; count < HANDLES; count++) handles.push(openSync(file, "r"));
    // A folder can be opened, and not be read.
    readSync(handles[0]!, Buffer.alloc(1));
    return undefined;
  } catch (cause) {
    return fileTrouble(cause);
  } finally {
    for (const handle of handles) closeSync(handle);
  }
}

/**
 * The parts of a refusal for what the file system threw while `expected` was tried. `asOwner` is what to do where the
 * permission is missing or the reason is unknown; `ending` says what became of the user's data.
 */
export function refusedByDisk(
  error: unknown,
  { expected, asOwner, ending }: { readonly expected: string; readonly asOwner: string; readonly ending: string },
): RefusalParts {
  const trouble = fileTrouble(error);
  const todo = trouble === undefined || trouble.todo === AS_OWNER ? asOwner : trouble.todo;
  return { expected, found: trouble?.found ?? describeError(error), todo: `${todo} ${ending}`.trimEnd(), cause: error };
}

/** Files are reached by an open folder, whose number tells nobody anything. */
function withoutHandle(path: string): string {
  return path.replace(/^\/proc\/self\/fd\/\d+\//, "");
}
