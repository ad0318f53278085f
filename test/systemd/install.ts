import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EARLY_OVERRIDES } from "../../src/patching/base/releases.ts";
import { userEnvironment } from "../cli/fixture.ts";
import type { Machine } from "./machine.ts";

/** Installs a release in a global folder of npm that the machine shares. Returns the folder that has `node_modules`. */
export function installGlobally({ shared }: Machine, release: string): string {
  const prefix = join(shared, "prefix");
  const env = { ...userEnvironment(join(shared, "npm")), npm_config_prefix: prefix };
  const lib = join(prefix, "lib");
  // These depend on a repository of GitHub, and npm takes overrides in no global installation: the folders are the same.
  if (release.startsWith("2026.2.")) {
    mkdirSync(lib, { recursive: true });
    const dependencies = { openclaw: release };
    writeFileSync(join(lib, "package.json"), JSON.stringify({ dependencies, overrides: EARLY_OVERRIDES }));
    execFileSync("npm", ["install", "--ignore-scripts", "--loglevel=error"], { env, cwd: lib });
  } else execFileSync("npm", ["install", "--global", `openclaw@${release}`, "--loglevel=error"], { env });
  return lib;
}
