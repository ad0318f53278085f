import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { result, user } from "../../harness/messages.ts";
import { newFolder } from "../../harness/temporary.ts";
import { routeName } from "../recovery/route-name.ts";
import { LEFT_OUT_PART } from "../recovery/words.ts";
import { sessionMemory } from "./base/memory.ts";
import { guardHistory, guardSession } from "./gates.ts";
import type { GuardedSession } from "./openclaw/session.ts";

const MODEL = { api: "anthropic-messages", provider: "anthropic", id: "m" };
const says = (text: string, more: object = {}) => ({
  role: "assistant",
  api: MODEL.api,
  provider: MODEL.provider,
  model: MODEL.id,
  content: [{ type: "text", text }],
  stopReason: "stop",
  usage: { output: 1, cost: {} },
  ...more,
});
const calls = (id: string) =>
  says("", { content: [{ type: "toolCall", id, name: "read", arguments: { path: id } }], stopReason: "toolUse" });
const timed = (messages: readonly object[], from = 1000): object[] =>
  messages.map((message, at) => ({ timestamp: from + at, ...message }));
const UNKNOWN = "400 The frobnicator is displeased.";
const FILTERED = "Output blocked by content filtering policy";

/** Forty messages, each with its own word. */
const HISTORY = timed(
  Array.from({ length: 10 }, (_, nth) => [
    user(`WORD-${nth}a.`),
    calls(`toolu_${nth}`),
    result(`toolu_${nth}`, `WORD-${nth}b.`),
    says(`WORD-${nth}c.`),
  ]).flat(),
);
const WORDS = JSON.stringify(HISTORY).match(/WORD-\d[abc]\./g) ?? [];

interface Asked {
  said: string;
  options: { maxTokens?: number; reasoning?: unknown; signal?: AbortSignal };
}

/** A conversation with a provider that refuses what `isRefused` says, in its words. */
class Conversation {
  readonly asked: Asked[] = [];
  readonly sessionId: string;
  messages: object[];
  isRefused: (said: string, messages: unknown[]) => boolean;
  words: string;
  release = "2026.2.3";
  readonly appendResetBoundary = vi.fn(() => "boundary");
  #end: ((event: unknown) => unknown)[] = [];
  #turns = 0;

  constructor(sessionId: string, isRefused: Conversation["isRefused"], words = UNKNOWN, messages = HISTORY) {
    this.sessionId = sessionId;
    this.isRefused = isRefused;
    this.words = words;
    this.messages = messages;
  }

