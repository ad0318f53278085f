/** The half of the canary that asks the guard of this very process. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describeError } from "../../base/coded-error.ts";
import { readJsonObject } from "../../base/read-json-object.ts";
import { findLoaded, type LoadedGuard } from "../../guard/base/loaded.ts";
import { GUARD_FILE } from "../../patching/base/guard-file.ts";
import { SESSIONS } from "../../prove/sessions/sessions.ts";
import { TRIAL_SESSION } from "./trial.ts";

const API = "anthropic-messages";
const BODY = {
  model: "claude-x",
  max_tokens: 1,
  messages: [
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01Canary", content: "9 files." }] },
    { role: "assistant", content: [{ type: "text", text: "Nine files." }] },
    { role: "user", content: "And folders?" },
  ],
};

/**
 * Has the guard that this process uses repair a corrupt history and a corrupt request. Returns what is wrong; undefined
 * when both came out valid. Rejects where the guard cannot be asked.
 */
export async function tryLoadedGuard(root: string): Promise<string | undefined> {
  let guard: LoadedGuard | undefined;
  try {
    const { href } = pathToFileURL(join(realpathSync(root), GUARD_FILE));
    if (findLoaded(href) === undefined && !loadsAtStart(root)) await import(href);
    guard = findLoaded(href);
  } catch (error) {
    return `the guard cannot be loaded (${describeError(error)})`;
  }
  if (guard === undefined) throw new Error("its guard is of another version, and cannot be asked");
  const { check, heal, prepare, validate } = guard;
  // A turn of the event loop for each: the gateway answers in between.
  await nextTurn();
  const messages = [...(SESSIONS.find(({ id }) => id === TRIAL_SESSION)?.messages ?? [])];
  if (validate(messages).length === 0 || validate(prepare(API, messages)).length > 0)
    return "the guard leaves a corrupt history as it is";
  await nextTurn();
  return check(API, BODY).length === 0 || check(API, heal(API, BODY)).length > 0
    ? "the guard leaves a corrupt request as it is"
    : undefined;
}

/**
 * Whether a release loads the guard at its start: those of August 2026 and later, which copy themselves for what a plugin
 * imports. Others do at their first turn, and then get the one that is loaded here.
 */
function loadsAtStart(root: string): boolean {
  const exported = readJsonObject(join(root, "package.json"))?.exports;
  return typeof exported === "object" && exported !== null && "./plugin-sdk/agent-sessions" in exported;
}
