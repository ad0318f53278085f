/**
 * Entry of the process that stores sessions through the session manager that OpenClaw offers its plugins. It runs in
 * the environment of the proof's OpenClaw. Prints one line of JSON: `{ "stored": true }`, or why nothing was stored.
 */
import { existsSync, readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { JsonObject } from "../../transcript/json/json.ts";
import type { SeedRequest } from "./store.ts";

interface StoreModule {
  resolveStorePath?(store: undefined, options: { agentId: string }): string;
  upsertSessionEntry?(params: object): Promise<unknown>;
}

interface SessionsModule {
  SessionManager?: { open?(target: object): { appendMessage(message: JsonObject): string } };
}

const STDOUT = 1;

try {
  tell(await seed(JSON.parse(readFileSync(process.argv[2]!, "utf8")) as SeedRequest));
} catch (error) {
  tell({ stored: false, reason: error instanceof Error ? error.message : String(error) });
}
// OpenClaw leaves workers and timers behind that would keep this process alive.
process.exit(0);

async function seed({ root, agentId, database, sessions }: SeedRequest): Promise<object> {
  const load = createRequire(join(root, "package.json"));
  const { resolveStorePath, upsertSessionEntry } = load("openclaw/plugin-sdk/session-store-runtime") as StoreModule;
  const { SessionManager } = load("openclaw/plugin-sdk/agent-sessions") as SessionsModule;
  if (!resolveStorePath || !upsertSessionEntry || !SessionManager?.open)
    return { stored: false, reason: "it offers plugins no access to its sessions" };
  const storePath = resolveStorePath(undefined, { agentId });
  for (const { key, sessionId, messages } of sessions) {
    const now = Date.now();
    const entry = { sessionId, updatedAt: now, sessionStartedAt: now };
    await upsertSessionEntry({ agentId, sessionKey: key, storePath, entry });
    const session = SessionManager.open({ agentId, sessionKey: key, sessionId, storePath });
    for (const message of messages) session.appendMessage(message);
  }
  if (existsSync(database)) return { stored: true };
  return { stored: false, reason: "its session manager wrote no database" };
}

function tell(line: object): void {
  writeSync(STDOUT, `\n${JSON.stringify(line)}\n`);
}
