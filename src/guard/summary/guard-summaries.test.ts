import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CUT_OFF_OPENING, EXTRACT_OPENING } from "../../recovery/words.ts";
import { inputHash } from "../../journal/index.ts";
import { readOrigin } from "../../transcript/origin.ts";
import { withJournal } from "../base/journal.ts";
import { sessionMemory } from "../base/memory.ts";
import type { GuardContext, SessionManager } from "../openclaw/session.ts";
import type { EventStream } from "../openclaw/stream-events.ts";
import { Run } from "../recovery/run.ts";
import type { CompactingSession } from "./compaction.ts";
import { guardSummaries } from "./guard-summaries.ts";

/** What the model that is asked for a summary does with these messages: its words, or an error that is thrown. */
type Summarise = (given: readonly unknown[], signal: AbortSignal) => string | Promise<string>;

const GOOD = `## Goal\n${"they spoke of rivers. ".repeat(40)}`;
const PATH = Array.from({ length: 40 }, (_, nth) => ({
  type: "message",
  id: `e${nth}`,
  message: { role: nth % 2 === 0 ? "user" : "assistant", content: `WORD-${nth} ${"heron ".repeat(200)}` },
}));

const [EMIT, RUN, RUNNER] = ["_emit", "_runAutoCompaction", "_extensionRunner"] as const;

let serial = 0;

/** A session whose automatic compaction is that of the releases to 2026.4. */
class Session implements CompactingSession {
  readonly agent: CompactingSession["agent"] = { state: { messages: [] } };
  readonly entries: Record<string, unknown>[] = [];
  readonly heard: Record<string, unknown>[] = [];
  readonly given: number[] = [];
  leaving: unknown[] = PATH.slice(0, 38).map(({ message }) => message);
  readonly model = { contextWindow: 200_000 };
  controller = new AbortController();
  readonly sessionManager: SessionManager & { appendCompaction(...given: unknown[]): number } = {
    appendCompaction: (summary, firstKeptEntryId, tokensBefore, details) =>
      this.entries.push({ summary, firstKeptEntryId, tokensBefore, details }),
  };
  readonly #summarise: Summarise;
  declare [RUNNER]: { hasHandlers(name: string): boolean; emit(event: object): Promise<unknown> } | undefined;
  [RUN]?: unknown;

  constructor(summarise: Summarise) {
    this.#summarise = summarise;
    this[RUN] = this.run;
  }

  [EMIT](event: Record<string, unknown>): void {
    this.heard.push(event);
  }

  async run(reason: string): Promise<void> {
    this.controller = new AbortController();
    const { signal } = this.controller;
    this[EMIT]({ type: "auto_compaction_start", reason });
    const preparation = {
      firstKeptEntryId: "e38",
      tokensBefore: 9,
      messagesToSummarize: this.leaving.slice(),
    };
    try {
      let result: unknown;
      if (this[RUNNER]?.hasHandlers("session_before_compact")) {
        const event = { type: "session_before_compact", preparation, branchEntries: PATH, signal };
        result = ((await this[RUNNER].emit(event)) as { compaction?: unknown } | undefined)?.compaction;
      }
      if (!result) {
        this.given.push(JSON.stringify(preparation.messagesToSummarize).length);
        const summary = await this.#summarise(preparation.messagesToSummarize, signal);
        result = { summary, firstKeptEntryId: "e38", tokensBefore: 9, details: {} };
      }
      if (signal.aborted) {
        this[EMIT]({ type: "auto_compaction_end", aborted: true });
        return;
      }
      const { summary, firstKeptEntryId, tokensBefore, details } = result as Record<string, unknown>;
      this.sessionManager.appendCompaction(summary, firstKeptEntryId, tokensBefore, details);
      this[EMIT]({ type: "auto_compaction_end", result });
    } catch (error) {
      this[EMIT]({ type: "auto_compaction_end", errorMessage: `Auto-compaction failed: ${(error as Error).message}` });
    }
  }
}

/** A session whose compactions are those of the releases from 2026.6 on. */
class LaterSession implements CompactingSession {
  readonly agent: CompactingSession["agent"];
  readonly model = { contextWindow: 32_000 };
  readonly currentExtensionRunner = { hasHandlers: () => false, emit: () => undefined };
  readonly entries: Record<string, unknown>[] = [];
  readonly heard: Record<string, unknown>[] = [];
  keptTokens = 20_000;
  runCompactionWork?: unknown;
  runAutoCompaction?: unknown;
  readonly sessionManager = {
    getBranch: (): readonly unknown[] => this.entries,
    appendCompaction: (summary: unknown, firstKeptEntryId: unknown): unknown =>
      this.entries.push({ type: "compaction", id: `c${this.entries.length}`, summary, firstKeptEntryId }),
  };

