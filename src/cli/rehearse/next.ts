/** The next OpenClaw: what the operator names, and its installation in a folder beside the live one. */
import { existsSync, mkdirSync, realpathSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readJsonObject } from "../../base/read-json-object.ts";
import { isObject } from "../../transcript/json/json.ts";
import { shareTree } from "../../patching/write/copy-tree.ts";
import { rehearsalError, type RehearsalPlace } from "../rehearsal-place.ts";
import { UsageError } from "../run.ts";
import { runNpm } from "./npm.ts";

/** Where the next OpenClaw comes from. */
export interface Next {
  readonly kind: "registry" | "tarball" | "folder";
  /** A version, a tag, or a path. */
  readonly name: string;
}

const MB = 1024 * 1024;
/** OpenClaw takes 650 MB to 1.3 GB, measured on 2026.2.3 and 2026.9.6; the rest is npm's, and the copies'. */
const NEEDED_MB = 2000;

/** Parses the argument of --rehearse: an exact version, a tag as `latest`, a tarball or a folder. */
export function parseNext(text: string): Next {
  const found = statSync(text, { throwIfNoEntry: false });
  if (found?.isDirectory()) return { kind: "folder", name: realpathSync(text) };
  if (found?.isFile() && /\.(?:tgz|tar\.gz)$/.test(text)) return { kind: "tarball", name: resolve(text) };
  if (/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(text) || /^[a-z][a-z-]*$/.test(text)) return { kind: "registry", name: text };
  throw new UsageError(
    `expected --rehearse with a version (2026.9.6), a tag (latest), or the path of a tarball or a folder; ` +
      `found ${JSON.stringify(text)}`,
  );
}

/** What npm is told to install. */
export function specifier({ kind, name }: Next): string {
  return kind === "registry" ? `openclaw@${name}` : name;
}

/** Throws `no-room` where the disk of a folder has less than an OpenClaw and `more` bytes take. Returns the free MB. */
export function checkRoom(folder: string, more: number, read: typeof statfsSync = statfsSync): number {
  const { bavail, bsize } = read(folder);
  const free = Math.floor((bavail * bsize) / MB);
  const needed = NEEDED_MB + Math.ceil(more / MB);
  if (free >= needed) return free;
  throw rehearsalError("no-room", {
    expected: `${needed} MB of free space for a second OpenClaw in ${folder}`,
    found: `${free} MB`,
    todo: "Free some space, and run it again. Nothing was changed.",
  });
}

/**
 * Installs the next OpenClaw, without its install scripts, and returns its folder. One in a folder is copied with what
 * is installed beside it. Rejects with `install-failed`.
 */
export async function installNext(next: Next, place: RehearsalPlace, signal: AbortSignal): Promise<string> {
  const folder = place.make("next");
  const root = join(folder, "node_modules", "openclaw");
  if (next.kind === "folder" && copyInstalled(next.name, join(folder, "node_modules"))) return checked(root, next);
  writeFileSync(join(folder, "package.json"), '{ "name": "rehearsal", "private": true }\n');
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const how = next.kind === "folder" ? ["--install-links"] : [];
  await runNpm(["install", specifier(next), ...how, ...quiet], {
    folder,
    signal,
    todo: "Check the version, the network and the disk, or name a tarball. Nothing of yours was changed.",
    onProcess: (pid) => void (place.npm = pid),
  });
  return checked(root, next);
}

/** Copies an OpenClaw that is installed with its dependencies in it, or beside it too; false for one without. */
function copyInstalled(from: string, modules: string): boolean {
  const { dependencies } = readJsonObject(join(from, "package.json")) ?? {};
  const names = Object.keys(isObject(dependencies) ? dependencies : {});
  const beside = dirname(from);
  const isIn = (...folders: readonly string[]): boolean =>
    names.every((name) => folders.some((folder) => existsSync(join(folder, name))));
  if (isIn(join(from, "node_modules"))) {
    mkdirSync(modules);
    shareTree(from, join(modules, "openclaw"));
    return true;
  }
  const isInstalled = basename(beside) === "node_modules" && basename(from) === "openclaw";
  if (!isInstalled || !isIn(join(from, "node_modules"), beside)) return false;
  shareTree(beside, modules);
  return true;
}

function checked(root: string, next: Next): string {
  if (readJsonObject(join(root, "package.json"))?.name === "openclaw") return root;
  throw rehearsalError("install-failed", {
    expected: `an OpenClaw from ${next.name}`,
    found: "a package of another name, or none",
    todo: "Correct --rehearse. Nothing of yours was changed.",
  });
}
