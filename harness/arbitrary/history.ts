import fc from "fast-check";

/** A generated history and what must be left of it after any repair. */
export interface CorruptHistory {
  messages: unknown[];
  /** Names of the corruptions that were put in, for failure reports. */
  corruptions: string[];
  /** Texts of user and assistant blocks that stand in the history in a turn that did not fail. */
  texts: string[];
  /** Texts of real results that can be matched: their call stands in the history and the ids still agree. */
  results: { text: string; call: string }[];
}

type Block = Record<string, unknown>;
type Message = Record<string, unknown> & { role: string };

/** A random source that is nothing but a list of numbers, so that fast-check can shrink it. */
export class Draw {
  #at = 0;
  readonly #numbers: readonly number[];
  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }
  /** A whole number from 0 to `below` - 1. */
  next(below: number): number {
    if (below <= 1) return 0;
    const number = this.#numbers[this.#at++ % this.#numbers.length] ?? 0;
    return Math.abs(number + this.#at * 7919) % below;
  }
  pick<T>(items: readonly T[]): T {
    return items[this.next(items.length)]!;
  }
}

const NAMES = ["exec", "read", "web_search", "calendar.list", "browser"];
const TIMESTAMP = 1_770_000_000_000;

function assistant(content: Block[], stopReason: string): Message {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-opus-4-5",
    usage: {
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 2,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason,
    timestamp: TIMESTAMP,
  };
}

function toolResult(id: string, name: string, text: string): Message {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: TIMESTAMP,
  };
}

/** A healthy history: turns of a user, with or without tools, ending with an assistant's answer. */
function healthyHistory(draw: Draw, turns: number): Message[] {
  const messages: Message[] = [];
  let serial = 0;
  for (let turn = 0; turn < turns; turn++) {
    messages.push({
      role: "user",
      content: draw.next(2) ? `question u${serial} end` : [{ type: "text", text: `question u${serial} end` }],
      timestamp: TIMESTAMP,
    });
    serial++;
    for (let round = draw.next(3); round > 0; round--) {
      const calls = 1 + draw.next(3);
      const content: Block[] = draw.next(2) ? [{ type: "text", text: `thinking aloud a${serial++} end` }] : [];
      const results: Message[] = [];
      for (let call = 0; call < calls; call++) {
        const mark = serial++;
        const id = `toolu_${mark.toString().padStart(6, "0")}`;
        const name = draw.pick(NAMES);
        content.push({ type: "toolCall", id, name, arguments: { mark: `c${mark} end` } });
        results.push(toolResult(id, name, `output r${mark} end`));
      }
      messages.push(assistant(content, "toolUse"), ...results);
    }
    messages.push(assistant([{ type: "text", text: `answer a${serial++} end` }], "stop"));
  }
  return messages;
}

const SPELLINGS = ["tool_use", "toolUse", "functionCall", "function_call"] as const;
const BAD_IDS: readonly unknown[] = [
  "",
  " ",
  "functions.exec:0",
  "a b",
  "ü",
  "x".repeat(600),
  5,
  null,
  undefined,
  { a: 1 },
  "🦞",
];
const FOREIGN: readonly unknown[] = [
  null,
  5,
  "bare string f end",
  [],
  [{ type: "text", text: "nested" }],
  {},
  { type: "text" },
  { type: "text", text: null },
  { type: "text", text: 7 },
  { type: "thinking" },
  { type: "thinking", thinking: null, thinkingSignature: 4 },
  { type: "thinking", thinking: "signed thought", thinkingSignature: "not base64 !" },
  { type: "image" },
  { type: "image", data: null, mimeType: "image/png" },
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  { type: "output_text", text: "foreign output_text" },
  { type: "refusal", refusal: "no" },
  { type: "canvas", html: "<p>hi</p>" },
  { type: "attachment", name: "a.pdf" },
  { type: "tool_result", tool_use_id: "toolu_nowhere", content: "orphan block" },
  { type: "toolCall" },
  { type: "toolCall", id: "x1", name: "" },
  { type: "toolCall", id: "x2", name: "exec", arguments: "not json" },
  { type: "toolCall", id: "x3", name: 5, arguments: [1] },
  { type: 5, text: 6 },
];

