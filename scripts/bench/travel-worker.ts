/**
 * Measures moves and rewinds in one process of the real OpenClaw 2026.9.6; its store is named by the environment. Told
 * by its parent: where OpenClaw's `dist` is, how many entries, how many rounds.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Run } from "../../src/guard/recovery/run.ts";
import type { GuardedSession } from "../../src/guard/openclaw/session.ts";
import { Traveller } from "../../src/guard/travel/travel.ts";
import type { TravellingManager } from "../../src/guard/travel/history.ts";
import { intentDetails } from "../../src/timetravel/index.ts";
import { isObject } from "../../src/transcript/json/json.ts";
import { importChunk } from "../../harness/openclaw/adapters/chunk.ts";
import { openRows } from "../../harness/openclaw/adapters/rows.ts";
import { entryId, toTranscript, type StoredMessage } from "../../harness/openclaw/transcript.ts";
import { USAGE as usage } from "../../harness/openclaw/samples.ts";
import type { TravelRound } from "./travel.ts";

interface Managers {
  readonly SessionManager: {
    openAsync(
      target: object,
      cwd: string,
      limits: object,
    ): Promise<TravellingManager & { appendMessage(message: unknown): string }>;
  };
}

interface Accessor {
  rewindSessionToMessage(given: {
    agentId: string;
    sessionKey: string;
    entryId: string;
  }): Promise<{ status: string; entry?: { sessionId: string } }>;
  waitForSessionTranscriptProjection(scope: { agentId: string; sessionKey: string; sessionId: string }): Promise<void>;
}

const [dist = "", entries = "10000", rounds = "7"] = process.argv.slice(2);
const SIZE = Number(entries);
const LIMITS = { maxBytes: 1_600_000, maxEvents: 10_000 };

/** Turns of four entries: a question, a call, its result, an answer. */
function messages(): StoredMessage[] {
  return Array.from({ length: SIZE }, (_, nth): StoredMessage => {
    const assistant = { role: "assistant", api: "anthropic-messages", provider: "p", model: "m", usage };
    const id = `toolu_${String(nth - (nth % 4)).padStart(24, "0")}`;
    if (nth % 4 === 0) return { role: "user", content: [{ type: "text", text: `question ${nth} ${"q".repeat(80)}` }] };
    if (nth % 4 === 1)
      return {
        ...assistant,
        stopReason: "toolUse",
        content: [{ type: "toolCall", id, name: "read", arguments: { path: "note.txt" } }],
      };
    if (nth % 4 === 2)
      return {
        role: "toolResult",
        toolCallId: id,
        toolName: "read",
        content: [{ type: "text", text: "r".repeat(120) }],
        isError: false,
      };
    return { ...assistant, stopReason: "stop", content: [{ type: "text", text: `answer ${nth} ${"a".repeat(80)}` }] };
  });
}

const rows = await openRows(dist);
const { resolveStorePath } = (await import(pathToFileURL(join(dist, "plugin-sdk/session-store-runtime.js")).href)) as {
  resolveStorePath(store: undefined, options: { agentId: string }): string;
};
const STORE = resolveStorePath(undefined, { agentId: "main" });
const { SessionManager } = (await import(pathToFileURL(join(dist, "plugin-sdk/agent-sessions.js")).href)) as Managers;
const { rewindSessionToMessage, waitForSessionTranscriptProjection } = await importChunk<Accessor>(
  dist,
  /^session-accessor-.*\.m?js$/,
  ["rewindSessionToMessage", "waitForSessionTranscriptProjection"],
);
const transcript = toTranscript(messages());

async function stored(name: string): Promise<{ id: string; key: string }> {
  const session = {
    id: `00000000-0000-4000-8000-${name.padStart(12, "0")}`,
    key: `agent:main:bench-${name}`,
    transcript,
    api: "anthropic-messages" as const,
  };
  await rows.store(session);
  return session;
}

/** The move of an agent that stands at the end of the session, as it is made between two model calls. */
async function move(name: string, back: number): Promise<number> {
  const { id, key } = await stored(name);
  const manager = await SessionManager.openAsync(
    { agentId: "main", sessionKey: key, sessionId: id, storePath: STORE },
    process.cwd(),
    LIMITS,
  );
  const session: GuardedSession = { agent: { state: { messages: [] } }, sessionManager: manager };
  const context = manager.buildSessionContext().messages.slice();
  const say = (message: object): void => {
    manager.appendMessage(message);
    context.push(message);
  };
  say({ role: "user", content: [{ type: "text", text: "the last question" }], timestamp: Date.now() });
  say({
    role: "assistant",
    api: "anthropic-messages",
    provider: "p",
    model: "m",
    usage,
    stopReason: "toolUse",
    timestamp: Date.now(),
    content: [{ type: "toolCall", id: "toolu_move", name: "tobe", arguments: {} }],
  });
  const traveller = new Traveller(
    session,
    { api: "anthropic-messages", sessionKey: key },
    new Run(session, {}),
    undefined,
  );
  traveller.asked();
  const started = performance.now();
  const { intent } = traveller.request(entryId("transcript", SIZE - back - 1), "a note");
  const asked = performance.now() - started;
  say({
    role: "toolResult",
    toolCallId: "toolu_move",
    toolName: "tobe",
    content: [{ type: "text", text: "soon" }],
    details: intentDetails(intent),
    isError: false,
    timestamp: Date.now(),
  });
  const boundary = performance.now();
  const next = await traveller.atBoundary(context, undefined);
  const took = asked + performance.now() - boundary;
  const leaf = manager.getBranch().filter(isObject).at(-1);
  if (next === undefined || leaf?.customType !== "openclaw-integrity:carryover")
    throw new Error(`expected a move of ${back} entries, found none`);
  return took;
}

/**
 * OpenClaw's own rewind to the question at that place; and until the copy can be read, which its job behind the commit
 * has to index.
 */
async function rewind(name: string, back: number): Promise<Pick<TravelRound, "rewindMs" | "readableMs">> {
  const { key } = await stored(name);
  const started = performance.now();
  const { status, entry } = await rewindSessionToMessage({
    agentId: "main",
    sessionKey: key,
    entryId: entryId("transcript", SIZE - back),
  });
  const rewindMs = performance.now() - started;
  if (status !== "created" || entry === undefined)
    throw new Error(`expected OpenClaw's rewind to be done, found ${status}`);
  await waitForSessionTranscriptProjection({ agentId: "main", sessionKey: key, sessionId: entry.sessionId });
  return { rewindMs, readableMs: performance.now() - started };
}

console.warn = () => undefined;
const measured: TravelRound[] = [];
let session = 0;
for (let round = -1; round < Number(rounds); round++) {
  for (const back of [4, 400, 4000]) {
    const moveMs = await move(String(++session), back);
    const rewound = await rewind(String(++session), back);
    if (round >= 0) measured.push({ back, moveMs, ...rewound });
  }
}
process.send?.(measured, () => process.disconnect());
