/**
 * What the guard does within a run when nothing else can be done, in a process of its own: `reset-rows.ts <package>
 * <session key>
 * <session id> [<events>]`, with OPENCLAW_STATE_DIR set. With a number of events the session is loaded in part, as in a
 * run.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sessionMemory } from "../../src/guard/base/memory.ts";
import { resetSession } from "../../src/guard/recovery/reset-session.ts";
import type { GuardedSession } from "../../src/guard/openclaw/session.ts";

type Manager = NonNullable<GuardedSession["sessionManager"]>;

const [root = "", sessionKey = "", sessionId = "", events] = process.argv.slice(2);
const find = createRequire(join(root, "package.json"));
const load = async (name: string): Promise<unknown> =>
  import(pathToFileURL(find.resolve(`openclaw/plugin-sdk/${name}`)).href);
const { SessionManager } = (await load("agent-sessions")) as {
  SessionManager: { open(target: object, cwd?: string, limits?: { maxBytes: number; maxEvents: number }): Manager };
};
const { resolveStorePath } = (await load("session-store-runtime")) as {
  resolveStorePath(store: undefined, options: object): string;
};
const target = { agentId: "main", sessionKey, sessionId, storePath: resolveStorePath(undefined, { agentId: "main" }) };
const limits = events === undefined ? undefined : { maxBytes: 1 << 22, maxEvents: Number(events) };
const sessionManager = SessionManager.open(target, undefined, limits);
const reset = resetSession(
  { agent: { state: {} }, sessionManager } as GuardedSession,
  { sessionId, sessionKey },
  sessionMemory(sessionId),
  [],
);
if (reset === undefined) throw new Error("The session could not be reset");
process.stdout.write(`\n${reset.archive}`, () => process.exit());
