/** Finds a Node that can run an OpenClaw. */
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { strangerAt } from "../../base/files/index.ts";
import type { OpenClawPackage } from "./package.ts";

/** A Node on this machine. */
export interface FoundNode {
  readonly path: string;
  readonly version: string;
}

const VERSION_TIMEOUT_MS = 10_000;

/**
 * Whether a version is in a range as OpenClaw's package.json has them: `>=22.22.3 <23 || >=24.15.0 <25`. A range of
 * another form is taken for met, because OpenClaw checks its Node at the start by itself.
 */
export function isInRange(version: string, range: string | undefined): boolean {
  if (range === undefined) return true;
  const wanted = range.split("||").map((part) => part.trim().split(/\s+/));
  if (wanted.flat().some((bound) => !/^(>=|<)\d+(\.\d+){0,2}$/.test(bound))) return true;
  return wanted.some((bounds) =>
    bounds.every((bound) => {
      const order = compareVersions(version, bound.replace(/^\D+/, ""));
      return bound.startsWith(">=") ? order >= 0 : order < 0;
    }),
  );
}

/**
 * The first Node that the release names: the one of this process, those in PATH, and the one that a global OpenClaw
 * lies beside. Returns all that were tried when none fits.
 */
export async function findNode(
  openclaw: OpenClawPackage,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly node?: FoundNode; readonly tried: readonly FoundNode[] }> {
  const tried: FoundNode[] = [];
  for (const path of new Set([process.execPath, ...nodesInPath(env), ...nodesBeside(openclaw.root)])) {
    const version = path === process.execPath ? process.version : await readNodeVersion(path);
    if (version === undefined) continue;
    const node = { path, version };
    if (isInRange(version, openclaw.nodeRange)) return { node, tried };
    tried.push(node);
  }
  return { tried };
}

/**
 * The Node for a release: the `given` one, or the first that fits; none where none fits, and `wanted` says what the
 * release needs and what was found.
 */
export async function nodeFor(
  openclaw: OpenClawPackage,
  {
    node: given,
    env = process.env,
  }: { readonly node?: string | undefined; readonly env?: NodeJS.ProcessEnv | undefined },
): Promise<{ readonly node?: FoundNode; readonly wanted: string }> {
  const needs = `OpenClaw ${openclaw.release} needs Node ${openclaw.nodeRange ?? "of any version"}`;
  if (given === undefined) {
    const { node, tried } = await findNode(openclaw, env);
    const found = tried.map(({ version, path }) => `${version} (${path})`).join(", ");
    return { ...(node && { node }), wanted: `${needs}; found ${found === "" ? "none" : found}` };
  }
  const version = await readNodeVersion(given);
  if (version === undefined) return { wanted: `${needs}; ${given} is no Node that can be run` };
  if (!isInRange(version, openclaw.nodeRange)) return { wanted: `${needs}; ${given} is ${version}` };
  return { node: { path: given, version }, wanted: needs };
}

/** The version of the Node at a path; undefined when it cannot be run. */
export async function readNodeVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: VERSION_TIMEOUT_MS, env: {} });
    return /^v\d+\.\d+\.\d+/.exec(stdout.trim())?.[0];
  } catch {
    return undefined;
  }
}

const NAME = process.platform === "win32" ? "node.exe" : "node";

function nodesInPath(env: NodeJS.ProcessEnv): readonly string[] {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, NAME)).filter(isFile);
}

/**
 * Returns the Node beside a global OpenClaw: `<prefix>/bin/node` of `<prefix>/lib/node_modules/openclaw`, and
 * `<prefix>\node.exe` of Windows. Beside the OpenClaw of a project these are files in folders above it, where another
 * user may have put them: such a file is left out.
 */
function nodesBeside(root: string): readonly string[] {
  const modules = dirname(root);
  return [join(modules, "..", "..", "bin", NAME), join(modules, "..", NAME)]
    .filter(isFile)
    .filter((path) => strangerAt(path) === undefined);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Not there, or in a folder of another user's.
    return false;
  }
}

function compareVersions(left: string, right: string): number {
  const [one, other] = [left, right].map((version) => version.replace(/^v/, "").split(".").map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (one![at] ?? 0) - (other![at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
