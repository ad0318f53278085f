import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { user } from "../../../harness/messages.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { journalFile } from "../../journal/index.ts";
import type { GuardedSession } from "../openclaw/session.ts";

const WEEK_MS = 7 * 24 * 3_600_000;
const MODEL = { api: "anthropic-messages", provider: "anthropic", id: "m", contextWindow: 200_000 };
const says = (text: string, tokens = 0) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  stopReason: "stop",
  usage: { input: tokens, cacheRead: 0, cacheWrite: 0, output: 1 },
});
/** A conversation of so many turns, of some 4,900 characters each. */
const talk = (turns: number): object[] => [
  ...Array.from({ length: turns }, (_, nth) => [user(`Q${nth} ${"heron ".repeat(800)}`), says(`A${nth}`)]).flat(),
  user("the newest question"),
];
const jsonLength = (messages: unknown): number => JSON.stringify(messages).length;

let home: string;
let serial = 0;
/** How many tokens the provider takes, and how many characters one has there. */
let provider: { limit: number; perToken: number; words?: string };
beforeEach(() => {
  home = newFolder();
  provider = { limit: 12_500, perToken: 4 };
  vi.stubEnv("OPENCLAW_STATE_DIR", home);
  vi.stubEnv("OPENCLAW_INTEGRITY_SEARCH", "off");
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const SUMMARY = { point: "compaction-history-gate" };

/** A started OpenClaw: another one has no memory but the journal's. */
async function start() {
  vi.resetModules();
  const { guardSession } = await import("../gates.ts");
  return {
    /** Asks the provider in a run of its own; how large the requests were, and what came of them. */
    async ask(
      messages: unknown[],
      {
        sessionId = `window-${serial++}`,
        model = MODEL,
        point = "attempt-history-gate",
        more = {},
      }: { sessionId?: string; model?: object; point?: string; more?: object } = {},
    ) {
      const sent: number[] = [];
      const streamFn = (_model: unknown, context: { messages: unknown[] }) => {
        const size = jsonLength(context.messages);
        const tokens = Math.ceil(size / provider.perToken);
        sent.push(size);
        const errorMessage =
          tokens > provider.limit
            ? (provider.words ?? `400 prompt is too long: ${tokens} tokens > ${provider.limit} maximum`)
            : undefined;
        const message =
          errorMessage === undefined
            ? says("ok", tokens)
            : { ...says(""), content: [], stopReason: "error", errorMessage };
        const last =
          errorMessage === undefined
            ? { type: "done", reason: "stop", message }
            : { type: "error", reason: "error", error: message };
        return {
          async *[Symbol.asyncIterator]() {
            yield { type: "start", partial: says("") };
            yield last;
          },
          result: async () => message,
        };
      };
      const agent = { state: { messages, model }, streamFn, ...more };
      const guarded = { agent } as unknown as GuardedSession;
      guardSession(guarded, { api: "anthropic-messages", sessionId, point });
      const stream = guarded.agent.streamFn!(agent.state.model, { messages }) as AsyncIterable<object> & {
        result(): Promise<{ content: { text: string }[]; stopReason: string }>;
      };
      for await (const event of stream) void event;
      const { content, stopReason } = await stream.result();
      return { sent, words: content.map(({ text }) => text).join("\n"), stopReason, told: agent.state.model };
    },
  };
}

const learned = (): string[] => {
  const database = new DatabaseSync(journalFile(home), { readOnly: true });
  try {
    return database
      .prepare("SELECT what, value FROM learned ORDER BY what")
      .all()
      .map(({ what, value }) => `${String(what)} ${String(value)}`);
  } finally {
    database.close();
  }
};

describe("a limit that a refusal has named", () => {
  it("is heeded in the request for a summary of another session, so that it is not refused first", async () => {
    const openclaw = await start();
    await openclaw.ask(talk(30));
    const { sent, words } = await openclaw.ask(talk(30), SUMMARY);
    expect(sent).toHaveLength(1);
    expect(words).toBe("ok");
    expect(sent[0]).toBeLessThan(50_000);
    expect(sent[0]).toBeGreaterThan(25_000);
  });

  it("is not heeded where the request may be taken all the same, or OpenClaw can still make a summary", async () => {
    const openclaw = await start();
    await openclaw.ask(talk(30));
    const near = await openclaw.ask(talk(11), SUMMARY);
    expect(near.sent[0]).toBeGreaterThan(50_000);
    const turn = await openclaw.ask(talk(30));
    expect(turn.stopReason).toBe("error");
    expect(turn.sent).toHaveLength(1);
  });

  it("is heeded behind a restart, with the measured characters of a token, and not when the model declares another window", async () => {
    provider.perToken = 2;
    await (await start()).ask(talk(30));
    expect(learned().filter((fact) => !fact.startsWith("fitted"))).toEqual([
      expect.stringMatching(/^context_size \{.*"tokens":12500/),
      expect.stringMatching(/^token_size \{.*"hundredths":\d+,"declared":200000/),
    ]);
    expect((await (await start()).ask(talk(30), SUMMARY)).sent).toEqual([expect.any(Number)]);
    const larger = await (await start()).ask(talk(30), { ...SUMMARY, model: { ...MODEL, contextWindow: 300_000 } });
    expect(larger.sent).toHaveLength(2);
  });

  it("is forgotten when the route has taken more", async () => {
    const openclaw = await start();
    await openclaw.ask(talk(30));
    provider.limit = 100_000;
    const near = await openclaw.ask(talk(11));
    expect(near.sent).toHaveLength(1);
    expect(learned().some((fact) => fact.startsWith("context_size"))).toBe(false);
    expect((await openclaw.ask(talk(30))).sent[0]).toBeGreaterThan(140_000);
  });

  it("helps a later refusal that names no number", async () => {
    const openclaw = await start();
    await openclaw.ask(talk(30));
    provider.words = "400 Your input exceeds the context window of this model.";
    const { sent } = await openclaw.ask(talk(60), { model: { ...MODEL, contextWindow: 400_000 } });
    // Half of it would be too much again, and leave the session to a second try.
    expect(sent[0]).toBeGreaterThan(290_000);
    expect(sent).toHaveLength(1);
    const again = await openclaw.ask(talk(60), {
      model: { ...MODEL, contextWindow: 400_000 },
      sessionId: `window-${serial - 1}`,
    });
    expect(again.sent).toHaveLength(2);
    expect(again.sent[1]).toBeLessThan(50_000);
  });
});

describe("what a route takes of a session", () => {
  it("is known behind a restart: nothing is refused a second time, and the user is not told again", async () => {
    const sessionId = `window-${serial++}`;
    const openclaw = await start();
    await openclaw.ask(talk(30), { sessionId });
    const before = await openclaw.ask(talk(30), { sessionId });
    expect(before.words).toMatch(/larger than the model takes/);
    expect(before.sent).toHaveLength(2);
    const after = await (await start()).ask(talk(30), { sessionId });
    expect(after.sent).toEqual([before.sent[1]]);
    expect(after.words).toBe("ok");
    expect(learned().filter((fact) => fact.startsWith("fitted"))).toHaveLength(1);
    expect(learned().join()).not.toMatch(/heron|question/);
  });

  it.each<[what: string, change: () => void, model: object]>([
    ["after a week", () => vi.useFakeTimers({ now: Date.now() + WEEK_MS, toFake: ["Date"] }), MODEL],
    ["when the model declares another window", () => {}, { ...MODEL, contextWindow: 1_000_000 }],
    ["for another model", () => {}, { ...MODEL, id: "larger" }],
  ])("is forgotten %s", async (_what, change, model) => {
    const sessionId = `window-${serial++}`;
    const openclaw = await start();
    await openclaw.ask(talk(30), { sessionId });
    await openclaw.ask(talk(30), { sessionId });
    provider.limit = 1_000_000;
    change();
    expect((await (await start()).ask(talk(30), { sessionId, model })).sent[0]).toBeGreaterThan(90_000);
  });

  it("is forgotten when the route has taken a larger request of another session", async () => {
    const openclaw = await start();
    const sessionId = `window-${serial++}`;
    await openclaw.ask(talk(30), { sessionId });
    await openclaw.ask(talk(30), { sessionId });
    provider.limit = 1_000_000;
    await openclaw.ask(talk(11));
    expect((await openclaw.ask(talk(30), { sessionId })).sent[0]).toBeGreaterThan(90_000);
  });
});

describe("OpenClaw's own model", () => {
  const talkOf = 5;
  it("is a copy that declares the window that the route has named, for a run that can be compacted", async () => {
    provider = { limit: 40_000, perToken: 0.5 };
    const openclaw = await start();
    await openclaw.ask(talk(7));
    const { told } = await openclaw.ask(talk(talkOf));
    expect(told).toEqual({ ...MODEL, contextWindow: 50_000 });
    expect(MODEL.contextWindow).toBe(200_000);
    const again = await (await start()).ask(talk(talkOf), { model: { ...MODEL, contextWindow: 45_000 } });
    expect(again.told).toEqual({ ...MODEL, contextWindow: 45_000 });
  });

  it("stays as it is where a window is so small that each turn would be compacted", async () => {
    provider = { limit: 20_000, perToken: 0.5 };
    await (await start()).ask(talk(7));
    expect((await (await start()).ask(talk(talkOf))).told).toBe(MODEL);
  });
});

it("of a route that has refused nothing for its size nothing is written", async () => {
  provider.limit = 1_000_000;
  const openclaw = await start();
  for (let nth = 0; nth < 40; nth++) await openclaw.ask(talk(3));
  const { hasJournal, withJournal } = await import("../base/journal.ts");
  expect(hasJournal() ? withJournal(({ learned: facts }) => facts.list("route")) : []).toEqual([]);
});
