import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasCode, describeError, storeError } from "../../store/errors.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";

/** A file in a folder. */
export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** Lists the files of a folder; empty when there is no such folder. Throws `store-unreadable`. */
export function filesIn(folder: string): FoundFile[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? [{ path, name, bytes: found.size, modifiedAt: Math.floor(found.mtimeMs) }] : [];
    });
  } catch (error) {
    throw storeError("store-unreadable", {
      expected: `to read the folder ${folder}`,
      found: describeError(error),
      todo: "Run it as the user OpenClaw runs as. Nothing was changed.",
      cause: error,
    });
  }
}

/** Deletes files; missing ones are ignored. Throws `not-writable` for the first one that cannot be deleted. */
export function removeFiles(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      rmSync(path, { force: true });
    } catch (error) {
      if (hasCode(error, "ENOENT")) continue;
      throw storeError(
        "not-writable",
        refusedByDisk(error, {
          expected: `to delete ${path}`,
          asOwner: "Run it as the user OpenClaw runs as, and make the folder writable.",
          ending: "Then run it again.",
        }),
      );
    }
  }
}
