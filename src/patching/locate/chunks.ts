/** The files of OpenClaw's dist that can hold a patch point, found by a byte search. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GUARD_FILE } from "../base/guard-file.ts";

/** A file of dist as text, its path relative to the package. */
export interface ChunkText {
  readonly file: string;
  readonly text: string;
}

// Cloud workers get a bundle of their own in dist/worker (54 MB in one minified file); it is not part of the patch set.
// Nor is the plugin that our distribution brings along, whose code names the marks of the patch.
const OUTSIDE = ["dist/worker", "dist/extensions/clawos-l0"];
const SCRIPT = /\.[cm]?js$/;

/** Reads every script of dist but our own, and returns those that contain one of the needles. */
export function chunksWith(root: string, needles: readonly string[]): readonly ChunkText[] {
  const chunks: ChunkText[] = [];
  for (const file of scriptsIn(root, "dist")) {
    if (file === GUARD_FILE) continue;
    const bytes = readFileSync(join(root, file));
    if (needles.some((needle) => bytes.includes(needle))) chunks.push({ file, text: bytes.toString("utf8") });
  }
  return chunks;
}

function scriptsIn(root: string, folder: string): readonly string[] {
  if (OUTSIDE.includes(folder)) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      // A package inside dist has its own owner; OpenClaw's chunks are never in one.
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : scriptsIn(root, path);
      return entry.isFile() && SCRIPT.test(entry.name) ? [path] : [];
    });
}