  /** Asks one question; returns what the person reads. */
  async turn(question: string, model: object = MODEL): Promise<string> {
    this.#turns++;
    const before = [...this.messages, { ...user(question), timestamp: 5000 + this.#turns * 10 }];
    const context = { api: MODEL.api, sessionId: this.sessionId, release: this.release, point: "attempt-history-gate" };
    this.#end = [];
    const guarded = {
      agent: {
        state: { messages: before },
        streamFn: (_model: unknown, given: unknown, options: unknown) => this.#answer(given, options),
        subscribe: (listener: (event: unknown) => unknown) => this.#end.push(listener),
      },
      sessionManager: {
        resetLeaf: vi.fn(),
        appendResetBoundary: this.appendResetBoundary,
        appendCustomMessageEntry: vi.fn(),
        getBranch: () => [{ type: "message", id: "leaf", message: user("a") }],
      },
    } as unknown as GuardedSession;
    await guardHistory(guarded, context);
    guardSession(guarded, context);
    const given = { messages: guarded.agent.state!.messages };
    const stream = (await guarded.agent.streamFn!(model, given, { reasoning: "high" })) as AsyncIterable<unknown> & {
      result(): Promise<object>;
    };
    const events = stream[Symbol.asyncIterator]();
    while ((await events.next()).done !== true);
    const message = await stream.result();
    this.messages = [...before, { ...message, timestamp: 5001 + this.#turns * 10 }];
    for (const listener of this.#end) listener({ type: "agent_end" });
    return JSON.stringify(message);
  }

  /** Lets what goes on behind a turn come to its end. */
  async rest(): Promise<Asked[]> {
    const before = this.asked.length;
    await vi.advanceTimersByTimeAsync(5000);
    for (let wait = 0; wait < 50; wait++) await new Promise((resolve) => setImmediate(resolve));
    return this.asked.slice(before);
  }

  #answer(given: unknown, options: unknown): unknown {
    const { messages } = given as { messages: unknown[] };
    const said = JSON.stringify(messages);
    this.asked.push({ said, options: options as Asked["options"] });
    const message = this.isRefused(said, messages)
      ? says("", { content: [], stopReason: "error", errorMessage: this.words })
      : says("well");
    const event =
      message.stopReason === "error"
        ? { type: "error", reason: "error", error: message }
        : { type: "done", reason: "stop", message };
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial: message };
        yield event;
      },
      result: async () => message,
    };
  }
}

let serial = 0;
const talk = (isRefused: Conversation["isRefused"], words?: string): Conversation =>
  new Conversation(`search-${serial++}`, isRefused, words);
const holds =
  (word: string) =>
  (said: string): boolean =>
    said.includes(word);

beforeEach(() => {
  vi.stubEnv("OPENCLAW_STATE_DIR", newFolder());
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("a history with one part that a provider refuses in unknown words", () => {
  it.each(["WORD-0a.", "WORD-4b.", "WORD-9c."])(
    "is answered in each turn, the part is found behind the first one, and all else is back in the second: %s",
    async (word) => {
      const conversation = talk(holds(word));
      expect(await conversation.turn("first?")).toMatch(/well.*takes your last message/);
      expect(conversation.asked.length).toBeLessThanOrEqual(3);
      const probes = await conversation.rest();
      expect(probes.length).toBeGreaterThan(0);
      expect(probes.length).toBeLessThanOrEqual(8);
      for (const { options } of probes) {
        expect(options.maxTokens).toBe(1);
        expect(options.reasoning).toBeUndefined();
      }
      const sizes = probes.reduce((sum, { said }) => sum + said.length, 0);
      expect(sizes).toBeLessThan(3 * JSON.stringify(HISTORY).length);
      conversation.asked.length = 0;
      expect(await conversation.turn("second?")).toMatch(/well.*one part of this conversation, which was found/);
      expect(conversation.asked).toHaveLength(1);
      const missing = WORDS.filter((each) => !conversation.asked[0]!.said.includes(each));
      expect(missing).toContain(word);
      expect(missing.length).toBeLessThanOrEqual(2);
      expect(await conversation.turn("third?")).not.toContain("[The provider");
      expect(conversation.asked).toHaveLength(2);
      // Another route is sent everything.
      conversation.isRefused = () => false;
      await conversation.turn("elsewhere?", { ...MODEL, provider: "other" });
      for (const each of WORDS) expect(conversation.asked.at(-1)!.said).toContain(each);
    },
  );

  it("is left out alone in the end, of 96 messages with two results to each call: behind answers the search goes on", async () => {
    const messages = timed(
      Array.from({ length: 24 }, (_, nth) => {
        const ids = [`toolu_${nth}x`, `toolu_${nth}y`];
        const both = ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: id } }));
        return [
          user(`WORD-${nth}a.`),
          says("", { content: both, stopReason: "toolUse" }),
          ...ids.map((id) => result(id, `WORD-${id.slice(6)}.`)),
          says(`WORD-${nth}c.`),
        ];
      }).flat(),
    );
    const words = JSON.stringify(messages).match(/WORD-\d+[acxy]\./g)!;
    const conversation = new Conversation(`search-${serial++}`, holds("WORD-17y."), UNKNOWN, messages);
    const said: string[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const isElsewhere = turn === 1;
      conversation.isRefused = isElsewhere ? () => false : holds("WORD-17y.");
      said.push(await conversation.turn(`turn ${turn}?`, isElsewhere ? { ...MODEL, provider: "other" } : MODEL));
      await conversation.rest();
    }
    // Once, by the route that refuses it.
    expect(said.map((heard) => /well.*part of this conversation, which was found/.test(heard))).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
    conversation.asked.length = 0;
    await conversation.turn("last?");
    expect(words.filter((word) => !conversation.asked[0]!.said.includes(word))).toEqual(["WORD-17y."]);
    expect(await conversation.rest()).toEqual([]);
  });

  it("is searched only while no turn runs, and goes on behind the next one", async () => {
    const conversation = talk(holds("WORD-4b."));
    await conversation.turn("first?");
    await vi.advanceTimersByTimeAsync(900);
    const before = conversation.asked.length;
    expect(await conversation.turn("at once?")).toContain("well");
    expect(conversation.asked.slice(before).every(({ options }) => options.maxTokens === undefined)).toBe(true);
    expect((await conversation.rest()).length).toBeGreaterThan(0);
    conversation.asked.length = 0;
    await conversation.turn("third?");
    expect(conversation.asked).toHaveLength(1);
  });

  it("is found before the end of the answer where the release ends every request with its run", async () => {
    const conversation = talk(holds("WORD-4b."));
    conversation.release = "2026.9.6";
    expect(await conversation.turn("first?")).toMatch(/well.*takes your last message/);
    const probes = conversation.asked.filter(({ options }) => options.maxTokens === 1);
    expect(probes.length).toBeGreaterThan(0);
    expect(probes.length).toBeLessThanOrEqual(8);
    expect(await conversation.rest()).toEqual([]);
    conversation.asked.length = 0;
    expect(await conversation.turn("second?")).toContain("well");
    expect(conversation.asked).toHaveLength(1);
    expect(conversation.asked[0]!.said).toContain("WORD-4c.");
  });

