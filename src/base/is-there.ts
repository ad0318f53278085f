import { statSync } from "node:fs";

/**
 * Whether something is at this path. Unlike `existsSync`, throws the error of the file system when that cannot be told
 * (no permission): what nobody could look at is not "nothing".
 */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
