/** OpenClaw's state directory, resolved as OpenClaw resolves it. */
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

// Releases of early 2026 keep using a folder of an older name while there is no .openclaw: creating one would hide it.
const OLDER_NAMES = [".clawdbot", ".moltbot", ".moldbot"];

/** The folder of OpenClaw's state: OPENCLAW_STATE_DIR, else .openclaw (or an older name) in OPENCLAW_HOME or HOME. */
export function stateDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const userHome = named(env["HOME"]) ?? named(env["USERPROFILE"]) ?? homedir();
  const home = expand(named(env["OPENCLAW_HOME"]) ?? userHome, userHome);
  const override = named(env["OPENCLAW_STATE_DIR"]) ?? named(env["CLAWDBOT_STATE_DIR"]);
  if (override !== undefined) return expand(override, home);
  const current = join(home, ".openclaw");
  if (existsSync(current)) return current;
  return OLDER_NAMES.map((name) => join(home, name)).find((folder) => existsSync(folder)) ?? current;
}

/** The ids of agents that have a folder in a state directory. */
export function agentsIn(state: string): readonly string[] {
  const folder = join(state, "agents");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function named(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  // Like OpenClaw, treats these two words, which templates leave behind, as no value.
  return trimmed === undefined || ["", "undefined", "null"].includes(trimmed) ? undefined : trimmed;
}

function expand(path: string, home: string): string {
  return resolve(path.replace(/^~(?=$|[\\/])/, () => home));
}