  it("is not searched where that is turned off, and answered all the same", async () => {
    vi.stubEnv("OPENCLAW_INTEGRITY_SEARCH", "off");
    const conversation = talk(holds("WORD-4b."));
    for (const question of ["first?", "second?"]) expect(await conversation.turn(question)).toContain("well");
    expect(await conversation.rest()).toEqual([]);
  });

  it("is not asked about again by a process that comes later", async () => {
    const conversation = talk(holds("WORD-4b."));
    await conversation.turn("first?");
    await conversation.rest();
    // The memory of a process has room for so many.
    for (let other = 0; other < 600; other++) sessionMemory(`other-${other}`);
    conversation.asked.length = 0;
    await conversation.turn("second?");
    expect(conversation.asked).toHaveLength(1);
    expect(conversation.asked[0]!.said).toContain("WORD-4c.");
    expect(conversation.asked[0]!.said).not.toContain("WORD-4b.");
  });

  it("in two places needs a search for each, and is never put aside for that", async () => {
    const conversation = talk((said) => said.includes("WORD-0a.") || said.includes("WORD-9c."));
    for (let turn = 0; turn < 8; turn++) {
      expect(await conversation.turn(`turn ${turn}?`)).toContain("well");
      await conversation.rest();
      vi.setSystemTime(Date.now() + 3 * 3_600_000);
    }
    conversation.asked.length = 0;
    await conversation.turn("last?");
    expect(conversation.asked).toHaveLength(1);
    expect(WORDS.filter((word) => !conversation.asked[0]!.said.includes(word)).length).toBeLessThanOrEqual(4);
    expect(conversation.appendResetBoundary).not.toHaveBeenCalled();
  });
});

describe("a content filter that refuses an old message", () => {
  it("has the innocent newest ones blamed for nothing: the old one is found, and left out for that model alone", async () => {
    const conversation = talk(holds("WORD-4b."), FILTERED);
    expect(await conversation.turn("first?")).toMatch(/well.*content filter refuses the conversation so far/);
    expect((await conversation.rest()).length).toBeLessThanOrEqual(8);
    conversation.asked.length = 0;
    expect(await conversation.turn("second?")).toContain("well");
    expect(conversation.asked).toHaveLength(1);
    const { said } = conversation.asked[0]!;
    expect(WORDS.filter((word) => !said.includes(word))).toEqual(["WORD-4b."]);
    for (const question of ["first?", "second?"]) expect(said).toContain(question);
    // The compaction of the same session leaves the part out too.
    const { refusedParts } = sessionMemory(conversation.sessionId);
    expect(refusedParts).toMatchObject([{ route: routeName(MODEL) }]);
  });
});

describe("a refusal in words about something else", () => {
  it("is answered too, and costs no more where every request is refused so", async () => {
    const conversation = talk(holds("WORD-4b."), "400 temperature is unsupported here");
    expect(await conversation.turn("first?")).toMatch(/well.*takes your last message/);
    await conversation.rest();
    conversation.asked.length = 0;
    await conversation.turn("second?");
    expect(conversation.asked).toHaveLength(1);
    conversation.isRefused = () => true;
    conversation.asked.length = 0;
    expect(await conversation.turn("third?")).toContain("400 temperature is unsupported here");
    expect(conversation.asked).toHaveLength(3);
  });
});

describe("a server error that a history causes", () => {
  it("is told from load by coming again: the last words are answered, and the part is found", async () => {
    const conversation = talk(holds("WORD-4b."), "500 template error at token 1234");
    expect(await conversation.turn("first?")).toContain("500 template error");
    expect(conversation.asked).toHaveLength(1);
    expect(await conversation.turn("first again?")).toMatch(/well.*takes your last message/);
    await conversation.rest();
    conversation.asked.length = 0;
    await conversation.turn("second?");
    expect(conversation.asked).toHaveLength(1);
    expect(conversation.asked[0]!.said).toContain("WORD-4c.");
  });

  it("that is load blames nothing: what was refused is taken when it is asked about again", async () => {
    let failures = 2;
    const conversation = talk(() => failures-- > 0, "500 internal error");
    await conversation.turn("first?");
    await conversation.turn("second?");
    await conversation.rest();
    await conversation.turn("third?");
    for (const word of WORDS) expect(conversation.asked.at(-1)!.said).toContain(word);
  });
});

describe("a provider that takes no half of a history", () => {
  it("leaves it stored until two searches hours apart have shown so", async () => {
    const conversation = talk((said, { length }) => length > 1 || said.includes(LEFT_OUT_PART));
    for (let hour = 0; hour < 3; hour++) {
      expect(await conversation.turn(`hour ${hour}?`)).toContain("well");
      await conversation.rest();
      vi.setSystemTime(Date.now() + 3_600_000);
      expect(conversation.appendResetBoundary).not.toHaveBeenCalled();
    }
    expect(await conversation.turn("last?")).toMatch(/started anew/);
    expect(conversation.appendResetBoundary).toHaveBeenCalledTimes(1);
  });
});