/** Blocks of the message's content, or none. */
function blocks(message: unknown): Block[] {
  const content = (message as Message | null)?.content;
  return Array.isArray(content) ? (content as Block[]) : [];
}

type Corruption = (messages: unknown[], draw: Draw) => void;

function pickCall(messages: unknown[], draw: Draw): { message: Message; at: number } | undefined {
  const calls = messages.flatMap((message) =>
    blocks(message).flatMap((block, at) => (block?.type === "toolCall" ? [{ message: message as Message, at }] : [])),
  );
  return calls.length > 0 ? draw.pick(calls) : undefined;
}

function pickResult(messages: unknown[], draw: Draw): number {
  const at = messages.flatMap((message, index) => ((message as Message | null)?.role === "toolResult" ? [index] : []));
  return at.length > 0 ? draw.pick(at) : -1;
}

/** Every way in which a stored history was seen to go wrong, and some nobody has seen yet. */
const CORRUPTIONS: Record<string, Corruption> = {
  dropMessage: (messages, draw) => void messages.splice(draw.next(messages.length), 1),
  dropHead: (messages, draw) => void messages.splice(0, draw.next(messages.length)),
  dropTail: (messages, draw) => void messages.splice(1 + draw.next(messages.length)),
  moveMessage: (messages, draw) => {
    const [message] = messages.splice(draw.next(messages.length), 1);
    messages.splice(draw.next(messages.length + 1), 0, message);
  },
  moveResult: (messages, draw) => {
    const from = pickResult(messages, draw);
    if (from < 0) return;
    const [message] = messages.splice(from, 1);
    messages.splice(draw.next(messages.length + 1), 0, message);
  },
  duplicateResult: (messages, draw) => {
    const from = pickResult(messages, draw);
    if (from >= 0) messages.splice(draw.next(messages.length + 1), 0, structuredClone(messages[from]));
  },
  syntheticBeforeReal: (messages, draw) => {
    const from = pickResult(messages, draw);
    if (from < 0) return;
    const real = messages[from] as Message;
    const text =
      "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.";
    messages.splice(from, 0, { ...real, isError: true, content: [{ type: "text", text }] });
  },
  dropCallBlock: (messages, draw) => {
    const call = pickCall(messages, draw);
    if (call) (call.message.content as unknown[]).splice(call.at, 1);
  },
  duplicateCall: (messages, draw) => {
    const call = pickCall(messages, draw);
    if (!call) return;
    const content = call.message.content as unknown[];
    content.splice(draw.next(content.length + 1), 0, structuredClone(content[call.at]));
  },
  sameIdEverywhere: (messages) => {
    // As models do that count their calls from 0 in every turn: the order still says what belongs to what.
    let count = 0;
    let ids = new Map<unknown, string>();
    for (const message of messages as Message[]) {
      if (message?.role === "assistant") {
        count = 0;
        ids = new Map();
        for (const block of blocks(message)) {
          if (block?.type !== "toolCall") continue;
          const id = `exec_${count++}`;
          ids.set(block.id, id);
          block.id = id;
        }
      } else if (message?.role === "toolResult" && ids.has(message.toolCallId))
        message.toolCallId = ids.get(message.toolCallId);
    }
  },
  badIds: (messages, draw) => {
    const call = pickCall(messages, draw);
    if (!call) return;
    const block = blocks(call.message)[call.at]!;
    const bad = draw.pick(BAD_IDS);
    for (const message of messages as Message[])
      if (message?.role === "toolResult" && message.toolCallId === block.id) message.toolCallId = bad;
    block.id = bad;
  },
  badCallId: (messages, draw) => {
    const call = pickCall(messages, draw);
    if (call) blocks(call.message)[call.at]!.id = draw.pick(BAD_IDS);
  },
  badResultId: (messages, draw) => {
    const at = pickResult(messages, draw);
    if (at >= 0) (messages[at] as Message).toolCallId = draw.pick(BAD_IDS);
  },
  spelling: (messages, draw) => {
    const call = pickCall(messages, draw);
    if (!call) return;
    const { id, name, arguments: input } = blocks(call.message)[call.at]!;
    const type = draw.pick(SPELLINGS);
    (call.message.content as unknown[])[call.at] =
      type === "function_call"
        ? { type, call_id: id, name, arguments: JSON.stringify(input) }
        : { type, id, name, input };
  },
  resultBlock: (messages, draw) => {
    const at = pickResult(messages, draw);
    if (at < 0) return;
    const { toolCallId, content, isError } = messages[at] as Message;
    messages[at] = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: toolCallId, content, is_error: isError }],
      timestamp: TIMESTAMP,
    };
  },
  failedTurn: (messages, draw) => {
    const call = pickCall(messages, draw);
    if (!call) return;
    call.message.stopReason = draw.pick(["error", "aborted", "terminated"]);
    call.message.errorMessage = "Output blocked by content filtering policy";
    if (draw.next(2)) blocks(call.message)[call.at]!.partialJson = '{"mark":"c';
  },
  partialCall: (messages, draw) => {
    const call = pickCall(messages, draw);
    if (call) blocks(call.message)[call.at]!.partialJson = '{"ma';
  },
  badArguments: (messages, draw) => {
    const call = pickCall(messages, draw);
    if (call)
      blocks(call.message)[call.at]!.arguments = draw.pick([
        undefined,
        null,
        '{"a":1}',
        "text",
        5,
        [1, 2],
        deep(300),
      ] as unknown[]);
  },
  badName: (messages, draw) => {
    const call = pickCall(messages, draw);
    if (call)
      blocks(call.message)[call.at]!.name = draw.pick([
        "",
        " ",
        "a.b",
        "ä",
        null,
        5,
        "n".repeat(300),
        undefined,
      ] as unknown[]);
  },
  foreignBlock: (messages, draw) => {
    const lists = messages
      .map((message) => (message as Message | null)?.content)
      .filter((content) => Array.isArray(content));
    if (lists.length === 0) return;
    const content = draw.pick(lists) as unknown[];
    content.splice(draw.next(content.length + 1), 0, structuredClone(draw.pick(FOREIGN)));
  },
  foreignMessage: (messages, draw) => {
    const message: unknown = draw.pick([
      null,
      5,
      "bare message",
      [],
      {},
      { role: "system", content: "be good" },
      { role: 5 },
      { role: "user" },
      { role: "assistant", content: "string answer" },
      { role: "tool", tool_call_id: "none", content: "x" },
    ] as unknown[]);
    messages.splice(draw.next(messages.length + 1), 0, structuredClone(message));
  },
  blank: (messages, draw) => {
    const at = draw.next(messages.length + 1);
    messages.splice(
      at,
      0,
      draw.pick([
        { role: "user", content: "" },
        { role: "user", content: [{ type: "text", text: " \n" }] },
        assistant([], "error"),
        assistant([{ type: "text", text: "" }], "stop"),
      ] as unknown[]),
    );
  },
  interleave: (messages, draw) => {
    const at = pickResult(messages, draw);
    if (at < 0) return;
    const mirror = {
      ...assistant([{ type: "text", text: `mirror m${at} end` }], "stop"),
      provider: "openclaw",
      model: "delivery-mirror",
    };
    messages.splice(
      at,
      0,
      draw.next(2) ? mirror : { role: "user", content: `between b${at} end`, timestamp: TIMESTAMP },
    );
  },
  badContent: (messages, draw) => {
    const at = pickResult(messages, draw);
    if (at >= 0)
      (messages[at] as Message).content = draw.pick(["plain output", null, undefined, 5, {}, [null], [5]] as unknown[]);
  },
};

