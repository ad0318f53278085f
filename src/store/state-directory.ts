/** OpenClaw's state directory, resolved as OpenClaw resolves it. */
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileTrouble } from "../base/file-trouble.ts";
import { isThere } from "../base/is-there.ts";
import { joinSome } from "../base/join-some.ts";
import { describeError, storeError, StoreError } from "./errors.ts";

// Releases of early 2026 keep using a folder of an older name while there is no .openclaw: creating one would hide it.
const MAX_NAMED = 10;
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

/**
 * Whether the environment or the system names a folder for OpenClaw's state. Where none does (an empty HOME), OpenClaw
 * takes the current folder.
 */
export function isHomeKnown(env: NodeJS.ProcessEnv = process.env): boolean {
  const names = ["OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR", "OPENCLAW_HOME", "HOME", "USERPROFILE"];
  return names.some((name) => named(env[name]) !== undefined) || named(homedir()) !== undefined;
}

/**
 * Throws unless this is a state directory that can be read, and has this agent: `state-missing`, `agent-missing`,
 * `store-unreadable`. What could not be looked at is not "no sessions".
 */
export function assertState(state: string, agentId?: string): void {
  const agents = unlessUnreadable(state, () => {
    const found = statSync(state, { throwIfNoEntry: false });
    if (!found?.isDirectory())
      throw storeError("state-missing", {
        expected: `OpenClaw's state directory ${state}`,
        found: found === undefined ? "no such folder" : "a file",
        todo:
          "Name it with OPENCLAW_STATE_DIR, or run it as the user OpenClaw runs as. " +
          "OpenClaw creates it when it is set up.",
      });
    accessSync(state, constants.R_OK | constants.X_OK);
    return agentsIn(state);
  });
  // A path is no agent; OpenClaw's ids are plain names.
  if (agentId === undefined || agents.includes(agentId)) return;
  throw storeError("agent-missing", {
    expected: `an agent ${agentId} in ${state}`,
    found: agents.length === 0 ? "no agent" : joinSome(agents, MAX_NAMED),
    todo: "Correct --agent, or name another state directory with OPENCLAW_STATE_DIR.",
  });
}

function unlessUnreadable<Value>(state: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw storeError("store-unreadable", {
      expected: `to read OpenClaw's state directory ${state}`,
      found: fileTrouble(error)?.found ?? describeError(error),
      todo: `${fileTrouble(error)?.todo ?? ""} Nothing was changed.`.trimStart(),
      cause: error,
    });
  }
}

/** The ids of agents that have a folder in a state directory. */
export function agentsIn(state: string): readonly string[] {
  const folder = join(state, "agents");
  if (!isThere(folder)) return [];
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
