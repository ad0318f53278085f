import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../src/patching/hash.ts";

/** The SHA-256 of every file below a folder, by its path in it. */
export function hashesIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), sha256(readFileSync(path))];
    }),
  );
}
