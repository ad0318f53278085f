/**
 * Finds which tools leave the folder of the guard out, because OpenClaw's own lists of ignored files have `vendor/`.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isIgnoredInGit } from "./git.ts";
import { MANIFEST, VENDOR_FOLDER } from "./vendored.ts";

/** `git`: a commit; `docker`: an image that is built from the checkout. */
export type Ignoring = "git" | "docker";

/** Returns what leaves the guard's folder out of the checkout; not `git` where a commit has that folder already. */
export function listIgnoring(root: string): readonly Ignoring[] {
  return [
    ...(isIgnoredInGit(root, MANIFEST) ? (["git"] as const) : []),
    ...(isIgnoredByDocker(root) ? (["docker"] as const) : []),
  ];
}

const TAKES_BACK = `!${VENDOR_FOLDER}`;

function isIgnoredByDocker(root: string): boolean {
  const file = join(root, ".dockerignore");
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, "utf8")
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/\/$/, ""));
  // The last line that matches decides.
  const excluded = lines.lastIndexOf("vendor");
  return excluded !== -1 && lines.lastIndexOf(TAKES_BACK) < excluded;
}
