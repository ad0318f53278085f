/** Finds OpenClaw's config, and checks whether it may be changed. */
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isHomeKnown, stateDirectory } from "../../store/state-directory.ts";
import { pluginError } from "./errors.ts";

// OpenClaw reads the second one when there is no openclaw.json.
const NAMES = ["openclaw.json", "clawdbot.json"];

/** Returns the file from which OpenClaw reads its config; the file need not exist. */
export function configFile(env: NodeJS.ProcessEnv = process.env): string {
  const named = env["OPENCLAW_CONFIG_PATH"]?.trim();
  const state = stateDirectory(env);
  const candidates = NAMES.map((name) => join(state, name));
  const file =
    named === undefined || named === ""
      ? (candidates.find((path) => existsSync(path)) ?? join(state, "openclaw.json"))
      : resolve(named.replace(/^~(?=$|[\\/])/, () => env["HOME"] ?? "~"));
  return existsSync(file) ? realpathSync(file) : file;
}

/** Throws `home-missing` where OpenClaw's state would be in the folder that happens to be the current one. */
export function checkHome(env: NodeJS.ProcessEnv = process.env): void {
  if (isHomeKnown(env)) return;
  throw pluginError("home-missing", {
    expected: "a home for OpenClaw's state in HOME, OPENCLAW_HOME or OPENCLAW_STATE_DIR",
    found: `HOME empty, for which OpenClaw takes the current folder (${join(process.cwd(), ".openclaw")})`,
    todo: "Set HOME, or name the state directory in OPENCLAW_STATE_DIR. Nothing was changed.",
  });
}

/** Throws `config-read-only` where OpenClaw itself would not change its config. */
export function checkWritable(env: NodeJS.ProcessEnv = process.env): void {
  for (const name of ["OPENCLAW_NIX_MODE", "OPENCLAW_CONFIG_READONLY"]) {
    if (env[name] !== "1") continue;
    throw pluginError("config-read-only", {
      expected: "a config that OpenClaw may change",
      found: `${name}=1: the config is managed outside of OpenClaw`,
      todo: "Show the changes with --dry-run and make them there; nothing was changed.",
    });
  }
}
