/** Small copies of a real release to try the patch on: its package.json and the files that the patch touches. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ensureRelease } from "../../src/patching/ensure-release.ts";
import { sha256 } from "../../src/patching/hash.ts";
import type { Release } from "../../src/patching/points.ts";
import { releaseFacts } from "../../src/patching/releases.ts";

/** A guard that does nothing. */
export const STUB_GUARD = `export async function guardHistory() {}
export function guardSession() {}
export async function repairSessionFile() {}
export function loadTranscript(loaded) {
  return loaded;
}
export function whenIndexed(read) {
  return read;
}
`;

/** A project with such a copy as its node_modules/openclaw. */
export async function project(release: Release): Promise<{ readonly folder: string; readonly root: string; readonly files: readonly string[] }> {
  const { stock } = await ensureRelease(release);
  const folder = mkdtempSync(join(tmpdir(), "openclaw-patching-"));
  const root = join(folder, "node_modules", "openclaw");
  const files = Object.keys(releaseFacts(release)?.files ?? {});
  for (const file of ["package.json", ...files]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(stock, file), join(root, file));
  }
  projects.push(folder);
  return { folder, root, files };
}

const projects: string[] = [];

/** Removes every project made so far. */
export function removeProjects(): void {
  for (const folder of projects.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** The hash of every file below a folder, by path. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), sha256(readFileSync(path))]));
}
