/** Where OpenClaw's config lies, and whether it is OpenClaw's to change. */
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { stateDirectory } from "../../store/state-directory.ts";
import { pluginError } from "./errors.ts";

// The second one is read as long as there is no openclaw.json.
const NAMES = ["openclaw.json", "clawdbot.json"];

/** The file that OpenClaw reads its config from; it need not be there. */
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

/** Throws `config-read-only` where OpenClaw itself would not change its config. Issue 6, item 6. */
export function checkWritable(env: NodeJS.ProcessEnv = process.env): void {
  for (const name of ["OPENCLAW_NIX_MODE", "OPENCLAW_CONFIG_READONLY"]) {
    if (env[name] !== "1") continue;
    throw pluginError("config-read-only", {
      expected: "a config that OpenClaw may change",
      found: `${name}=1, which says that something else writes it`,
      todo: "See what is to be changed with --dry-run and change it there; nothing was changed.",
    });
  }
}