  constructor(messages: readonly { role: string; content: string; stopReason?: string }[]) {
    this.agent = { state: { messages: messages.slice() } };
    messages.forEach((message, nth) => this.entries.push({ type: "message", id: `e${nth}`, message }));
    this.runCompactionWork = this.work;
    this.runAutoCompaction = this.auto;
  }

  emit(event: Record<string, unknown>): void {
    this.heard.push(event);
  }

  work({ settings }: { settings: { keepRecentTokens: number } }): Promise<unknown> {
    const path = this.sessionManager.getBranch() as Record<string, unknown>[];
    if (path.at(-1)?.type === "compaction") return Promise.reject(new Error("Already compacted"));
    this.keptTokens = settings.keepRecentTokens;
    this.sessionManager.appendCompaction(GOOD, path.at(-1)!.id);
    return Promise.resolve({ status: "compacted" });
  }

  compact(): Promise<unknown> {
    const work = this.runCompactionWork as (options: object) => Promise<unknown>;
    return work.call(this, { settings: { keepRecentTokens: 20_000, reserveTokens: 20_000 } });
  }

  async auto(_reason: string, willRetry: boolean): Promise<unknown> {
    await this.compact();
    this.emit({ type: "compaction_end", willRetry });
    return willRetry;
  }
}

function guardedLater(messages: readonly { role: string; content: string; stopReason?: string }[]) {
  const session = new LaterSession(messages);
  const context: GuardContext = { point: "compaction-history-gate", sessionId: `summary-${serial++}` };
  guardSummaries(session, context, new Run(session, context));
  return session;
}

function guarded(summarise: Summarise) {
  const session = new Session(summarise);
  const context: GuardContext = {
    point: "attempt-history-gate",
    sessionId: `summary-${serial++}`,
    release: "2026.2.3",
  };
  const run = new Run(session, context);
  guardSummaries(session, context, run);
  const compact = session[RUN] as (reason: string) => Promise<void>;
  return {
    session,
    run,
    sessionId: context.sessionId!,
    memory: sessionMemory(context.sessionId),
    compact: () => compact("threshold"),
  };
}

const fails = (message: string): Summarise => {
  return () => {
    throw new Error(`Summarization failed: ${message}`);
  };
};

const types = ({ heard }: Session): unknown[] => heard.map(({ type }) => type);

