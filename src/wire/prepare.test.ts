import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Draw } from "../../harness/arbitrary/draw.ts";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import { looksNamed } from "../transcript/look.ts";
import { ORIGIN_FIELD } from "../transcript/origin.ts";
import { SYNTHETIC_MARK } from "../transcript/invented.ts";
import { MISSING_RESULT_TEXT } from "../transcript/json/text.ts";
import { prepare } from "./prepare.ts";

type Json = Record<string, unknown>;
type Edit = (history: Json[], draw: Draw) => Json[] | void;

const APIS = ["anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai"];
const REASONING = JSON.stringify({ type: "reasoning", id: "rs_1", summary: [] });

const user = (content: unknown): Json => ({ role: "user", content, timestamp: 1 });
const answer = (content: unknown[], api = "openai-responses"): Json => ({
  role: "assistant",
  api,
  content,
  stopReason: "stop",
});
const text = (words: string): Json => ({ type: "text", text: words });

function tooDeep(): unknown {
  let value: unknown = 1;
  for (let level = 0; level < 300; level++) value = [value];
  return value;
}

const ORPHAN: Json = {
  role: "toolResult",
  toolCallId: "call_of_nobody",
  toolName: "exec",
  content: [text("lost")],
  isError: false,
};

let serial = 0;

/**
 * An answer with calls and their results; some of it is valid for some APIs only, or only as long as it is no error.
 */
function round(calls: number, draw: Draw): Json[] {
  const ids = Array.from({ length: calls }, () => `call_${serial++}`);
  const thought = { type: "thinking", thinking: "so", thinkingSignature: draw.pick([REASONING, "nonsense"]) };
  const result = (toolCallId: string): Json => ({
    role: "toolResult",
    toolCallId,
    toolName: "exec",
    content: [text(draw.pick(["ok", MISSING_RESULT_TEXT]))],
    isError: draw.next(2) === 0,
    ...(draw.next(2) === 0 && { details: { a: 1 } }),
  });
  const called = ids.map((id): Json => ({ type: "toolCall", id, name: "exec", arguments: { in: { a: 1 } } }));
  return [answer([thought, ...called], draw.pick(APIS)), ...ids.map(result)];
}

/** What OpenClaw and its plugins do to a history between two model calls. */
const GROW: readonly Edit[] = [
  (history) => [...history, user("go on")],
  (history, draw) => [...history, ...round(1 + draw.next(3), draw)],
  (history) => [...history, user([{ type: "image", data: "AAAA", mimeType: "image/png" }])],
  (history) => void history.push(user([text("more")]), answer([text("yes")])),
  (history, draw) => void history.push(...round(1, draw)),
];

const pickBlock = (message: Json, draw: Draw): Json =>
  Array.isArray(message["content"]) ? (draw.pick(message["content"] as Json[]) ?? {}) : {};
const onMessage =
  (change: (message: Json, draw: Draw) => void): Edit =>
  (history, draw) => {
    if (history.length > 0) change(draw.pick(history), draw);
  };
const onBlock =
  (type: string, change: (block: Json, draw: Draw) => void): Edit =>
  (history, draw) => {
    const blocks = history.flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []));
    const chosen = draw.pick(blocks.filter((block) => block["type"] === type));
    if (chosen) change(chosen, draw);
  };

