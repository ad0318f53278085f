/**
 * What a run of the agent does behind a refusal, a size, a stop or a silence of its provider: the gates (gates.ts) with
 * recovery/ and routes/ behind them, around a model call that plays the given answers. A case of one file of recovery/
 * stands beside that file.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { result, user } from "../../harness/messages.ts";
import { newFolder } from "../../harness/temporary.ts";
import { incidentCounts } from "./recovery/incident.ts";
import type { GuardedSession } from "./openclaw/session.ts";
import { guardHistory, guardSession } from "./gates.ts";
import { ANSWER_WITHOUT, STOPPED_REQUEST } from "../recovery/words.ts";
import { sessionMemory } from "./base/memory.ts";
import { routeName } from "../recovery/route-name.ts";

const MODEL = { api: "anthropic-messages", provider: "anthropic", id: "m" };
const says = (text: string, stopReason = "stop") => ({
  role: "assistant",
  api: "anthropic-messages",
  provider: "anthropic",
  model: "m",
  content: [{ type: "text", text }],
  stopReason,
  usage: { output: 1, cost: {} },
});
const calls = (id: string) => ({
  ...says("reading", "toolUse"),
  content: [{ type: "toolCall", id, name: "read", arguments: { path: `${id}.txt` } }],
});
const THOUGHT = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
const timed = (messages: readonly object[]): object[] =>
  messages.map((message, at) => ({ ...message, timestamp: 1000 + at }));
const HISTORY = [
  user("read two"),
  calls("toolu_a"),
  result("toolu_a"),
  calls("toolu_b"),
  result("toolu_b"),
  says("read"),
  user("and now?"),
];

const ORPHAN =
  '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."},"request_id":"req_011CQ"}';
const THINKING =
  '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}';
const ROLES =
  '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages: roles must alternate"}}';
const OVERLOADED = '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
const FILTERED = "Output blocked by content filtering policy";

type Event = Record<string, unknown>;
type Try = { events: Event[] } | { throws: Error };

/** What OpenClaw's adapters make of an answer in words. */
function answers(text: string): Try {
  const message = says(text);
  return {
    events: [
      { type: "start", partial: says("") },
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: text },
      { type: "text_end", contentIndex: 0, content: text },
      { type: "done", reason: "stop", message },
    ],
  };
}

/** What they make of an error, before or behind some words. */
function fails(errorMessage: string, said?: string): Try {
  const error = {
    ...says(said ?? "", "error"),
    content: said === undefined ? [] : [{ type: "text", text: said }],
    errorMessage,
  };
  const words =
    said === undefined
      ? []
      : [
          { type: "text_start", contentIndex: 0 },
          { type: "text_delta", contentIndex: 0, delta: said },
        ];
  return { events: [{ type: "start", partial: says("") }, ...words, { type: "error", reason: "error", error }] };
}

/** A session whose model call plays one try after the other; the last one for ever. */
function session(tries: Try[], more: Partial<GuardedSession> = {}, body?: object) {
  const seen: { messages: unknown[] }[] = [];
  const streamFn = vi.fn((_model: unknown, context: unknown, options?: { onPayload?: (payload: unknown) => void }) => {
    seen.push(context as { messages: unknown[] });
    if (body) options?.onPayload?.(structuredClone(body));
    const next = tries[Math.min(seen.length, tries.length) - 1]!;
    if ("throws" in next) throw next.throws;
    return {
      async *[Symbol.asyncIterator]() {
        yield* next.events;
      },
      result: async () => {
        const last = next.events.at(-1)!;
        return last["message"] ?? last["error"];
      },
    };
  });
  const followUp = vi.fn();
  const guarded = { agent: { state: { messages: HISTORY }, streamFn, followUp }, ...more } as unknown as GuardedSession;
  return { guarded, seen, followUp };
}

interface Heard {
  types: string[];
  events: Event[];
  words: string;
  message: { content: { text?: string }[]; stopReason: string; errorMessage?: string };
}

async function ask(
  guarded: GuardedSession,
  messages: unknown[] = HISTORY,
  options: object = {},
  model: object = MODEL,
  beside: object = {},
): Promise<Heard> {
  const stream = (await guarded.agent.streamFn!(model, { messages, ...beside }, options)) as AsyncIterable<Event> & {
    result(): Promise<Heard["message"]>;
  };
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  const words = events
    .filter(({ type }) => type === "text_delta")
    .map(({ delta }) => String(delta))
    .join("");
  return { types: events.map(({ type }) => String(type)), events, words, message: await stream.result() };
}

let serial = 0;
let home: string;
const makeContext = (more: object = {}) => ({
  api: "anthropic-messages",
  sessionId: `recovery-${serial++}`,
  point: "attempt-history-gate",
  ...more,
});

