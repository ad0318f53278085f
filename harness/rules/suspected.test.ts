import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { guardSession } from "../../src/guard/gates.ts";
import type { GuardedSession } from "../../src/guard/openclaw/session.ts";
import { classify } from "../../src/recovery/errors/classify.ts";
import { check, heal } from "../../src/wire/index.ts";
import type { Adapter } from "../adapters/adapter.ts";
import { installedAdapters } from "../adapters/installed.ts";
import type { Model } from "../adapters/targets.ts";
import { toWire } from "../adapters/wire.ts";
import { newFolder } from "../temporary.ts";
import type { Json, SuspectedCard } from "./card.ts";
import { SUSPECTED } from "./index.ts";

const adapters = await installedAdapters();
const PAIRS = SUSPECTED.flatMap((card) =>
  adapters
    .filter(({ apis }) => apis.includes(card.api))
    .map((adapter) => ({ id: card.id, card, adapter, name: adapter.name })),
);
/** The cards that were refused from an adapter; not every one sends what they refuse. */
const refused = new Set<string>();

const readHistory = (body: Json): Json[] => (body["messages"] ?? body["input"] ?? body["contents"]) as Json[];
const FAILED = (card: SuspectedCard): string =>
  card.api === "bedrock-converse-stream" ? `ValidationException: ${card.error}` : `400 ${card.error}`;

/** A session of the guard whose adapter is the real one, at a server of nobody's known with this rule. */
function openSession(card: SuspectedCard, adapter: Adapter, model: Model) {
  const bodies: Json[] = [];
  const taken: boolean[] = [];
  const says = { role: "assistant", api: card.api, provider: model.provider, model: model.id, usage: { output: 1 } };
  const streamFn = async (
    _model: unknown,
    context: { messages: unknown[] },
    options?: { onPayload?: (body: Json) => Json | undefined },
  ): Promise<object> => {
    const built = await adapter.build(model, context.messages);
    const body = toWire(card.api, options?.onPayload?.(built) ?? built);
    bodies.push(body);
    taken.push(!card.refuses(readHistory(body)));
    const end = !taken.at(-1)
      ? {
          type: "error",
          reason: "error",
          error: { ...says, content: [], stopReason: "error", errorMessage: FAILED(card) },
        }
      : {
          type: "done",
          reason: "stop",
          message: { ...says, content: [{ type: "text", text: "ok" }], stopReason: "stop" },
        };
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial: { ...says, content: [] } };
        yield end;
      },
      result: async () => end.message ?? end.error,
    };
  };
  const agent = { state: { messages: [] }, streamFn, followUp: () => {} };
  return { bodies, taken, session: { agent } as unknown as GuardedSession };
}

async function ask(session: GuardedSession, model: Model, messages: readonly unknown[]): Promise<string> {
  const stream = (await session.agent.streamFn!(model, { messages: [...messages] }, {})) as AsyncIterable<Json>;
  let last: Json = {};
  for await (const event of stream) last = event;
  return String(last["type"]);
}

let serial = 0;

beforeEach(() => {
  vi.stubEnv("OPENCLAW_STATE_DIR", newFolder());
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe.each(PAIRS)("$id, with the adapter of $name", ({ id, card, adapter }) => {
  const { api, problem } = card;
  const model: Model = {
    id: card.model,
    name: card.model,
    api,
    provider: "compatible",
    baseUrl: "http://127.0.0.1:9/v1",
    reasoning: false,
    input: ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 200_000,
    maxTokens: 8192,
  };
  const messages: Json[] = card.messages.map((message, at) => ({
    ...message,
    timestamp: 1000 + at,
    ...(message["role"] === "assistant" && { api, provider: model.provider, model: model.id }),
  }));

  it("is sent as it is, answered after one refusal, nothing lost, and not refused again", async () => {
    expect(classify({ text: FAILED(card) })).toMatchObject({ kind: "history", problem });
    const sessionId = `suspected-${serial++}`;
    const { bodies, taken, session } = openSession(card, adapter, model);
    guardSession(session, { api, sessionId, point: "attempt-history-gate" });
    expect(await ask(session, model, messages)).toBe("done");
    if (taken[0]) return;
    refused.add(id);
    expect(taken).toEqual([false, true]);
    const [first, second] = bodies as [Json, Json];
    expect(check(api, first, { model: model.id })).toEqual([]);
    expect(heal(api, first, { model: model.id })).toBe(first);
    const marks = JSON.stringify(messages).match(/[\w. ]+ end/g)!;
    for (const mark of marks) expect(JSON.stringify(second)).toContain(mark);

    // A later turn of the same session, in another run.
    guardSession(session, { api, sessionId, point: "attempt-history-gate" });
    const later = [
      ...messages,
      {
        ...messages.findLast(({ role }) => role === "assistant"),
        content: [{ type: "text", text: "ok" }],
        stopReason: "stop",
        timestamp: 2000,
      },
      { role: "user", content: "and now?", timestamp: 2001 },
    ];
    expect(await ask(session, model, later)).toBe("done");
    expect(taken).toEqual([false, true, true]);
  });
});

it("each rule was broken by the body of one adapter at least", () => {
  expect(SUSPECTED.map(({ id }) => id).filter((id) => !refused.has(id))).toEqual([]);
});