/** Changes in place, and lists that are not the old one with something behind it. */
const CHANGE: readonly Edit[] = [
  onBlock("text", (block) => (block["text"] = "")),
  onBlock("text", (block) => (block["text"] = 7)),
  onBlock("text", (block) => delete block["text"]),
  onBlock("text", (block) => (block["type"] = "input_text")),
  onBlock("toolCall", (block) => (block["id"] = "call_0")),
  onBlock("toolCall", (block) => (block["id"] = "")),
  onBlock("toolCall", (block) => (block["name"] = "a name")),
  onBlock("toolCall", (block) => (block["name"] = "other")),
  onBlock("toolCall", (block) => (block["arguments"] = "{}")),
  onBlock("toolCall", (block) => (block["partialJson"] = "{")),
  onBlock("toolCall", (block) => (block["type"] = "tool_use")),
  onBlock("toolCall", (block) => {
    if (typeof block["arguments"] === "object") (block["arguments"] as Json)["in"] = "something else";
  }),
  onBlock("thinking", (block) => (block["thinkingSignature"] = "nonsense")),
  onBlock("thinking", (block) => (block["thinking"] = null)),
  onMessage((message) => (message["role"] = "user")),
  onMessage((message) => (message["role"] = "tool")),
  onMessage((message) => (message["content"] = [])),
  onMessage((message) => (message["content"] = "  ")),
  onMessage((message) => (message["stopReason"] = "error")),
  onMessage((message, draw) => (message["api"] = draw.pick(APIS))),
  onMessage((message) => (message["details"] = { a: 1 })),
  onBlock("image", (block) => (block["data"] = "")),
  onBlock("image", (block) => (block["mimeType"] = 7)),
  onBlock("image", (block) => (block["type"] = "input_image")),
  onMessage(({ content }) => {
    if (Array.isArray(content) && content.length > 0) content[0] = { ...(content[0] as Json), extra: tooDeep() };
  }),
  onMessage((message) => (message["tool_calls"] = [{ id: "x", function: { name: "exec", arguments: "{}" } }])),
  onMessage((message) => (message["toolCallId"] = "call_gone")),
  onMessage((message) => (message["toolName"] = "other")),
  onMessage((message) => (message["isError"] = true)),
  onMessage((message) => {
    if (message["details"]) (message["details"] as Json)["openclawSyntheticMissingToolResult"] = true;
  }),
  onMessage(({ content }) => Array.isArray(content) && void content.pop()),
  onMessage(({ content }) => Array.isArray(content) && void content.push({ type: "tool_result", tool_use_id: "y" })),
  onMessage(({ content }) => Array.isArray(content) && void content.push(text("more"))),
  onMessage(
    (message, draw) => void Object.assign(pickBlock(message, draw), { type: "image", data: "", mimeType: "image/png" }),
  ),
  (history, draw) => history.slice(0, draw.next(history.length + 1)),
  (history, draw) => history.toSpliced(draw.next(history.length), 1),
  (history, draw) => history.toSpliced(draw.next(history.length), 0, user("in between")),
  (history, draw) => void history.splice(draw.next(history.length), 1),
  (history) => structuredClone(history),
  (history) => history.map((message) => ({ ...message, extra: tooDeep() })),
  (history) => history.map((message) => ({ ...message })),
  (history, draw) => history.map((message) => (draw.next(3) === 0 ? structuredClone(message) : message)),
  (history, draw) => history.map((message) => (draw.next(4) === 0 ? { ...message, content: [text("")] } : message)),
  (history) => [user("[summary]"), ...history.slice(2)],
];

