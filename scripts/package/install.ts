import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNpmCli, withoutOuterNpm } from "../../harness/npm.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Packs what npm would publish into a folder, from the built dist. Returns the tarball. */
export function packInto(folder: string): string {
  mkdirSync(folder);
  runNpm(ROOT, ["pack", "--ignore-scripts", "--pack-destination", folder]);
  return join(folder, readdirSync(folder)[0]!);
}

/** Runs npm as somebody who has never used it: with no cache, and with no network, which an installation does not need. */
export function installFrom(tarball: string, project: string): void {
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "of-a-user", "private": true }');
  const home = join(dirname(project), "home");
  runNpm(project, ["install", "--offline", tarball], { HOME: home, npm_config_cache: join(home, "cache") });
}

/** Runs a Node in a folder; what it printed. */
export function runIn(folder: string, node: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(node, args, { cwd: folder, encoding: "utf8" });
  return `${stdout}${stderr}`.trim();
}

function runNpm(cwd: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): void {
  const env = { ...withoutOuterNpm(process.env), ...more };
  const { status, stderr } = spawnSync(process.execPath, [findNpmCli(), ...args], { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args.join(" ")}: ${stderr}`);
}
