/** Which OpenClaw lies in a folder. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { refusal } from "./errors.ts";
import type { KnownRelease } from "./releases.ts";
import { knownRelease } from "./releases.ts";

/** An OpenClaw on disk. */
export interface Installation {
  readonly root: string;
  readonly release: string;
  /** What was recorded of this release; undefined for one that is newer than this patch set. */
  readonly known: KnownRelease | undefined;
}

/**
 * The folder of the OpenClaw that `start` means: the folder itself, or the `node_modules/openclaw` that code in `start`
 * would import. Throws `openclaw-missing`.
 */
export function findOpenclaw(start: string): string {
  const from = resolve(start);
  if (packageOf(from)?.name === "openclaw") return realpathSync(from);
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", "openclaw");
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
    if (folder === dirname(folder)) break;
  }
  throw refusal("openclaw-missing", {
    expected: "the folder of OpenClaw, or of a project that has it in node_modules/openclaw",
    found: `no OpenClaw in ${from} or above it`,
    todo: "Install it (npm install openclaw) or name its folder with --path.",
  });
}

/** Reads which release lies in `root`. Throws `openclaw-missing`. */
export function readInstallation(root: string): Installation {
  const found = packageOf(root);
  if (found?.name !== "openclaw" || !existsSync(join(root, "dist"))) {
    throw refusal("openclaw-missing", {
      expected: `OpenClaw (a package.json named "openclaw" and a dist folder) in ${root}`,
      found: found === undefined ? "no readable package.json" : `package "${found.name}", dist ${existsSync(join(root, "dist")) ? "there" : "missing"}`,
      todo: "Install OpenClaw anew or name its folder with --path.",
    });
  }
  return { root, release: found.version, known: knownRelease(found.version) };
}

function packageOf(folder: string): { readonly name: string; readonly version: string } | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (typeof value !== "object" || value === null) return undefined;
    const { name, version } = value as Record<string, unknown>;
    return { name: String(name), version: String(version) };
  } catch {
    return undefined;
  }
}