function deep(levels: number): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

/** The corrupt history that a list of numbers stands for; the same numbers always give the same history. */
export function historyFrom(numbers: readonly number[], turns: number, kinds: readonly number[]): CorruptHistory {
  const draw = new Draw(numbers);
  const messages: unknown[] = healthyHistory(draw, turns);
  const names = Object.keys(CORRUPTIONS);
  const corruptions = kinds.map((kind) => names[kind % names.length]!);
  for (const name of corruptions) if (messages.length > 0) CORRUPTIONS[name]!(messages, draw);
  return { messages, corruptions, ...expectations(messages) };
}

/** Reads off the history itself what a repair may not lose. */
function expectations(messages: readonly unknown[]): Pick<CorruptHistory, "texts" | "results"> {
  const texts: string[] = [];
  const calls = new Map<string, { id: unknown }>();
  const ids = new Map<unknown, number>();
  const found: { text: string; id: unknown }[] = [];
  for (const message of messages as (Message | null)[]) {
    if (message?.role === "user" && typeof message.content === "string" && message.content.trim())
      texts.push(message.content);
    const failed = ["error", "aborted", "terminated"].includes(message?.stopReason as string);
    for (const block of blocks(message)) {
      if (typeof block !== "object" || block === null) continue;
      if (message?.role === "toolResult") {
        const text = block.text;
        if (typeof text === "string" && text.startsWith("output r")) found.push({ text, id: message.toolCallId });
        continue;
      }
      if (block.type === "tool_result" && Array.isArray(block.content)) {
        const text = (block.content as (Block | null)[])[0]?.text;
        if (typeof text === "string" && text.startsWith("output r")) found.push({ text, id: block.tool_use_id });
      }
      if (block.type === "text" && typeof block.text === "string" && block.text.trim() && !failed)
        texts.push(block.text);
      const mark = /c(\d+) end/.exec(JSON.stringify(block.arguments ?? block.input) ?? "")?.[1];
      const id = block.call_id ?? block.id;
      if (mark !== undefined && !calls.has(mark)) calls.set(mark, { id });
      // Calls whose arguments were damaged count as well: they may be the ones a result belongs to.
      if (message?.role === "assistant" && block.type !== "text") ids.set(id, (ids.get(id) ?? 0) + 1);
    }
  }
  const results = found.flatMap(({ text, id }) => {
    const mark = /r(\d+) end/.exec(text)![1]!;
    const call = calls.get(mark);
    // An id that several calls share, or that is none, says nothing for certain once messages were moved.
    const certain = call && call.id === id && typeof id === "string" && id.trim() !== "" && ids.get(id) === 1;
    return certain ? [{ text, call: `c${mark} end` }] : [];
  });
  return { texts, results };
}

