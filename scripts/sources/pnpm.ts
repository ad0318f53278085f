/** The package manager that a source tree names, and the environment in which its own commands run. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { patchError } from "../../src/patching/base/errors.ts";
import { runNpm, withoutOuterNpm } from "../../harness/npm.ts";

const CACHE = fileURLToPath(new URL("../../.cache/pnpm", import.meta.url));
/** One store for all trees: the second installation of a version downloads nothing. */
const STORE = join(CACHE, "store");
/** Variables that would make OpenClaw's tests and builds depend on whoever calls. */
const NOT_PASSED = /^(?:OPENCLAW_|CLAWDBOT_|VITEST|NODE_OPTIONS$|NODE_PATH$|CI$|GITHUB_|TEST_PATIENCE$)/;

/** How a tree's commands are run. */
export interface Toolchain {
  /** For the report: `pnpm@10.23.0`. */
  readonly name: string;
  /** Path of the program. */
  readonly pnpm: string;
  readonly env: NodeJS.ProcessEnv;
  /** Arguments of pnpm that install what the lock file names. */
  readonly install: readonly string[];
}

/** Installs the pnpm that the tree in `root` names, unless it is there. Throws `install-failed`. */
export async function installToolchain(root: string): Promise<Toolchain> {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { packageManager?: string };
  const version = /^pnpm@(\d+\.\d+\.\d+)/.exec(manifest.packageManager ?? "")?.[1];
  if (version === undefined)
    throw patchError("install-failed", {
      expected: "the tree to name a version of pnpm as its packageManager",
      found: manifest.packageManager ?? "none",
      todo: "OpenClaw's sources do so since 2026.1; name a newer tree.",
    });
  const home = join(CACHE, version);
  const bin = join(home, "node_modules", ".bin");
  const pnpm = join(bin, process.platform === "win32" ? "pnpm.cmd" : "pnpm");
  if (!existsSync(pnpm)) {
    mkdirSync(home, { recursive: true });
    await runNpm(home, ["install", "--no-save", "--prefix", home, "--no-audit", "--no-fund", `pnpm@${version}`]);
  }
  const passed = Object.entries(withoutOuterNpm(process.env)).filter(([name]) => !NOT_PASSED.test(name));
  const path = [bin, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  return {
    name: `pnpm@${version}`,
    pnpm,
    env: { ...Object.fromEntries(passed), PATH: path },
    install: ["install", "--frozen-lockfile", "--store-dir", STORE],
  };
}
