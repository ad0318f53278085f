import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files of one millisecond that are told apart. */
const MOST = 99;

/**
 * Writes `<name>.json` into a folder that is made if need be, for its owner only (0600, folder 0700); never over a file that is there: a second
 * one of the same name becomes `<name>-2.json`. Returns its path. Throws what the file system throws.
 */
export function writeNew(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let more = 1; ; more++) {
    const file = join(folder, `${name}${more === 1 ? "" : `-${more}`}.json`);
    try {
      writeFileSync(file, text, { flag: "wx", mode: 0o600 });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || more >= MOST) throw error;
    }
  }
}