describe("a history that is prepared", () => {
  it("takes the short way only where the long one would change nothing, whatever happened to it", () => {
    const steps = fc.array(
      fc.tuple(fc.boolean(), fc.nat(1000), fc.array(fc.nat(1_000_000), { minLength: 4, maxLength: 8 })),
      { minLength: 1, maxLength: 14 },
    );
    let short = 0;
    let prepared = 0;
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(3), steps, (seed, which, program) => {
        const api = APIS[which]!;
        let history = healthyFrom(seed, 1 + (seed % 4)) as Json[];
        for (const [grows, edit, numbers] of program) {
          const draw = new Draw(numbers);
          // A healthy history again, so that many take the short way.
          if (!grows && draw.next(3) === 0) history = prepare(api, history);
          const edits = grows ? GROW : CHANGE;
          history = edits[edit % edits.length]!(history, draw) ?? history;
          const before = JSON.stringify(history);
          const outcome = prepare(api, history);
          expect(JSON.stringify(history)).toBe(before);
          prepared++;
          if (outcome !== history || !looksNamed(history)) continue;
          short++;
          // With an orphan behind it, a history is prepared the long way.
          expect(prepare(api, [...history, ORPHAN])).toEqual(history);
        }
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) },
    );
    expect(short / prepared, "nearly nothing took the short way, so that nothing was tested").toBeGreaterThan(0.3);
  });

  const call = (id: string, thinkingSignature: string, api?: string): Json =>
    answer(
      [
        { type: "thinking", thinking: "so", thinkingSignature },
        { type: "toolCall", id, name: "exec", arguments: {} },
      ],
      api,
    );
  const result = (toolCallId: string, words: string, more: Json): Json => ({
    role: "toolResult",
    toolCallId,
    toolName: "exec",
    content: [text(words)],
    ...more,
  });
  const SIGNED = 1;
  const UNSIGNED = 3;
  const [SAID, MARKED, FAILED, INVENTED, PICTURED] = [4, 6, 8, 9, 12];
  const full = (): Json[] => [
    user([{ type: "image", data: "AAAA", mimeType: "image/png" }]),
    call("a", REASONING),
    result("a", "ok", { isError: false }),
    call("b", "nonsense", "anthropic-messages"),
    result("b", MISSING_RESULT_TEXT, { isError: false, details: { a: 1 } }),
    call("c", REASONING),
    result("c", "ok", { isError: false, details: { a: 1 } }),
    call("d", REASONING),
    result("d", MISSING_RESULT_TEXT, { isError: true }),
    call("e", REASONING),
    result("e", "unknown", { isError: true, [ORIGIN_FIELD]: { result: "unknown" } }),
    call("f", REASONING),
    {
      ...result("f", "boom", { isError: true }),
      content: [text("boom"), { type: "image", data: "AAAA", mimeType: "image/png" }],
    },
  ];
  const block = (message: Json | undefined, at: number): Json => (message!["content"] as Json[])[at]!;

  it.each<[string, (history: Json[]) => unknown]>([
    ["an image's data", (history) => (block(history[0], 0)["data"] = "")],
    ["an image's type", (history) => (block(history[0], 0)["mimeType"] = 7)],
    ["a block's type", (history) => (block(history[0], 0)["type"] = "input_image")],
    ["a role", (history) => (history[0]!["role"] = "person")],
    ["a message's content", (history) => (history[0]!["content"] = 7)],
    ["a block more", (history) => (history[0]!["content"] as unknown[]).push(7)],
    [
      "another block",
      (history) => ((history[0]!["content"] as unknown[])[0] = { ...block(history[0], 0), x: tooDeep() }),
    ],
    ["another message", (history) => (history[0] = { ...history[0], x: tooDeep() })],
    ["a text", (history) => (block(history[2], 0)["text"] = 7)],
    ["a thought", (history) => (block(history[SIGNED], 0)["thinking"] = 7)],
    ["a signature", (history) => (block(history[SIGNED], 0)["thinkingSignature"] = "nonsense")],
    ["the API of an answer", (history) => (history[UNSIGNED]!["api"] = "openai-responses")],
    ["the end of an answer", (history) => (history[UNSIGNED]!["stopReason"] = "error")],
    ["calls in another form", (history) => (history[UNSIGNED]!["tool_calls"] = [{ id: "x" }])],
    ["a call's id", (history) => (block(history[UNSIGNED], 1)["id"] = "a")],
    ["a call's name", (history) => (block(history[UNSIGNED], 1)["name"] = "")],
    ["a call's arguments", (history) => (block(history[UNSIGNED], 1)["arguments"] = "{}")],
    ["a call cut off", (history) => (block(history[INVENTED], 1)["partialJson"] = "{")],
    ["a result's call", (history) => (history[SAID]!["toolCallId"] = "a")],
    ["a result's name", (history) => (history[SAID]!["toolName"] = "read")],
    ["a result that is an error now", (history) => (history[SAID]!["isError"] = true)],
    ["a result marked in place", (history) => ((history[MARKED]!["details"] as Json)[SYNTHETIC_MARK] = true)],
    ["details of an error", (history) => (history[FAILED]!["details"] = { a: 1 })],
    [
      "a result's id into a field that OpenClaw does not read",
      (history) => {
        delete history[SAID]!["toolCallId"];
        history[SAID]!["call_id"] = "b";
      },
    ],
    ["OpenClaw's own words in a picture", (history) => (block(history[PICTURED]!, 1)["text"] = MISSING_RESULT_TEXT)],
  ])("is prepared where somebody changed %s", (_what, change) => {
    const history = full();
    expect(prepare("openai-responses", history)).toBe(history);
    change(history);
    expect(prepare("openai-responses", history)).not.toBe(history);
  });

  it.each<[string, (answered: Json, called: Json) => unknown]>([
    [
      "a result in a nested spelling",
      (answered) => {
        answered["functionResponse"] = { id: answered["toolCallId"] };
        delete answered["toolCallId"];
      },
    ],
    [
      "a call in a nested spelling",
      (_answered, called) => {
        called["functionCall"] = { id: called["id"] };
        delete called["id"];
      },
    ],
  ])("gets the id of %s where OpenClaw reads it", (_what, nest) => {
    const history = [user("hi"), call("a", REASONING), result("a", "ok", { isError: false })];
    const plain = structuredClone(history);
    nest(history[2]!, block(history[1], 1));
    const prepared = prepare("openai-responses", history) as Json[];
    expect(block(prepared[1], 1)).toMatchObject(block(plain[1], 1));
    expect(prepared[2]).toMatchObject(plain[2]!);
    expect(prepare("openai-responses", prepared)).toBe(prepared);
  });

  it("leaves no message empty whose thinking had an unusable signature and no words", () => {
    const api = "openai-completions";
    const thought = { type: "thinking", thinking: "", thinkingSignature: "x" };
    const once = prepare(api, [user("hi"), answer([thought], api)]);
    expect(once).toEqual([user("hi")]);
    expect(prepare(api, once)).toBe(once);
  });
});
