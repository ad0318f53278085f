import { join } from "node:path";
import { createFile, makeFolder } from "./files/index.ts";

/** How many files of the same name are numbered. */
const MAX_FILES = 99;

/**
 * Writes `<name>.json` into a folder, which is made if it is missing, readable by the owner only (0600, folder 0700).
 * Never overwrites a file: a second one of the same name becomes `<name>-2.json`. Returns its path. Throws what the
 * file system throws.
 */
export function writeNew(folder: string, name: string, text: string): string {
  makeFolder(folder);
  for (let more = 1; ; more++) {
    const file = join(folder, `${name}${more === 1 ? "" : `-${more}`}.json`);
    try {
      createFile(file, text);
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || more >= MAX_FILES) throw error;
    }
  }
}
