import { closeSync, openSync, readSync } from "node:fs";
import { fileTrouble } from "./file-trouble.ts";

/** SQLITE_CANTOPEN (https://sqlite.org/rescode.html): SQLite does not say why. */
const CANNOT_OPEN = 14;
/** The database, its write-ahead log and its shared memory. */
const HANDLES = 3;

/**
 * Returns what the file system has against opening a database, where SQLite says no more than that it cannot: no such
 * file, no permission, too many open files. Undefined for other errors, and where the file can be opened.
 */
export function openingTrouble(error: unknown, file: string): ReturnType<typeof fileTrouble> {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  if (typeof errcode !== "number" || (errcode & 0xff) !== CANNOT_OPEN) return undefined;
  const handles: number[] = [];
  try {
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
