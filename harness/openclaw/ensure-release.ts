/**
 * The base releases on this machine: `.releases/<release>/stock` as published, and `.releases/<release>/patched`, a
 * copy that shares the bytes of every file the patch does not touch.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { apply } from "../../src/patching/apply.ts";
import { shareTree } from "../../src/patching/write/copy-tree.ts";
import { patchError } from "../../src/patching/base/errors.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { withLock } from "../../src/patching/write/lock.ts";
import { assertNode, runNpm } from "../npm.ts";
import type { PatchOptions } from "../../src/patching/plan.ts";
import { type Release, releaseFacts } from "../../src/patching/base/releases.ts";

/** The folders of OpenClaw itself in an installed release. */
export interface InstalledRelease {
  readonly release: Release;
  readonly stock: string;
  readonly patched: string;
}

/** Options of ensureRelease. */
export interface EnsureOptions {
  /** The repository, which has `releases/<release>/package-lock.json`. */
  readonly repository?: string;
  /** Takes progress lines. */
  readonly say?: (line: string) => void;
}

/** What npm downloads for a release, and what the installation takes, in megabytes, as measured. */
const SIZES: Readonly<Record<Release, readonly [download: number, disk: number]>> = {
  "2026.9.6": [220, 650],
  "2026.2.3": [560, 1300],
};

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
/** Written last into a finished installation; names exactly what was installed. */
export const STAMP = "installed";
const MANIFESTS = ["package.json", "package-lock.json"];

/**
 * Installs a release unless it is there already, and returns its two OpenClaw folders. The `patched` one is a plain
 * copy until ensurePatched() has been called. Two processes may call it at once; a half install is redone.
 */
export async function ensureRelease(release: Release, options: EnsureOptions = {}): Promise<InstalledRelease> {
  const { repository = REPOSITORY, say = () => undefined } = options;
  const pins = join(repository, "releases", release);
  const stamp = makeStamp(release, pins);
  return ensureFolders(release, repository, say, {
    isStamp: (found) => found === stamp,
    installStock: (home) => installStock(home, pins, stamp, release, say),
    copyTree: shareTree,
  });
}

/** What differs between the ways in which a release is installed. */
export interface InstallSteps {
  /** Whether the stamp of a finished folder is of what is asked for. */
  readonly isStamp: (found: string | undefined) => boolean;
  /** Makes `stock` in the release's folder, with its stamp last. */
  readonly installStock: (home: string) => Promise<void>;
  /** Makes the copy that is going to be patched. */
  readonly copyTree: (from: string, to: string) => void;
}

/**
 * The two folders of a release in `.releases`, made unless they are there. Two processes may call it at once; half an
 * install and half a copy are redone.
 */
export async function ensureFolders<Name extends string>(
  release: Name,
  repository: string,
  say: (line: string) => void,
  { isStamp, installStock: install, copyTree }: InstallSteps,
): Promise<{ readonly release: Name; readonly stock: string; readonly patched: string }> {
  const home = join(repository, ".releases", release);
  const [stock, patched] = [join(home, "stock"), join(home, "patched")];
  const installed = {
    release,
    stock: join(stock, "node_modules", "openclaw"),
    patched: join(patched, "node_modules", "openclaw"),
  };
  const isThere = (folder: string): boolean => isStamp(readStamp(join(folder, STAMP)));
  if (isThere(stock) && isThere(patched)) return installed;
  mkdirSync(home, { recursive: true });
  await withLock(
    join(home, "lock"),
    async () => {
      if (!isThere(stock)) await install(home);
      if (!isThere(patched)) copyForPatch(stock, patched, copyTree, say);
    },
    () => say(`another process installs OpenClaw ${release}; waiting`),
  );
  return installed;
}

/** Like ensureRelease, and applies the patch to the `patched` copy. */
export async function ensurePatched(
  release: Release,
  options: EnsureOptions & PatchOptions = {},
): Promise<InstalledRelease> {
  const installed = await ensureRelease(release, options);
  const lock = join(installed.patched, "..", "..", "..", "lock");
  const { action } = await withLock(lock, () => apply(installed.patched, options));
  if (action !== "already") options.say?.(`OpenClaw ${release}: patch ${action}`);
  return installed;
}

async function installStock(
  home: string,
  pins: string,
  stamp: string,
  release: Release,
  say: (line: string) => void,
): Promise<void> {
  assertNode();
  const started = performance.now();
  const [download, disk] = SIZES[release];
  say(`installing OpenClaw ${release} into .releases/: about ${download} MB to download, ${disk} MB on the disk`);
  const stock = join(home, "stock");
  rmSync(stock, { recursive: true, force: true });
  mkdirSync(stock);
  for (const file of MANIFESTS) copyFileSync(join(pins, file), join(stock, file));
  // Without scripts: no release needs one to run here, and none should run code on this machine at install time.
  await runNpm(stock, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(join(stock, STAMP), stamp);
  say(`installed OpenClaw ${release} in ${Math.round((performance.now() - started) / 1000)} s`);
}

function copyForPatch(
  stock: string,
  patched: string,
  copyTree: InstallSteps["copyTree"],
  say: (line: string) => void,
): void {
  const started = performance.now();
  const half = `${patched}.part`;
  for (const folder of [patched, half]) rmSync(folder, { recursive: true, force: true });
  copyTree(stock, half);
  // A link to stock's stamp would do, but a stamp is written last.
  rmSync(join(half, STAMP));
  renameSync(half, patched);
  writeFileSync(join(patched, STAMP), readFileSync(join(stock, STAMP), "utf8"));
  say(`made its copy for the patch in ${Math.round((performance.now() - started) / 100) / 10} s`);
}

/** Names exactly what must be installed: a changed lock file makes an old install stale. */
function makeStamp(release: Release, pins: string): string {
  const lock = join(pins, "package-lock.json");
  const facts = releaseFacts(release);
  if (facts === undefined || !existsSync(lock)) {
    throw patchError("install-failed", {
      expected: `the pinned dependencies of OpenClaw ${release} in releases/${release}/package-lock.json`,
      found: "no such file",
      todo: "This works in a checkout of the repository only.",
    });
  }
  const text = readFileSync(lock, "utf8");
  if (!text.includes(facts.integrity)) {
    throw patchError("install-failed", {
      expected: `releases/${release}/package-lock.json to pin openclaw@${release} to ${facts.integrity}`,
      found: "another pin, or none",
      todo: "Restore the file from git.",
    });
  }
  return `${release} ${sha256(text)}\n`;
}

/** The text of a stamp, or undefined when there is none. */
export function readStamp(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
