import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, type GitPlace } from "../git/git.ts";
import { readBlob, type FileVersion, storeContent } from "../git/trees.ts";
import type { Merge } from "./fold.ts";

/** git's own limit for texts: a NUL in the first bytes is a binary file. */
const SNIFFED = 8000;

/** Merges by `git merge-file`, whose files are in the folder of the snapshots and not in the workspace. */
export function mergeIn(place: GitPlace): Merge {
  return async (present, base, wanted): Promise<FileVersion | undefined> => {
    const contents = await Promise.all([present, base, wanted].map(({ oid }) => readBlob(place, oid)));
    if (contents.some((content) => content.subarray(0, SNIFFED).includes(0))) return undefined;
    const folder = mkdtempSync(join(place.repository, "merge-"));
    try {
      const files = ["present", "base", "wanted"].map((name, at) => {
        const file = join(folder, name);
        writeFileSync(file, contents[at]!, { mode: 0o600 });
        return file;
      });
      // Above 0: the number of conflicts, or 255 for what cannot be merged.
      const { code, output } = await git(place, ["merge-file", "-p", "-q", ...files], {
        accept: Array.from({ length: 255 }, (_, at) => at + 1),
      });
      return code === 0 ? { mode: present.mode, oid: await storeContent(place, output) } : undefined;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
