/** Every way in which a stored history was seen to go wrong, and some nobody has seen yet. */
import type { Draw } from "./draw.ts";
import { assistant, blocks, TIMESTAMP, type Message } from "./stored-messages.ts";

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
/** Blocks of other forms, or of none. */
export const FOREIGN: readonly unknown[] = [
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

/** Changes the list and its messages. */
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

/** The corruptions by name; each changes the messages where it finds what it needs. */
export const CORRUPTIONS: Record<string, Corruption> = {
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
