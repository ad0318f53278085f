/** What files a folder holds, and what is in them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../src/patching/base/hash.ts";

/** A file's content in short. */
export interface FileFacts {
  readonly sha256: string;
  readonly size: number;
}

/**
 * Every file below a folder, by its path with forward slashes, in the order of the code points. Throws for anything but
 * files and folders.
 */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/");
      if (!entry.isFile())
        throw new Error(`expected only files and folders in ${folder}; found ${path}, which is neither`);
      return path;
    })
    .toSorted((left, right) => (left < right ? -1 : 1));
}

/** The facts of every file below a folder. */
export function readTree(folder: string): ReadonlyMap<string, FileFacts> {
  const facts = filesIn(folder).map((file): [string, FileFacts] => {
    const bytes = readFileSync(join(folder, file));
    return [file, { sha256: sha256(bytes), size: bytes.length }];
  });
  return new Map(facts);
}
