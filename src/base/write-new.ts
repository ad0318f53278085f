import { join } from "node:path";
import { createFile, makeFolder } from "./files/index.ts";

/** Files of one millisecond that are told apart. */
const MOST = 99;

/**
 * Writes `<name>.json` into a folder that is made if need be, for its owner only (0600, folder 0700); never over a file
 * that is there: a second one of the same name becomes `<name>-2.json`. Returns its path. Throws what the file system
 * throws.
 */
export function writeNew(folder: string, name: string, text: string): string {
  makeFolder(folder);
  for (let more = 1; ; more++) {
    const file = join(folder, `${name}${more === 1 ? "" : `-${more}`}.json`);
    try {
      createFile(file, text);
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || more >= MOST) throw error;
    }
  }
}
