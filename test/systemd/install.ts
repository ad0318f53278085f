import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { userEnvironment } from "../cli/fixture.ts";
import type { Machine } from "./machine.ts";

/** Installs a release in a global folder of npm that the machine shares. Returns the folder that has `node_modules`. */
export function installGlobally({ shared }: Machine, release: string): string {
  const prefix = join(shared, "prefix");
  const env = { ...userEnvironment(join(shared, "npm")), npm_config_prefix: prefix };
  execFileSync("npm", ["install", "--global", `openclaw@${release}`, "--loglevel=error"], { env });
  return join(prefix, "lib");
}