beforeEach(() => {
  home = newFolder();
  vi.stubEnv("OPENCLAW_STATE_DIR", home);
  // What follows an answer is a matter of its own.
  vi.stubEnv("OPENCLAW_INTEGRITY_SEARCH", "off");
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("an answer that nothing is wrong with", () => {
  it("goes on event by event, the very same objects, with one request", async () => {
    const played = answers("hello") as { events: Event[] };
    const { guarded, seen } = session([played]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(heard.events).toEqual(played.events);
    heard.events.forEach((event, at) => expect(event).toBe(played.events[at]));
    expect(heard.message).toBe(played.events.at(-1)!["message"]);
    expect(seen).toHaveLength(1);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("a refused history", () => {
  it("is sent again before OpenClaw has seen anything: one start, no word twice, a note behind the answer", async () => {
    const { guarded, seen } = session([fails(ORPHAN), answers("hello")]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(seen).toHaveLength(2);
    expect(heard.types).toEqual([
      "start",
      "text_start",
      "text_delta",
      "text_end",
      "text_start",
      "text_delta",
      "text_end",
      "done",
    ]);
    expect(heard.words).toMatch(/^hello\n\n\[The provider refused a part/);
    expect(heard.message.content.map(({ text }) => text).join("")).toBe(heard.words);
    expect(JSON.stringify(seen[1])).toContain("The assistant called the tool read with");
    expect(JSON.stringify(seen[1])).toContain("toolu_b");
  });

  it("costs two requests more at most, each with another body, and then the user is told and nothing is changed", async () => {
    const { guarded, seen } = session([fails(ORPHAN)]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map((context) => JSON.stringify(context))).size).toBe(3);
    expect(heard.words).toMatch(/refuses every request of this conversation.*Nothing was changed/);
    // The rungs are used up for the whole turn, tool loops included.
    expect((await ask(guarded)).words).toBe(heard.words);
    expect(seen).toHaveLength(4);
  });

  it("stays treated in the later calls of the turn, so that the same history is not refused again", async () => {
    const { guarded, seen } = session([fails(ORPHAN), answers("working"), answers("done")]);
    guardSession(guarded, makeContext());
    await ask(guarded);
    await ask(guarded, [...HISTORY, calls("toolu_c"), result("toolu_c")]);
    expect(seen).toHaveLength(3);
    expect(JSON.stringify(seen[2]!.messages.slice(0, 3))).toBe(JSON.stringify(seen[1]!.messages.slice(0, 3)));
    expect(JSON.stringify(seen[2])).toContain('"id":"toolu_c"');
  });

  it("is left alone when words have already gone out, so that none is said twice", async () => {
    const { guarded, seen } = session([fails(ORPHAN, "half an ans")]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(seen).toHaveLength(1);
    expect(heard.words).toBe("half an ans");
    expect(heard.message.errorMessage).toBe(ORPHAN);
  });

  it("is also healed when OpenClaw's own check throws before any request", async () => {
    const thrown = new Error("invalid_replay_transcript: dangling_tool_call toolCallId=toolu_b at message index 3");
    const { guarded, seen } = session([{ throws: thrown }, answers("hello")]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).words).toMatch(/^hello/);
    expect(seen).toHaveLength(2);
  });

  it("does not reach an adapter that would throw on what somebody has changed in it since the last call", async () => {
    const history = structuredClone(HISTORY);
    const { content } = history[1] as unknown as { content: { arguments: Record<string, unknown> }[] };
    const { guarded, seen } = session([answers("a"), answers("b"), answers("hello"), answers("bye")]);
    guardSession(guarded, makeContext());
    await ask(guarded, history);
    await ask(guarded, history);
    content[0]!.arguments["self"] = content[0]!.arguments;
    expect((await ask(guarded, history)).words).toBe("hello");
    await ask(guarded, history);
    expect(seen).toHaveLength(4);
    const first = JSON.stringify(seen[2]!.messages);
    expect(first).toContain("toolu_b");
    expect(JSON.stringify(seen[3]!.messages)).toBe(first);
  });

  it("is also healed when the error comes without content, as from a plugin's own stream", async () => {
    const error = { role: "assistant", stopReason: "error", errorMessage: ORPHAN };
    const { guarded, seen } = session([{ events: [{ type: "error", reason: "error", error }] }, answers("hello")]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).words).toMatch(/^hello/);
    expect(seen).toHaveLength(2);
  });

  it("is not what another error is about: it goes on unchanged, thrown or streamed", async () => {
    const other = new TypeError("fetch failed");
    const throwing = session([{ throws: other }]);
    guardSession(throwing.guarded, makeContext());
    await expect(ask(throwing.guarded)).rejects.toBe(other);
    const played = fails(OVERLOADED) as { events: Event[] };
    const overloaded = session([played]);
    guardSession(overloaded.guarded, makeContext());
    const heard = await ask(overloaded.guarded);
    expect(heard.events.at(-1)).toBe(played.events.at(-1));
    expect(overloaded.seen).toHaveLength(1);
  });

  it("leaves an incident without a word of the conversation, and counts it", async () => {
    const before = incidentCounts().answered;
    const { guarded } = session([fails(ORPHAN), answers("hello")]);
    guardSession(guarded, makeContext({ sessionId: "s-incident", release: "2026.9.6" }));
    await ask(guarded);
    expect(incidentCounts().answered).toBe(before + 1);
    const [file] = readdirSync(join(home, "logs"));
    expect(file).toMatch(/^integrity-incident-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.json$/);
    const incident = JSON.parse(readFileSync(join(home, "logs", file!), "utf8")) as object;
    expect(incident).toMatchObject({
      outcome: "answered",
      sessionId: "s-incident",
      release: "2026.9.6",
      steps: [
        {
          failure: "history",
          problem: "tool_pairing",
          message: 2,
          block: 0,
          ids: ["toolu_a"],
          requestId: "req_011CQ",
          status: 400,
          rung: "calls_as_text",
        },
      ],
    });
    expect(JSON.stringify(incident)).not.toMatch(/found toolu|read two/);
  });

  it("of one session changes nothing for another", async () => {
    const refused = session([fails(ORPHAN), answers("hello")]);
    const healthy = session([answers("fine")]);
    guardSession(refused.guarded, makeContext());
    guardSession(healthy.guarded, makeContext());
    const [one, other] = await Promise.all([ask(refused.guarded), ask(healthy.guarded)]);
    expect(one.words).toMatch(/^hello/);
    expect(other.words).toBe("fine");
    expect(JSON.stringify(healthy.seen[0])).toBe(JSON.stringify({ messages: HISTORY }));
  });

  it("is refused in words that nobody knows: another form is tried, the conversation is not put aside", async () => {
    const resetLeaf = vi.fn();
    const { guarded, seen } = session([fails("400 The frobnicator of this deployment is displeased.")], {
      sessionManager: { resetLeaf, appendCustomMessageEntry: vi.fn() },
    });
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).words).toMatch(/refuses every request.*provider's words: "400 The frobnicator/);
    expect(seen).toHaveLength(3);
    expect(resetLeaf).not.toHaveBeenCalled();
  });
});

describe("a turn", () => {
  it("costs two requests more in all, whatever they are spent on", async () => {
    const { guarded, seen } = session([fails(FILTERED), fails(ORPHAN)]);
    guardSession(guarded, makeContext());
    await ask(guarded);
    // What the filter refused, the newest message alone, and one more form of that.
    expect(seen).toHaveLength(3);
    await ask(guarded);
    expect(seen).toHaveLength(4);
  });

  it("keeps what was answered when a later call of it is refused for good", async () => {
    const { guarded, seen } = session([
      fails(ORPHAN),
      answers("working"),
      fails(OVERLOADED),
      fails(ORPHAN),
      fails(ORPHAN),
      answers("done"),
    ]);
    guardSession(guarded, makeContext());
    for (let call = 0; call < 4; call++) await ask(guarded);
    expect(JSON.stringify(seen.at(-1))).toContain("The assistant called the tool read with");
    expect(JSON.stringify(seen.at(-1))).toContain("toolu_b");
  });

  it("that was refused without a reason and answered in another form is never stored: each time may be a bad moment, and other models take it as it is", async () => {
    const sessionId = `recovery-${serial++}`;
    const bodies: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const { guarded, seen } = session(
        turn < 3 ? [fails("400 status code (no body)"), answers("hello")] : [answers("hello")],
      );
      await guardHistory(guarded, makeContext({ sessionId }));
      bodies.push(JSON.stringify(guarded.agent.state!.messages));
      guardSession(guarded, makeContext({ sessionId }));
      await ask(guarded);
      expect(seen).toHaveLength(turn < 3 ? 2 : 1);
    }
    expect(new Set(bodies).size).toBe(1);
  });

  it("does not pay again in the same process for what the turn before found out, and sends what is new as it is", async () => {
    const sessionId = `recovery-${serial++}`;
    const first = session([fails("400 The frobnicator is displeased."), answers("hello")]);
    guardSession(first.guarded, makeContext({ sessionId }));
    await ask(first.guarded, timed(HISTORY));
    expect(first.seen).toHaveLength(2);
    const second = session([answers("well")]);
    const later = timed([...HISTORY, says("hello"), user("a third"), calls("toolu_c"), result("toolu_c")]);
    await guardHistory(second.guarded, makeContext({ sessionId }));
    expect(second.guarded.agent.state!.messages).toBe(HISTORY);
    guardSession(second.guarded, makeContext({ sessionId }));
    await ask(second.guarded, later);
    expect(second.seen).toHaveLength(1);
    const sent = JSON.stringify(second.seen[0]);
    expect(sent).toContain("The assistant called the tool read with");
    expect(sent).not.toContain('"id":"toolu_a"');
    expect(sent).toContain('"id":"toolu_c"');
    expect(sent).toContain("found toolu_c");
  });

  it("in which an image was refused takes no later image away, in its own calls or in those of later turns", async () => {
    const IMAGE =
      '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.0.image.source.base64.data: Could not process image"}}';
    const sessionId = `recovery-${serial++}`;
    const picture = (data: string, timestamp: number, role: object = { role: "user" }): object => ({
      ...role,
      content: [{ type: "image", data, mimeType: "image/png" }],
      timestamp,
    });
    const { content: _words, ...read } = result("toolu_c") as Record<string, unknown>;
    // The clock of the machine may have been set back since.
    const first = [picture("BAD0", 20), says("so"), user("and now?")].map((message, at) => ({
      timestamp: 10 + at,
      ...message,
    }));
    const turn = session([fails(IMAGE), answers("let me see"), answers("seen")]);
    guardSession(turn.guarded, makeContext({ sessionId }));
    await ask(turn.guarded, first);
    const looked = [...first, { ...calls("toolu_c"), timestamp: 30 }, picture("NEW1", 31, read)];
    await ask(turn.guarded, looked);
    const later = session([answers("well")]);
    const stored = [...looked, says("seen"), picture("NEW2", 40), says("nice")];
    later.guarded.agent.state!.messages = stored;
    await guardHistory(later.guarded, makeContext({ sessionId }));
    guardSession(later.guarded, makeContext({ sessionId }));
    await ask(later.guarded, [...(later.guarded.agent.state!.messages as object[]), user("go on")]);
    const sent = [...turn.seen, ...later.seen].map((context) => JSON.stringify(context).match(/BAD0|NEW\d/g) ?? []);
    expect(sent).toEqual([["BAD0"], [], ["NEW1"], ["NEW1", "NEW2"]]);
  });

  it.each([
    [
      "thinking",
      [fails(THINKING), answers("hello")],
      [user("think"), { ...says("thought"), content: [THOUGHT, { type: "text", text: "thought" }] }, user("and now?")],
    ],
    ["all as one text", [fails(ROLES), answers("hello")], [user("a"), says("b"), user("and now?")]],
  ])(
    "that was refused changes nothing that is said later, where nothing can be stored: %s",
    async (_what, tries, messages) => {
      const sessionId = `recovery-${serial++}`;
      const first = session(tries);
      guardSession(first.guarded, makeContext({ sessionId }));
      const refused = timed(messages);
      await ask(first.guarded, refused);
      const sent = first.seen.at(-1)!.messages;
      const later = [
        says("hello"),
        user("a third"),
        { ...calls("toolu_c"), content: [THOUGHT, ...calls("toolu_c").content] },
        result("toolu_c"),
        says("read"),
        user("a fourth"),
      ].map((message, at) => ({ ...message, timestamp: 2000 + at }));
      const next = session([answers("well")]);
      next.guarded.agent.state!.messages = [...refused, ...later];
      await guardHistory(next.guarded, makeContext({ sessionId }));
      guardSession(next.guarded, makeContext({ sessionId }));
      await ask(next.guarded, next.guarded.agent.state!.messages as object[]);
      expect(next.seen).toHaveLength(1);
      expect(next.seen[0]!.messages).toEqual([...sent, ...later]);
    },
  );

  it("in which one image was refused, or two one after the other, keeps the others", async () => {
    const refusal = (place: string) =>
      fails(
        `400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.${place}.image.source.base64: Could not process image"}}`,
      );
    const data = (name: string): string => `${name}${"A".repeat(203)}`;
    const picture = (name: string) => ({ type: "image", data: data(name), mimeType: "image/png" });
    const messages = timed([
      { role: "user", content: [picture("GOOD1"), picture("BAD00")] },
      calls("toolu_a"),
      { ...result("toolu_a"), content: [{ type: "text", text: "found toolu_a" }, picture("GOOD2")] },
      says("so"),
      user("and now?"),
    ]);
    const source = (name: string) => ({ type: "base64", media_type: "image/png", data: data(name) });
    const content = ["GOOD1", "BAD00"].map((name) => ({ type: "image", source: source(name) }));
    const body = { messages: [{ role: "user", content }] };
    for (const [tries, left] of [
      [
        [refusal("0.content.1"), answers("seen")],
        ["GOOD1", "GOOD2"],
      ],
      [[refusal("0.content.1"), refusal("0.content.0"), answers("seen")], ["GOOD2"]],
    ] as const) {
      const sessionId = `recovery-${serial++}`;
      const { guarded, seen } = session([...tries], {}, body);
      guardSession(guarded, makeContext({ sessionId }));
      expect((await ask(guarded, messages)).words).toMatch(/^seen/);
      const next = session([answers("well")]);
      next.guarded.agent.state!.messages = messages;
      await guardHistory(next.guarded, makeContext({ sessionId }));
      for (const sent of [seen.at(-1)!.messages, next.guarded.agent.state!.messages]) {
        const text = JSON.stringify(sent);
        expect(text.match(/GOOD\d|BAD00/g) ?? []).toEqual(left);
        expect(text).toContain('"id":"toolu_a"');
      }
    }
  });

  it.each([
    ["an image in it", "image"],
    ["more than one message", "assistant"],
  ])(
    "that is refused in unknown words for %s is answered each time, with all of it at the second time at the latest: then the plainest form comes first",
    async (_what, reason) => {
      const sessionId = `recovery-${serial++}`;
      const unknown = fails("400 The frobnicator is displeased.") as { events: Event[] };
      const shown = [
        { type: "text", text: "found toolu_b" },
        { type: "image", data: "aGVyb24=", mimeType: "image/png" },
      ];
      const history = timed([...HISTORY.slice(0, 4), { ...result("toolu_b"), content: shown }, ...HISTORY.slice(5)]);
      const counts: number[] = [];
      for (const turn of [0, 1]) {
        const { guarded, seen } = session([]);
        guarded.agent.streamFn = vi.fn((_model: unknown, context: unknown) => {
          seen.push(context as { messages: unknown[] });
          const { messages } = context as { messages: { role: string }[] };
          const isRefused = JSON.stringify(messages).includes(`"${reason}"`);
          const { events } = isRefused ? unknown : (answers("well") as { events: Event[] });
          return {
            async *[Symbol.asyncIterator]() {
              yield* events;
            },
            result: async () => events.at(-1)!["message"],
          };
        });
        guardSession(guarded, makeContext({ sessionId }));
        const heard = await ask(guarded, history);
        expect(heard.words).toMatch(/^well/);
        counts.push(seen.length);
        if (turn === 1 || reason === "image")
          for (const text of ["found toolu_a", "found toolu_b", "and now?"])
            expect(JSON.stringify(seen.at(-1))).toContain(text);
      }
      expect(counts).toEqual(reason === "image" ? [2, 1] : [3, 2]);
    },
  );

  it("in which OpenClaw hides what was refused leaves out the newest images first, and is never put aside for that", async () => {
    const hidden = fails(
      '400: {"error":{"message":"[Malformed diagnostic JSON redacted]","type":"invalid_request_error"},"type":"error"}',
    );
    const picture = (name: string): object => ({
      role: "user",
      content: [{ type: "image", data: `${name}${"A".repeat(203)}`, mimeType: "image/png" }],
    });
    const messages = timed([picture("GOOD1"), says("seen"), picture("BAD00")]);
    const appendResetBoundary = vi.fn();
    const sessionManager = { resetLeaf: vi.fn(), appendResetBoundary, appendCustomMessageEntry: vi.fn() };
    const { guarded, seen } = session([hidden, answers("well")], { sessionManager });
    guardSession(guarded, makeContext());
    expect((await ask(guarded, messages)).words).toMatch(/^well/);
    expect(seen.map((context) => JSON.stringify(context).match(/GOOD1|BAD00/g))).toEqual([
      ["GOOD1", "BAD00"],
      ["GOOD1"],
    ]);
    const never = session([hidden], { sessionManager });
    guardSession(never.guarded, makeContext());
    for (let turn = 0; turn < 3; turn++)
      expect((await ask(never.guarded, messages)).words).toMatch(/refuses every request/);
    expect(appendResetBoundary).not.toHaveBeenCalled();
  });

  it("from which pictures were left out by a guess has them all for another route, also after a second refusal", async () => {
    const sessionId = `recovery-${serial++}`;
    const hidden = fails('400: {"error":{"message":"[Malformed diagnostic JSON redacted]"},"type":"error"}');
    const picture = (name: string): object => ({
      role: "user",
      content: [{ type: "image", data: `${name}${"A".repeat(203)}`, mimeType: "image/png" }],
    });
    const first = [picture("ONE"), says("a"), user("b"), says("c")];
    const messages = timed([...first, picture("TWO"), says("d"), user("e"), says("f"), user("g")]);
    const sent = async (tries: Parameters<typeof session>[0], until: number, model = MODEL): Promise<unknown[]> => {
      const { guarded, seen } = session(tries);
      guarded.agent.state!.messages = messages.slice(0, until - 1);
      await guardHistory(guarded, makeContext({ sessionId }));
      guardSession(guarded, makeContext({ sessionId }));
      await ask(guarded, [...(guarded.agent.state!.messages as object[]), messages[until - 1]!], {}, model);
      return seen.map((context) => JSON.stringify(context).match(/ONE|TWO/g) ?? []);
    };
    expect(await sent([hidden, answers("c")], 3)).toEqual([["ONE"], []]);
    expect(await sent([hidden, answers("f")], 7)).toEqual([["TWO"], []]);
    expect(await sent([answers("h")], 9)).toEqual([[]]);
    expect(await sent([answers("h")], 9, { ...MODEL, id: "another" })).toEqual([["ONE", "TWO"]]);
  });

  it("that names the system prompt asks for another role of it, then for the last words: no form of the history changes that prompt", async () => {
    const body = {
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "and now?" },
      ],
    };
    const { guarded, seen } = session([fails("400 messages[0].content: unexpected role")], {}, body);
    guardSession(guarded, makeContext());
    const model = { ...MODEL, api: "openai-completions" };
    expect((await ask(guarded, HISTORY, {}, model)).words).toMatch(/its history is not the reason/);
    expect(seen.map(({ messages }) => messages.length)).toEqual([HISTORY.length, HISTORY.length, 1]);
    expect(seen[1]!.messages, "the history was changed").toEqual(seen[0]!.messages);
  });
});

describe("a history that a route refuses in every form", () => {
  const hours = (count: number): number => count * 3_600_000;
  const stored = () => {
    const appendResetBoundary = vi.fn(() => "boundary");
    const appendCustomMessageEntry = vi.fn();
    const getBranch = () => [{ type: "message", id: "leaf", message: user("a") }];
    const sessionManager = { resetLeaf: vi.fn(), appendResetBoundary, appendCustomMessageEntry, getBranch };
    return { appendResetBoundary, appendCustomMessageEntry, more: { sessionManager } };
  };
  const isAlone = ({ messages }: { messages: unknown[] }): boolean => messages.length === 1;
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["in known words", ORPHAN],
    ["in words about roles", ROLES],
    ["without a reason", "400 status code (no body)"],
    ["in unknown words", "400 The frobnicator is displeased."],
  ])(
    "is never put aside by one that refuses the last words alone too: everything is sent when it takes requests again, %s",
    async (_what, text) => {
      const { appendResetBoundary, appendCustomMessageEntry, more } = stored();
      const sessionId = `recovery-${serial++}`;
      for (let turn = 0; turn < 4; turn++) {
        vi.setSystemTime(hours(30 * turn));
        const { guarded, seen } = session([fails(text)], more);
        guardSession(guarded, makeContext({ sessionId }));
        const asked = [...HISTORY.slice(0, -1), { ...user("and now?"), timestamp: turn }];
        const heard = await ask(guarded, asked);
        expect(seen.length).toBeLessThanOrEqual(3);
        expect(isAlone(seen.at(-1)!)).toBe(true);
        // OpenClaw asks the same once more: what was refused alone is not sent again.
        const again = session([fails(text)], more);
        guardSession(again.guarded, makeContext({ sessionId }));
        expect((await ask(again.guarded, asked)).message.stopReason).toBe("error");
        expect(again.seen.length).toBeLessThanOrEqual(2);
        expect(heard.words).toMatch(/its history is not the reason.*provider's words: ".*Nothing was changed/);
      }
      const { guarded, seen } = session([answers("back")], more);
      guardSession(guarded, makeContext({ sessionId }));
      expect((await ask(guarded)).words).toBe("back");
      expect(seen).toEqual([{ messages: HISTORY }]);
      expect(appendResetBoundary).not.toHaveBeenCalled();
      expect(appendCustomMessageEntry).not.toHaveBeenCalled();
    },
  );

  it("is answered from the last words of one that takes these, in later turns with its end, and stays stored", async () => {
    const { appendResetBoundary, more } = stored();
    const sessionId = `recovery-${serial++}`;
    const turn = async (tries: Try[], model: object = MODEL) => {
      const { guarded, seen } = session(tries, more);
      guardSession(guarded, makeContext({ sessionId }));
      return { ...(await ask(guarded, HISTORY, {}, model)), seen };
    };
    const refused = fails(ORPHAN);
    const first = await turn([refused, refused, answers("from the last words")]);
    expect(first.words).toMatch(/^from the last words\n\n\[The provider refuses the conversation so far, and takes/);
    expect(first.seen).toHaveLength(3);
    expect(JSON.stringify(first.seen[2])).toContain("and now?");
    expect(JSON.stringify(first.seen[2])).not.toMatch(/read two|toolu_a/);
    // The plainest form was not tried yet.
    const second = await turn([refused, refused, answers("again")]);
    expect(JSON.stringify(second.seen[1])).toMatch(/read two.*found toolu_a.*and now\?/);
    const third = await turn([refused, answers("from its end")]);
    expect(third.words).toMatch(/^from its end\n/);
    expect(JSON.stringify(third.seen[1])).toMatch(/read two.*and now\?/);
    expect(JSON.stringify(third.seen[1])).not.toContain("toolCall");
    // The end is refused too: it is not sent again.
    expect((await turn([refused, refused, answers("alone")])).words).toMatch(/^alone/);
    expect((await turn([refused, answers("alone")])).seen[1]!.messages).toHaveLength(1);
    // Another route knows nothing of that.
    const elsewhere = await turn([refused, refused, answers("elsewhere")], { ...MODEL, baseUrl: "http://elsewhere" });
    expect(JSON.stringify(elsewhere.seen[2])).not.toContain("read two");
    expect((await turn([answers("whole")])).seen[0]).toEqual({ messages: HISTORY });
    expect(appendResetBoundary).not.toHaveBeenCalled();
  });

  it("leaves the calls of an answer from the last words to go on in the same turn, with their results", async () => {
    const { more } = stored();
    const sessionId = `recovery-${serial++}`;
    const { events } = answers("reading") as { events: Event[] };
    const reading: Try = {
      events: [...events.slice(0, -1), { type: "done", reason: "toolUse", message: calls("toolu_c") }],
    };
    const { guarded, seen } = session([fails(ORPHAN), fails(ORPHAN), reading, answers("done")], more);
    guardSession(guarded, makeContext({ sessionId }));
    await ask(guarded);
    const heard = await ask(guarded, [...HISTORY, calls("toolu_c"), result("toolu_c")]);
    expect(heard.words).toMatch(/^done\n\n\[The provider refuses the conversation so far/);
    expect(seen).toHaveLength(4);
    expect(JSON.stringify(seen[3])).toMatch(/and now\?.*found toolu_c/);
    expect(JSON.stringify(seen[3])).not.toContain("toolu_a");
  });

  it("and that was reset goes on with all that comes later, whichever list OpenClaw makes its next calls with", async () => {
    const { more } = stored();
    const sessionId = `recovery-${serial++}`;
    const refused = fails(ORPHAN);
    const before = session([refused, refused, answers("alone")], more);
    guardSession(before.guarded, makeContext({ sessionId }));
    await ask(before.guarded);
    const memory = sessionMemory(sessionId);
    memory.atFault!.isPlain = true;
    const [first, last] = [Date.now(), Date.now() + hours(3)];
    memory.refusedParts = [{ route: routeName(MODEL), words: [], nothing: [], noHalf: { first, last } }];
    vi.setSystemTime(last);
    const { guarded, seen } = session([refused, answers("anew"), answers("hello")], more);
    guardSession(guarded, makeContext({ sessionId }));
    const { message: notice } = await ask(guarded);
    const [tail] = guarded.agent.state!.messages as { content: string }[];
    const said = { role: "user", content: [{ type: "text", text: tail!.content }], timestamp: 1 };
    const later = [
      user("go on"),
      calls("toolu_c"),
      result("toolu_c"),
      says("c"),
      user("and d"),
      says("d"),
      user("ok?"),
    ];
    await ask(guarded, [...HISTORY, notice, ...later]);
    await ask(guarded, [said, ...later]);
    expect(seen.slice(2).map(({ messages }) => messages.length)).toEqual([later.length + 2, later.length + 1]);
    for (const { messages } of seen.slice(2)) {
      expect(JSON.stringify(messages[0])).toContain(JSON.stringify(tail!.content));
      expect(messages.slice(-later.length)).toEqual(later);
    }
  });
});

describe("a route that takes no pictures", () => {
  const picture = (name: string): object => ({
    role: "user",
    content: [{ type: "image", data: `${name}${"A".repeat(203)}`, mimeType: "image/png" }],
  });
  const messages = timed([picture("PIC0"), says("seen"), picture("PIC1")]);
  const pictures = (seen: readonly object[]) => seen.map((context) => JSON.stringify(context).match(/PIC\d/g) ?? []);

  it.each([
    ["OpenRouter", '404 {"error":{"message":"No endpoints found that support image input","code":404}}'],
    ["Ollama", '400 {"error":{"message":"this model does not support image input (ref: b1)","type":"invalid"}}'],
    ["llama.cpp", "500 image input is not supported - hint: you may need to provide the mmproj"],
  ])(
    "is asked without them, and from then on at once; they stay stored, and other routes get them: %s",
    async (name, text) => {
      const sessionId = `recovery-${serial++}`;
      const model = { ...MODEL, baseUrl: `http://${name}` };
      const turn = async (tries: Try[], asked: object) => {
        const { guarded, seen } = session(tries);
        guarded.agent.state!.messages = messages;
        await guardHistory(guarded, makeContext({ sessionId }));
        expect(guarded.agent.state!.messages).toBe(messages);
        guardSession(guarded, makeContext({ sessionId }));
        return { ...(await ask(guarded, messages, {}, asked)), seen };
      };
      const first = await turn([fails(text), answers("read")], model);
      expect(pictures(first.seen)).toEqual([["PIC0", "PIC1"], []]);
      expect(JSON.stringify(first.seen[1])).toContain("this model takes no pictures");
      expect(first.words).toMatch(/^read\n\n\[This model takes no pictures/);
      const second = await turn([answers("again")], model);
      expect(second.words).toBe("again");
      expect(pictures(second.seen)).toEqual([[]]);
      expect(pictures((await turn([answers("well")], { ...model, id: "sees" })).seen)).toEqual([["PIC0", "PIC1"]]);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 24 * 3_600_000 });
      expect(pictures((await turn([answers("well")], model)).seen)).toEqual([["PIC0", "PIC1"]]);
      vi.useRealTimers();
    },
  );

  it("is asked for no more than the last words where the history has none: the words may be about something else", async () => {
    const refused = fails("404 No endpoints found that support image input");
    const { guarded, seen } = session([refused, refused, refused]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).message.stopReason).toBe("error");
    expect(seen).toHaveLength(3);
    const taken = session([refused, refused, answers("from the last words")]);
    guardSession(taken.guarded, makeContext());
    expect((await ask(taken.guarded)).words).toContain("from the last words");
  });
});

describe("words about pictures at a place, whatever is sent", () => {
  it("are answered in the same turn: what they say is done by the first form, and the last words come next", async () => {
    const picture = { role: "user", content: [{ type: "image", data: "A".repeat(204), mimeType: "image/png" }] };
    const refused = fails("404 messages.2.content.0: No endpoints found that support image input");
    const { guarded, seen } = session([refused, refused, answers("ok")]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded, [picture, says("seen"), ...HISTORY]);
    expect(heard.words).toContain("made from what was said last");
    expect(seen).toHaveLength(3);
  });
});

describe("a request that is too large", () => {
  const TOO_LONG = fails('400 {"error":{"message":"prompt is too long: 60000 tokens > 30000 maximum"}}');
  const long = Array.from({ length: 20 }, (_, n) => [user(`Q${n} ${"heron ".repeat(800)}`), says(`A${n}`)]).flat();
  const history = timed([...long, user("the newest question")]);
  const jsonLength = (context: unknown): number => JSON.stringify(context).length;

  it("is left to OpenClaw's compaction first, then made to fit, and fits from the next turn on; the user is told once", async () => {
    const sessionId = `size-${serial++}`;
    const turn = async (tries: Try[]) => {
      const { guarded, seen } = session(tries);
      guardSession(guarded, makeContext({ sessionId }));
      return { ...(await ask(guarded, history)), seen };
    };
    const first = await turn([TOO_LONG]);
    expect(first.message.stopReason).toBe("error");
    expect(first.seen).toHaveLength(1);
    const second = await turn([TOO_LONG, answers("ok")]);
    expect(second.words).toMatch(/^ok\n\n\[This conversation is larger than the model takes/);
    expect(jsonLength(second.seen[1])).toBeLessThan(jsonLength(second.seen[0]) / 2);
    expect(JSON.stringify(second.seen[1])).toContain("the newest question");
    const third = await turn([answers("again")]);
    expect(third.words).toBe("again");
    expect(JSON.stringify(third.seen[0])).toBe(JSON.stringify(second.seen[1]));
  });

  it("is made to fit at once where the newest question alone is too large, which no compaction summarises", async () => {
    const { guarded, seen } = session([TOO_LONG, answers("ok")]);
    guardSession(guarded, makeContext());
    const pasted = timed([user("Q"), says("A"), user(`look at this ${"heron ".repeat(20_000)}`)]);
    expect((await ask(guarded, pasted)).words).toMatch(/^ok/);
    expect(jsonLength(seen[1])).toBeLessThan(jsonLength(seen[0]) / 2);
  });

  it("is made to fit right behind a compaction, which did not help", async () => {
    const getBranch = () => [
      { type: "message", id: "one", message: says("A") },
      { type: "compaction", id: "two" },
    ];
    const { guarded } = session([TOO_LONG, answers("ok")], { sessionManager: { getBranch } });
    guardSession(guarded, makeContext());
    expect((await ask(guarded, history)).words).toMatch(/^ok/);
  });

  it("is made to fit at once where it is the request for a summary, and where too much is no token, which no compaction counts", async () => {
    const summary = session([TOO_LONG, answers("a summary")]);
    guardSession(summary.guarded, makeContext({ point: "compaction-history-gate" }));
    expect((await ask(summary.guarded, history)).words).toBe("a summary");
    for (const refusal of [
      "413 Request body too large",
      "400 Invalid 'input[43].output': string too long. Expected a string with maximum length 3000, but got a string with length 4800 instead.",
    ]) {
      const { guarded } = session([fails(refusal), answers("ok")]);
      guardSession(guarded, makeContext());
      expect((await ask(guarded, history)).words).toMatch(/^ok/);
    }
  });

  it("is made to fit at once right behind a compaction, which has not made it small enough", async () => {
    const compaction = { type: "compaction", id: "c1" };
    const entry = (message: object): object => ({ type: "message", id: "m", message });
    const behind = [compaction, entry(user("now")), entry({ ...says(""), stopReason: "error" })];
    for (const [branch, sent] of [
      [behind, 2],
      [[...behind, entry(says("answered")), entry(user("next"))], 1],
    ] as const) {
      const { guarded, seen } = session([TOO_LONG, answers("ok")], {
        sessionManager: { getBranch: () => branch },
      });
      guardSession(guarded, makeContext({ release: "2026.9.6" }));
      await ask(guarded, history);
      expect(seen).toHaveLength(sent);
    }
  });

  it("is made to fit beside the system prompt and the tools, in the next turn too", async () => {
    const sessionId = `size-${serial++}`;
    const beside = { systemPrompt: "rule ".repeat(6000), tools: [{ name: "read", description: "d".repeat(9000) }] };
    const turn = async (tries: Try[]) => {
      const { guarded, seen } = session(tries);
      guardSession(guarded, makeContext({ sessionId }));
      await ask(guarded, history, {}, MODEL, beside);
      return seen;
    };
    await turn([TOO_LONG]);
    const [, fitted] = await turn([TOO_LONG, answers("ok")]);
    const [next] = await turn([answers("again")]);
    expect(next!.messages).toEqual(fitted!.messages);
  });

  it("goes to OpenClaw again where nothing fits beside the system prompt, and behind two tries", async () => {
    const { guarded, seen } = session([fails("413 Request body too large")]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded, history)).message.stopReason).toBe("error");
    expect(seen.length).toBeLessThanOrEqual(3);
  });
});

describe("an empty answer", () => {
  it.each([
    ["2026.2.3", /^\[The provider ended this answer without a word of why/],
    ["2026.9.6", /^$/],
  ])(
    "is told where OpenClaw would end the turn without a word, and left to it where it asks again: %s",
    async (release, told) => {
      const silent = { ...says(""), content: [], usage: { output: 0 } };
      const { guarded, seen } = session([
        {
          events: [
            { type: "start", partial: silent },
            { type: "done", reason: "stop", message: silent },
          ],
        },
      ]);
      guardSession(guarded, makeContext({ release }));
      expect((await ask(guarded)).words).toMatch(told);
      if (release === "2026.9.6") expect(seen).toHaveLength(1);
    },
  );
});

describe("an answer of nothing but thinking", () => {
  const thought = { ...says(""), content: [{ type: "thinking", thinking: "It is 42." }] };
  const thinks: Try = {
    events: [
      { type: "start", partial: thought },
      { type: "thinking_delta", contentIndex: 0, delta: "It is 42." },
      { type: "done", reason: "stop", message: thought },
    ],
  };

  it("is said by the agent in the same turn, and told when it is not, where OpenClaw would end the turn in silence", async () => {
    const { guarded, followUp } = session([thinks]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const first = await ask(guarded);
    expect(first.message).toMatchObject({ content: thought.content, openclawIntegrity: { hinted: true } });
    expect(followUp).toHaveBeenCalledOnce();
    expect((await ask(guarded, [...HISTORY, first.message, user("hint")])).words).toContain("without a word of why");
    expect(followUp).toHaveBeenCalledOnce();
  });

  it("is left to a release that asks again", async () => {
    const { guarded, followUp } = session([thinks]);
    guardSession(guarded, makeContext({ release: "2026.9.6" }));
    expect((await ask(guarded)).message).toBe(thought);
    expect(followUp).not.toHaveBeenCalled();
  });
});

describe("a turn that would end without a word", () => {
  const PERSON = { release: "2026.2.3", messageProvider: "telegram", blockReplyBreak: "text_end" };
  const LOOKED = [user("and now?"), calls("toolu_c"), result("toolu_c")];
  const SENT = [
    user("and now?"),
    { ...calls("toolu_c"), content: [{ type: "toolCall", id: "toolu_c", name: "message", arguments: {} }] },
    result("toolu_c"),
  ];
  const ends = (content: object[], reason = "stop"): Try => {
    const message = { ...says("", reason), content };
    return {
      events: [
        { type: "start", partial: says("") },
        { type: "done", reason, message },
      ],
    };
  };

  /** How many hints an answer leads to, and what the user is told when the same comes again. */
  async function after(tried: Try, context: object, messages: object[]) {
    const { guarded, seen, followUp } = session([tried]);
    guardSession(guarded, makeContext(context));
    const first = await ask(guarded, messages);
    const hints = followUp.mock.calls.length;
    const again = hints > 0 ? await ask(guarded, [...messages, first.message, user("hint")]) : undefined;
    const told = again?.message.content.map(({ text = "" }) => text).join("") ?? "";
    return { hints, told, seen: seen.length, first };
  }

  it.each([
    ["a sign", answers("NO_REPLY"), [user("and now?")], "chose to say nothing"],
    ["the sign of a heartbeat", answers("**HEARTBEAT_OK**"), [user("and now?")], "chose to say nothing"],
    ["a sign behind a look into a file", answers("NO_REPLY"), LOOKED, "chose to say nothing"],
    ["nothing behind a look into a file", ends([]), LOOKED, "without a word of why"],
    ["thinking at the length limit", ends([THOUGHT], "length"), LOOKED, "reached its length limit"],
  ] as const)("of a person's is said by the agent, or told: %s", async (_name, tried, messages, told) => {
    const found = await after(tried, PERSON, [...messages]);
    expect(found).toMatchObject({ hints: 1, seen: 2 });
    expect(found.told).toContain(told);
    // OpenClaw would take the whole for the sign.
    expect(found.told).not.toMatch(/NO_REPLY|HEARTBEAT_OK/);
  });

  it.each([
    ["behind an answer that a tool has sent", { ...PERSON }, SENT],
    ["in a group", { ...PERSON, groupId: "g1" }, [user("and now?")]],
    ["in a heartbeat", { ...PERSON, messageProvider: "heartbeat" }, [user("and now?")]],
    ["where the memory is flushed", { ...PERSON, blockReplyBreak: undefined }, [user("and now?")]],
    ["in a cron job", { ...PERSON, sessionKey: "agent:main:cron:1" }, [user("and now?")]],
    ["where the inserted line does not say", { release: "2026.2.3" }, [user("and now?")]],
    ["in a release that asks again", { ...PERSON, release: "2026.9.6" }, [user("and now?")]],
  ])("stays silent %s", async (_name, context, messages) => {
    expect(await after(answers("NO_REPLY"), context, messages)).toMatchObject({ hints: 0, seen: 1 });
  });

  it("stays silent where OpenClaw has put a message of a sub-agent's into the run", async () => {
    const { guarded, followUp } = session(
      [calls("toolu_c"), "NO_REPLY"].map((one) =>
        typeof one === "string" ? answers(one) : ends(one.content, "toolUse"),
      ),
    );
    guardSession(guarded, makeContext(PERSON));
    await ask(guarded, [user("and now?")]);
    await ask(guarded, [...LOOKED, user("A sub-agent has ended.")]);
    expect(followUp).not.toHaveBeenCalled();
  });

  it("is no heartbeat's that has thought and found nothing to say", async () => {
    const heartbeat = { ...PERSON, messageProvider: "heartbeat" };
    expect(await after(ends([THOUGHT]), heartbeat, [user("look")])).toMatchObject({ hints: 0, seen: 1 });
  });

  it("leaves words alone that only mention the sign", async () => {
    const found = await after(answers("NO_REPLY is a sign."), PERSON, [user("what is it?")]);
    expect(found).toMatchObject({ hints: 0, first: { words: "NO_REPLY is a sign." } });
  });
});

describe("an answer that ends where the context window does", () => {
  const FULL = "Unhandled stop reason: model_context_window_exceeded";

  it("is the person's in releases that take it for an error, and no error is told", async () => {
    const { guarded, seen } = session([fails(FULL, "half of it")]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const heard = await ask(guarded);
    expect(heard.message).toMatchObject({ stopReason: "length", content: [{ type: "text", text: "half of it" }] });
    expect(heard.message.errorMessage).toBeUndefined();
    expect(heard.types.at(-1)).toBe("done");
    expect(seen).toHaveLength(1);
  });

  it("and has no word is asked for once more, then told", async () => {
    const { guarded, followUp } = session([fails(FULL)]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const first = await ask(guarded);
    expect(followUp).toHaveBeenCalledOnce();
    expect((await ask(guarded, [...HISTORY, first.message, user("hint")])).words).toContain("reached its length limit");
  });

  it("and holds a call ends without it, as at any other limit", async () => {
    const cut = fails(FULL) as { events: Event[] };
    (cut.events.at(-1)!["error"] as { content: object[] }).content.push(...calls("toolu_x").content);
    const { guarded } = session([cut]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const heard = await ask(guarded);
    expect(heard.words).toContain("The tool call in it was not run");
    expect(JSON.stringify(heard.message)).not.toContain("toolCall");
  });

  it("is not known by an error that only mentions it", async () => {
    const { guarded } = session([fails(`${FULL}, says a proxy`, "half")]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    expect((await ask(guarded)).message).toMatchObject({ stopReason: "error" });
  });
});

describe("a note", () => {
  it("does not stand behind a sign that OpenClaw waits for, but behind the next answer in words", async () => {
    const { guarded } = session([fails(ORPHAN), answers("NO_REPLY"), answers("hello"), answers("hello again")]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).words).toBe("NO_REPLY");
    expect((await ask(guarded)).words).toMatch(/^hello\n\n\[/);
    expect((await ask(guarded)).words).toBe("hello again");
  });
});

describe("an answer that a content filter stops", () => {
  it("ends without its half call, says so, and the agent is told before it goes on", async () => {
    const stopped = fails(FILTERED, "let me write") as { events: Event[] };
    const error = stopped.events.at(-1)!["error"] as { content: object[] };
    error.content.push({ type: "toolCall", id: "toolu_x", name: "write", arguments: {}, partialJson: '{"pa' });
    const { guarded, seen, followUp } = session([stopped, answers("another way")]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(heard.message).toMatchObject({ stopReason: "stop" });
    expect(heard.message.errorMessage).toBeUndefined();
    expect(JSON.stringify(heard.message)).not.toContain("toolCall");
    expect(heard.words).toBe(
      "let me write\n\n[The provider's content filter stopped this answer. What was cut off is not kept, and no tool call in it was run.]",
    );
    expect(followUp).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ role: "custom", customType: "openclaw-integrity" }),
    );
    expect(seen).toHaveLength(1);
    expect(heard.message).toMatchObject({ openclawIntegrity: { notice: "stopped", hinted: true } });
  });

  it("for a tool's result is made again without the result, and the answer says so in a field: the next turn tries with the result once more, and no later one", async () => {
    const { guarded, seen } = session([
      fails(FILTERED),
      answers("without it"),
      fails(FILTERED),
      answers("without it again"),
      answers("later"),
    ]);
    const history = [
      ...HISTORY.slice(0, 6),
      user("and c?"),
      { ...calls("toolu_c"), provider: "anthropic", model: "m" },
      result("toolu_c"),
    ];
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const heard = await ask(guarded, history);
    expect(heard.words).toBe(
      "without it\n\n[The provider's content filter refused what a tool returned. This answer was made without the result.]",
    );
    expect(heard.message).toMatchObject({ openclawIntegrity: { withholds: "results" } });
    const next = [...history, heard.message, user("next")];
    const again = await ask(guarded, next);
    expect(again.words).toContain("is not sent to this model any more");
    expect((await ask(guarded, [...next, again.message, user("and then")])).words).toBe("later");
    const sent = seen.map((context) => JSON.stringify(context));
    expect(sent.map((body) => body.includes("found toolu_c"))).toEqual([true, false, true, false, false]);
    for (const body of sent) expect(body).toContain("found toolu_b");
  });

  it("that refuses the question is asked with it once more in the next turn, and no more once it has refused again", async () => {
    const { guarded, seen } = session([fails(FILTERED), fails(FILTERED), fails(FILTERED), answers("ok")]);
    const own = { ...says("fine"), provider: "anthropic", model: "m" };
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const asked = [user("hello"), own, user("BADWORD")];
    const heard = await ask(guarded, asked);
    expect(heard.message).toMatchObject({
      stopReason: "stop",
      openclawIntegrity: { notice: "stopped", withholds: "all" },
    });
    const next = [...asked, heard.message, user("next")];
    const again = await ask(guarded, next);
    expect(again.message).toMatchObject({ openclawIntegrity: { confirms: true } });
    await ask(guarded, [...next, again.message, user("and then")]);
    const sent = seen.map((context) => JSON.stringify(context));
    expect(sent.map((body) => body.includes("BADWORD"))).toEqual([true, true, true, false, false]);
  });

  it("that relents is asked with all that was said: no word is kept from it for one mistake", async () => {
    const { guarded, seen } = session([fails(FILTERED), fails(FILTERED), answers("ok"), answers("and so on")]);
    const own = { ...says("fine"), provider: "anthropic", model: "m" };
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const asked = [user("hello"), own, user("HARMLESS")];
    const next = [...asked, (await ask(guarded, asked)).message, user("next")];
    const again = await ask(guarded, next);
    expect(again.words).toBe("ok");
    await ask(guarded, [...next, again.message, user("and then")]);
    for (const context of seen) expect(JSON.stringify(context)).toContain("HARMLESS");
  });

  it("is asked again by a later release, so that the guard asks again first: the history is not left out for a stop that passes", async () => {
    const { guarded, seen } = session([fails(FILTERED), answers("ok")]);
    guardSession(guarded, makeContext({ release: "2026.9.6" }));
    expect((await ask(guarded)).words).toBe("ok");
    expect(JSON.stringify(seen[1])).toBe(JSON.stringify(seen[0]));
    // A status refuses.
    const refused = session([fails(`400 ${FILTERED}`), answers("ok")]);
    guardSession(refused.guarded, makeContext({ release: "2026.9.6" }));
    expect((await ask(refused.guarded)).words).toContain("made from your last message alone");
  });

  it("behind streamed words, for what it had refused before, has the agent answer without that in the same turn", async () => {
    const { guarded, seen, followUp } = session([fails(FILTERED, "well"), answers("without it")]);
    const own = { ...says("fine"), provider: "anthropic", model: "m" };
    guardSession(guarded, makeContext());
    const refused = { ...own, openclawIntegrity: { notice: "stopped", withholds: "all" } };
    const asked = [user("BADWORD"), refused, user("next")];
    const heard = await ask(guarded, asked);
    expect(heard.message).toMatchObject({ openclawIntegrity: { notice: "stopped", confirms: true, hinted: true } });
    expect(followUp).toHaveBeenCalledOnce();
    await ask(guarded, [...asked, heard.message, user(ANSWER_WITHOUT)]);
    expect(seen.map((context) => JSON.stringify(context).includes("BADWORD"))).toEqual([true, false]);
  });

  it("is not told by a model's own words", async () => {
    const { guarded, seen } = session([answers("ok")]);
    const own = { ...says("fine"), provider: "anthropic", model: "m" };
    guardSession(guarded, makeContext());
    // The same words without the field: somebody repeats them.
    const echo = { ...own, content: [{ type: "text", text: STOPPED_REQUEST }] };
    await ask(guarded, [user("The code word is KIWI-7. Repeat that notice."), echo, user("What is the code word?")]);
    expect(JSON.stringify(seen.at(-1))).toContain("KIWI-7");
  });

  it.each([
    ["of no words", "anthropic-messages", { content: [], usage: { output: 0 } }],
    ["by an error without a name, as Gemini's for a malformed call", "google-generative-ai", undefined],
  ])(
    "may be no filter but a fault: what was asked stays in the next request, and no other is told: %s",
    async (_what, api, empty) => {
      const message = { ...says(""), api, provider: "p", model: "m", ...empty };
      const ended = {
        events: [
          { type: "start", partial: message },
          { type: "done", reason: "stop", message },
        ],
      };
      const fault = fails("An unknown error occurred");
      const { guarded, seen } = session([...(empty ? [ended, ended, ended] : [fault, fault]), answers("ok")]);
      guardSession(guarded, makeContext({ api, release: "2026.2.3" }));
      const model = { api, provider: "p", id: "m" };
      const heard = await ask(
        guarded,
        [user("hello"), { ...message, ...says("fine"), api }, user("PLEASE")],
        {},
        model,
      );
      expect(heard.words).toContain("or by a fault of its own");
      await ask(guarded, [user("hello"), says("fine"), user("PLEASE"), heard.message, user("next")], {}, model);
      expect(seen.map((context) => JSON.stringify(context).includes("PLEASE"))).not.toContain(false);
    },
  );

  it("in a compaction stays an error: our words would become the summary of the whole conversation", async () => {
    const { guarded } = session([fails(FILTERED)]);
    guardSession(guarded, makeContext({ point: "compaction-history-gate" }));
    expect((await ask(guarded)).message).toMatchObject({ stopReason: "error", errorMessage: FILTERED });
  });

  it("by the user is no filter: an abort goes on unchanged", async () => {
    const aborted = fails(FILTERED, "half") as { events: Event[] };
    (aborted.events.at(-1)!["error"] as { stopReason: string }).stopReason = "aborted";
    const { guarded, seen } = session([aborted]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(heard.events.at(-1)).toBe(aborted.events.at(-1));
    expect(seen).toHaveLength(1);
    // An adapter may report an abort as an error, in any words.
    for (const api of ["google-generative-ai", "bedrock-converse-stream", MODEL.api]) {
      const ended = session([fails("This operation was ended"), answers("never asked for")]);
      guardSession(ended.guarded, makeContext({ api }));
      await ask(ended.guarded, HISTORY, { signal: AbortSignal.abort() }, { ...MODEL, api });
      expect(ended.seen).toHaveLength(1);
    }
  });
});

describe("a stream that ends cleanly inside a tool call", () => {
  it("is an error and not a command: OpenClaw 2026.2 ran the truncated one", async () => {
    const message = {
      ...says("", "stop"),
      content: [
        {
          type: "toolCall",
          id: "toolu_x",
          name: "exec",
          arguments: { command: "rm -rf /tmp/a" },
          partialJson: '{"command":"rm -rf /tmp/a',
        },
      ],
    };
    const { guarded } = session([
      {
        events: [
          { type: "start", partial: message },
          { type: "done", reason: "stop", message },
        ],
      },
    ]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).message).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringContaining("terminated") as string,
    });
  });
});
