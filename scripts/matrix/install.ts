/** Installs any release of OpenClaw beside the base releases, whose dependencies alone are pinned in `releases/`. */
import { constants, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shareTree } from "../../src/patching/write/copy-tree.ts";
import { ensureFolders, ensureRelease, readStamp, STAMP } from "../../harness/openclaw/ensure-release.ts";
import { patchError } from "../../src/patching/base/errors.ts";
import { runNpm } from "../../harness/npm.ts";
import { EARLY_OVERRIDES, isRelease } from "../../src/patching/base/releases.ts";

/** The folders of OpenClaw itself in an installed release. */
export interface MatrixRelease {
  readonly release: string;
  readonly stock: string;
  readonly patched: string;
}

/** Options of installRelease. */
export interface InstallOptions {
  /** npm's integrity of the published tarball (`sha512-…`); without it whatever the registry gives is taken. */
  readonly integrity?: string | undefined;
  /** The repository, whose `.releases` is installed into. */
  readonly repository?: string;
  /** Takes progress lines. */
  readonly say?: (line: string) => void;
}

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Installs a release unless it is there already, and returns its two OpenClaw folders; the `patched` one is a plain
 * copy that nothing has been applied to. A base release is installed from its pins, any other with the dependencies
 * that npm chooses today. Two processes may call it at once; a half install is redone. Throws `install-failed` when npm
 * fails, with its last lines, or when the registry's tarball is not the expected one; nothing of that is kept as
 * installed.
 */
export async function installRelease(release: string, options: InstallOptions = {}): Promise<MatrixRelease> {
  const { repository = REPOSITORY, integrity, say = () => undefined } = options;
  if (isRelease(release) && existsSync(join(repository, "releases", release)))
    return ensureRelease(release, { repository, say });
  return ensureFolders(release, repository, say, {
    isStamp: (found) => matchesStamp(found, release, integrity),
    installStock: (home) => installStock(home, release, integrity, say),
    copyTree: shareDependencies,
  });
}

/** Whether a release has been installed to the end; reads one small file. */
export function isInstalled(release: string, repository = REPOSITORY): boolean {
  return readStamp(join(repository, ".releases", release, "patched", STAMP)) !== undefined;
}

async function installStock(
  home: string,
  release: string,
  integrity: string | undefined,
  say: (line: string) => void,
): Promise<void> {
  const started = performance.now();
  say(`installing OpenClaw ${release} into .releases/${release}/stock (650 MB to 1.3 GB)`);
  const stock = join(home, "stock");
  rmSync(stock, { recursive: true, force: true });
  mkdirSync(stock);
  // Later releases need them no more; npm replaces a package only where something asks for it.
  const manifest = {
    name: `openclaw-${release}`,
    private: true,
    dependencies: { openclaw: release },
    overrides: EARLY_OVERRIDES,
  };
  writeFileSync(join(stock, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  // Without scripts: no release needs one to run here, and none should run code on this machine at install time.
  await runNpm(stock, ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  const found = lockedIntegrity(join(stock, "package-lock.json"));
  if (integrity !== undefined && found !== integrity) {
    rmSync(stock, { recursive: true, force: true });
    throw patchError("install-failed", {
      expected: `the published openclaw@${release} to have the integrity ${integrity}`,
      found: found ?? "none in its package-lock.json",
      todo: "Nothing was kept. Check which registry npm asks, or correct the expected integrity.",
    });
  }
  writeFileSync(join(stock, STAMP), `${release} ${found ?? ""}\n`);
  say(`installed OpenClaw ${release} in ${Math.round((performance.now() - started) / 1000)} s`);
}

/**
 * A copy whose dependencies share their bytes, and whose OpenClaw has its own: releases of spring 2026 refuse the
 * manifest of a bundled plugin that is a hard link, and then take their whole configuration for invalid.
 */
function shareDependencies(stock: string, copy: string): void {
  shareTree(stock, copy);
  const [from, to] = [stock, copy].map((folder) => join(folder, "node_modules", "openclaw")) as [string, string];
  rmSync(to, { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
}

/** The integrity that npm checked OpenClaw's tarball against. */
function lockedIntegrity(path: string): string | undefined {
  const lock = JSON.parse(readFileSync(path, "utf8")) as { packages?: Record<string, { integrity?: string }> };
  return lock.packages?.["node_modules/openclaw"]?.integrity;
}

function matchesStamp(stamp: string | undefined, release: string, integrity: string | undefined): boolean {
  if (stamp === undefined) return false;
  const [name, found] = stamp.trim().split(" ");
  return name === release && (integrity === undefined || found === integrity);
}