/** Corrupt histories of 1 to 5 turns with 0 to 5 corruptions. */
export const corruptHistory: fc.Arbitrary<CorruptHistory> = fc
  .tuple(
    fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 40 }),
    fc.integer({ min: 1, max: 5 }),
    fc.array(fc.nat(Object.keys(CORRUPTIONS).length - 1), { maxLength: 5 }),
  )
  .map(([numbers, turns, kinds]) => historyFrom(numbers, turns, kinds));

/** Lists of any JSON, some of it with the keys that matter. */
export const anyHistory: fc.Arbitrary<unknown[]> = fc.array(
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record(
      {
        role: fc.oneof(
          fc.constantFrom("user", "assistant", "toolResult", "tool", "system"),
          fc.jsonValue({ maxDepth: 1 }),
        ),
        content: fc.oneof(
          fc.string(),
          fc.array(
            fc.oneof(
              fc.jsonValue({ maxDepth: 2 }),
              fc.constantFrom(...FOREIGN),
              fc.record(
                {
                  type: fc.constantFrom(
                    "text",
                    "toolCall",
                    "tool_use",
                    "tool_result",
                    "thinking",
                    "image",
                    "functionCall",
                  ),
                  text: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 })),
                  id: fc.oneof(fc.constantFrom("a", "b", ""), fc.jsonValue({ maxDepth: 1 })),
                  tool_use_id: fc.constantFrom("a", "b", ""),
                  name: fc.oneof(fc.constantFrom("exec", ""), fc.jsonValue({ maxDepth: 1 })),
                  arguments: fc.jsonValue({ maxDepth: 2 }),
                  content: fc.jsonValue({ maxDepth: 2 }),
                },
                { requiredKeys: ["type"] },
              ),
            ),
            { maxLength: 4 },
          ),
          fc.jsonValue({ maxDepth: 1 }),
        ),
        toolCallId: fc.oneof(fc.constantFrom("a", "b", ""), fc.jsonValue({ maxDepth: 1 })),
        stopReason: fc.constantFrom("stop", "toolUse", "error", "aborted"),
      },
      { requiredKeys: ["role"] },
    ),
  ),
  { maxLength: 8 },
);

/** A healthy history of `turns` turns, the same one for the same seed. */
export function healthyFrom(seed: number, turns: number): unknown[] {
  return healthyHistory(new Draw(Array.from({ length: 97 }, (_, at) => (seed + 1) * 104_729 * (at + 1))), turns);
}
