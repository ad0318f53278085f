/** Finds the files of OpenClaw's dist that can contain a patch point, by a byte search. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GUARD_FILE } from "../base/guard-file.ts";
import { decodeText } from "../base/text.ts";

/** A file of dist as text, its path relative to the package. */
export interface ChunkText {
  readonly file: string;
  readonly text: string;
}

// Cloud workers have a bundle of their own in dist/worker (54 MB in one minified file), which is not patched. The
// plugin of this project's distribution is left out too, because its code contains the marks of the patch.
const EXCLUDED = ["dist/worker", "dist/extensions/clawos-l0"];
const SCRIPT = /\.[cm]?js$/;

/**
 * Reads the scripts of dist, except the guard, excluded folders and nested packages, and returns those that contain one
 * of the needles.
 */
export function chunksWith(root: string, needles: readonly string[]): readonly ChunkText[] {
  const chunks: ChunkText[] = [];
  for (const file of scriptsIn(root, "dist")) {
    if (file === GUARD_FILE) continue;
    const bytes = readFileSync(join(root, file));
    if (needles.some((needle) => bytes.includes(needle))) chunks.push({ file, text: decodeText(bytes, file) });
  }
  return chunks;
}

function scriptsIn(root: string, folder: string): readonly string[] {
  if (EXCLUDED.includes(folder)) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      // Packages inside dist are not OpenClaw's code; its chunks are never in one.
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : scriptsIn(root, path);
      return entry.isFile() && SCRIPT.test(entry.name) ? [path] : [];
    });
}
