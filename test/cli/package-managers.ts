/** Real package managers, each fetched once from the registry into .cache/. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNpmCli } from "../../harness/npm.ts";

const CACHE = fileURLToPath(new URL("../../.cache/package-managers", import.meta.url));

/** The package managers whose layouts differ, in exact versions. npm itself is the one of the machine. */
const PACKAGES = {
  "pnpm-10": "pnpm@10.34.9",
  "pnpm-12": "pnpm@12.21.0",
  "yarn-1": "yarn@1.22.22",
  "yarn-4": "@yarnpkg/cli-dist@4.18.1",
  bun: "bun@1.4.5",
} as const;

/** One of them. */
export type PackageManager = keyof typeof PACKAGES;

/** The folder of its executable, for PATH. */
export function ensureBinaries(manager: PackageManager): string {
  const home = join(CACHE, PACKAGES[manager].replaceAll("/", "+"));
  const binaries = join(home, "node_modules", ".bin");
  if (existsSync(binaries)) return binaries;
  const staged = `${home}.${process.pid}`;
  mkdirSync(staged, { recursive: true });
  writeFileSync(join(staged, "package.json"), JSON.stringify({ private: true }));
  execFileSync(process.execPath, [findNpmCli(), "install", "--no-audit", "--no-fund", PACKAGES[manager]], {
    cwd: staged,
    stdio: "pipe",
  });
  try {
    renameSync(staged, home);
  } catch (error) {
    // Another test file was first; its folder may be running right now and stays.
    if (!existsSync(binaries)) throw error;
    rmSync(staged, { recursive: true, force: true });
  }
  return binaries;
}