beforeEach(() => {
  vi.stubEnv("OPENCLAW_STATE_DIR", mkdtempSync(join(tmpdir(), "summaries-")));
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe("a compaction", () => {
  it("with a summary is as without the guard, and the session is given back as it was", async () => {
    const { session, memory, compact } = guarded(() => GOOD);
    await compact();
    expect(session.entries).toEqual([{ summary: GOOD, firstKeptEntryId: "e38", tokensBefore: 9, details: {} }]);
    expect(types(session)).toEqual(["auto_compaction_start", "auto_compaction_end"]);
    expect(session[RUNNER]).toBeUndefined();
    expect(Object.hasOwn(session, RUNNER)).toBe(false);
    expect(Object.hasOwn(session, EMIT)).toBe(false);
    expect(memory.extract).toBeUndefined();
  });

  it.each([
    ["filtered", fails("400 Output blocked by content filtering policy")],
    ["empty", () => "  \n"],
    ["a sentence", () => "I can't help with that."],
  ])("whose summary is %s ends with an extract, and its listeners see one end", async (_what, summarise) => {
    const { session, memory, compact } = guarded(summarise);
    await compact();
    expect(session.entries).toHaveLength(1);
    const { summary, details } = session.entries[0]!;
    expect(summary).toContain(EXTRACT_OPENING);
    expect(summary).toContain("WORD-0 ");
    expect(summary).not.toContain("WORD-38 ");
    expect(readOrigin(details).extract).toBe(true);
    expect(types(session)).toEqual(["auto_compaction_start", "auto_compaction_end"]);
    expect(session.heard.at(-1)).toHaveProperty("result");
    expect(memory.extract).toBe("due");
  });

  it("keeps the words of a summariser that says a sentence", async () => {
    const { session, compact } = guarded(() => "I can't help with that.");
    await compact();
    expect(String(session.entries[0]!.summary).startsWith(`I can't help with that.\n\n${EXTRACT_OPENING}`)).toBe(true);
  });

  /** A compaction whose summariser answers through the agent's stream, with these words and this end. */
  const streamed = (words: string, stopReason: string) => {
    const kit = guarded(async () => {
      const stream = kit.session.agent.streamFn!(undefined, undefined, undefined) as EventStream;
      const { errorMessage, content } = await stream.result();
      if (errorMessage !== undefined) throw new Error(`Summarization failed: ${errorMessage}`);
      return String(content[0]!.text);
    });
    const errorMessage = "400 Output blocked by content filtering policy";
    kit.session.agent.streamFn = () => ({
      result: () =>
        Promise.resolve({
          role: "assistant",
          content: [{ type: "text", text: words }],
          stopReason,
          ...(stopReason === "error" && { errorMessage }),
        }),
      [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
    });
    return kit;
  };

  it("whose summary was cut off at a limit has an extract below it, and the summary stays", async () => {
    const { session, memory, compact } = streamed(GOOD, "length");
    const { streamFn } = session.agent;
    await compact();
    expect(session.entries).toHaveLength(1);
    const { summary, details } = session.entries[0]!;
    expect(String(summary).startsWith(`${GOOD}\n\n${CUT_OFF_OPENING}`)).toBe(true);
    expect(summary).toContain("WORD-37 ");
    expect(String(summary).length).toBeLessThanOrEqual(16_000);
    expect(readOrigin(details).extract).toBe(true);
    expect(memory.extract).toBeUndefined();
    expect(session.agent.streamFn).toBe(streamFn);
  });

  it.each([
    ["that came to its end", "stop", GOOD],
    ["that was cut off, and leaves no room for an extract", "length", GOOD.padEnd(15_500, ".")],
  ])("whose summary is one %s is as without the guard", async (_what, stopReason, words) => {
    const { session, compact } = streamed(words, stopReason);
    await compact();
    expect(session.entries).toEqual([{ summary: words, firstKeptEntryId: "e38", tokensBefore: 9, details: {} }]);
  });

  it("whose summary broke off with an error keeps what was written, above the extract", async () => {
    const { session, memory, compact } = streamed(GOOD, "error");
    await compact();
    expect(memory.extract).toBeUndefined();
    expect(String(session.entries[0]!.summary).startsWith(`${GOOD.trim()}\n\n${CUT_OFF_OPENING}`)).toBe(true);
  });

  it("whose request is too large gives its summariser less", async () => {
    const { session, compact } = guarded((given) => {
      const tokens = Math.ceil(JSON.stringify(given).length / 4);
      if (tokens <= 6000) return GOOD;
      throw new Error(`Summarization failed: 400 prompt is too long: ${tokens} tokens > 6000 maximum`);
    });
    await compact();
    expect(session.entries).toMatchObject([{ summary: GOOD }]);
    expect(session.given).toHaveLength(2);
    expect(session.given[1]).toBeLessThan(session.given[0]! * 0.6);
    expect(types(session)).toEqual(["auto_compaction_start", "auto_compaction_end"]);
  });

  it("is left to OpenClaw where the key is at fault, however often", async () => {
    const { session, compact } = guarded(fails("401 invalid x-api-key"));
    for (let nth = 0; nth < 3; nth++) await compact();
    expect(session.entries).toEqual([]);
    expect(types(session)).toHaveLength(6);
    expect(session.heard.at(-1)).toHaveProperty("errorMessage");
  });

  it("is left to OpenClaw at the first failure of load, and ends with an extract at the second", async () => {
    const { session, compact } = guarded(fails("529 overloaded_error: Overloaded"));
    await compact();
    expect(session.entries).toEqual([]);
    await compact();
    expect(session.entries).toHaveLength(1);
  });

  it.each([
    ["a page came in place of it", "invalid_provider_content_type", 1],
    ["a page came in place of it, and OpenClaw shortens the code", "invali…type", 1],
    ["its stream ended before an answer did", "STREAM_INCOMPLETE", 1],
    ["the provider could not be reached", "ECONNREFUSED", 0],
  ])("whose request failed because %s stores so many extracts at once: %s, %d", async (_why, code, extracts) => {
    const kit = guarded(() => {
      kit.run.summariser!.error = { text: "Connection error.", code };
      throw new Error("Summarization failed: Connection error.");
    });
    await kit.compact();
    expect(kit.session.entries).toHaveLength(extracts);
  });

  it("is given the results that the journal alone has: none of them is in a later request", async () => {
    const asked: string[] = [];
    const { session, sessionId, compact } = guarded((given) => {
      asked.push(JSON.stringify(given));
      return GOOD;
    });
    const call = (id: string): object => ({ type: "toolCall", id, name: "exec", arguments: { command: "ls" } });
    session.leaving = [
      { role: "user", content: "count them" },
      { role: "assistant", content: [call("call_a"), call("call_b")], stopReason: "toolUse" },
      { role: "toolResult", toolCallId: "call_a", toolName: "exec", content: [], isError: true },
    ];
    withJournal(({ cycles }) => {
      for (const callId of ["call_a", "call_b"]) {
        const [id] = cycles.pending([{ sessionId, callId, toolName: "exec", inputHash: inputHash({ command: "ls" }) }]);
        cycles.start(id!);
        cycles.record(id!, { content: [{ type: "text", text: `forty-two of ${callId}` }], isError: false });
      }
    });
    await compact();
    expect(asked.join()).toContain("forty-two of call_b");
    expect(session.leaving).toHaveLength(3);
  });

  it("that cannot be watched goes its own way, and leaves nothing behind", async () => {
    const { session, compact } = guarded(() => GOOD);
    Object.freeze(session.sessionManager);
    await compact();
    expect(session.entries).toMatchObject([{ summary: GOOD }]);
    expect(Object.hasOwn(session, RUNNER)).toBe(false);
  });

  /** Compactions that are stopped after these times, then one whose summary is waited for. */
  const stoppedAfter = async (...times: number[]) => {
    let now = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => now);
    const { session, compact } = guarded(() => {
      const time = times.shift();
      if (time !== undefined) {
        now += time;
        session.controller.abort();
      }
      return GOOD;
    });
    for (let left = times.length; left > 0; left--) await compact();
    expect(session.entries).toEqual([]);
    await compact();
    return { session, compact };
  };

  it.each([
    ["at once", [100, 100]],
    ["by a person, or a turn that goes before", [40_000, 9000]],
  ])("that is stopped %s has the next one ask for a summary", async (_whom, times) => {
    expect((await stoppedAfter(...times)).session.entries).toMatchObject([{ summary: GOOD }]);
  });

  it("that is stopped after minutes has the next one end with an extract, and the one after ask again", async () => {
    const { session, compact } = await stoppedAfter(180_000);
    expect(session.entries[0]!.summary).toContain(EXTRACT_OPENING);
    await compact();
    expect(session.entries[1]).toMatchObject({ summary: GOOD });
  });
});

describe("a compaction right behind a compaction", () => {
  const talk = (characters: number) =>
    ["user", "assistant", "user", "assistant"].map((role) => ({ role, content: "x".repeat(characters) }));

  it("keeps less where OpenClaw would refuse every later message", async () => {
    const session = guardedLater(talk(20_000));
    session.sessionManager.appendCompaction(GOOD, "e0");
    const { getBranch } = session.sessionManager;
    await session.compact();
    expect(session.keptTokens).toBeLessThan(10_000);
    expect(session.entries.at(-1)).toMatchObject({ type: "compaction", firstKeptEntryId: "e3" });
    expect(session.entries).toHaveLength(6);
    expect(session.sessionManager.getBranch).toBe(getBranch);
  });

  it("is refused by OpenClaw where the session is small enough", async () => {
    const session = guardedLater(talk(5000));
    session.sessionManager.appendCompaction(GOOD, "e0");
    await expect(session.compact()).rejects.toThrow("Already compacted");
    expect(session.entries).toHaveLength(5);
  });
});

describe("behind a compaction", () => {
  const asked = { role: "user", content: "hello" };
  const answered = { role: "assistant", content: "hi", stopReason: "stop" };
  const goesOn = async (session: LaterSession): Promise<unknown> =>
    (session.runAutoCompaction as (reason: string, willRetry: boolean) => Promise<unknown>)("overflow", true);

  it("OpenClaw does not go on with a conversation that ends with an answer, and announces nothing", async () => {
    const session = guardedLater([asked, answered]);
    expect(await goesOn(session)).toBe(false);
    expect(session.heard).toEqual([{ type: "compaction_end", willRetry: false }]);
    expect(Object.hasOwn(session, "emit")).toBe(false);
  });

  it.each([
    ["a question", [asked]],
    ["an error", [asked, { ...answered, stopReason: "error" }]],
  ])("OpenClaw goes on with a conversation that ends with %s", async (_what, messages) => {
    const session = guardedLater(messages);
    expect(await goesOn(session)).toBe(true);
    expect(session.heard).toEqual([{ type: "compaction_end", willRetry: true }]);
  });
});
