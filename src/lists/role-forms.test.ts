import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carelessBody } from "../../harness/arbitrary/bodies.ts";
import { corruptHistory, healthyFrom } from "../../harness/arbitrary/history.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { repair, validate } from "./index.ts";
import type { RepairStrategy } from "../transcript/repair.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 120);
type Json = Record<string, unknown>;

const SYSTEM = { role: "system", content: "You are a helper" };
const call = (id: string, more: object = {}): Json => ({
  id,
  type: "function",
  function: { name: "pay", arguments: '{"invoice":17}' },
  ...more,
});
const answer = (id: string, content: unknown = "paid"): Json => ({ role: "tool", tool_call_id: id, content });
const asks = (...calls: Json[]): Json => ({ role: "assistant", content: null, tool_calls: calls });
const user = (content: unknown): Json => ({ role: "user", content });

/** A healthy history whose names of tools every API takes. */
function healthy(seed: number): unknown[] {
  const names = JSON.stringify(healthyFrom(seed, 1 + (seed % 5))).replaceAll("calendar.list", "calendar_list");
  return JSON.parse(names) as unknown[];
}

/** A history as chat servers take it, made of one in OpenClaw's form. */
const inChat = (messages: readonly unknown[]): unknown[] =>
  carelessBody("openai-completions", messages).messages as unknown[];
const inAnthropic = (messages: readonly unknown[]): unknown[] =>
  carelessBody("anthropic-messages", messages).messages as unknown[];

/** True for a message that is, as a whole, in the form of chat servers. */
function isOfChat(message: unknown): boolean {
  if (typeof message !== "object" || message === null) return false;
  const { role, content, toolCallId } = message as Json;
  if (toolCallId !== undefined || !["system", "user", "assistant", "tool"].includes(role as string)) return false;
  return role !== "assistant" || !JSON.stringify(content ?? null).includes('"toolCall"');
}

const VALID: [string, unknown[]][] = [
  [
    "a chat with instructions, calls and results",
    [SYSTEM, user("pay 17"), asks(call("c1"), call("c2")), answer("c1"), answer("c2"), user("thanks")],
  ],
  [
    "a chat with instructions in the middle, text beside a call, and an answer",
    [
      SYSTEM,
      user("pay"),
      { role: "assistant", content: "I pay", tool_calls: [call("c1")] },
      answer("c1", [{ type: "text", text: "paid" }]),
      { role: "assistant", content: "Done." },
      { role: "developer", content: "Be short" },
      user("thanks"),
    ],
  ],
  [
    "a chat with pictures, a file, a refusal and a custom tool",
    [
      user([
        { type: "text", text: "what is it?" },
        { type: "image_url", image_url: { url: "https://example.org/a.png" } },
        { type: "file", file: { file_id: "f1" } },
      ]),
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      user("then run it"),
      asks({ id: "c1", type: "custom", custom: { name: "sh", input: "ls" } }, call("c2", { extra_content: { a: 1 } })),
      answer("c1", ""),
      answer("c2"),
    ],
  ],
  ["a chat with times of its own", [SYSTEM, { ...user("hi"), timestamp: 1 }, { role: "assistant", content: "yo" }]],
  [
    "a chat of Anthropic's with texts, a document and a server's tool",
    [
      user([{ type: "document", source: { type: "text", data: "a", media_type: "text/plain" } }]),
      { role: "assistant", content: "I read" },
      user("go"),
      {
        role: "assistant",
        content: [
          { type: "redacted_thinking", data: "abc" },
          { type: "tool_use", id: "t1", name: "pay", input: {} },
        ],
      },
      user([{ type: "tool_result", tool_use_id: "t1", content: "paid" }]),
    ],
  ],
];

describe("a valid history in an API's form", () => {
  it.each(VALID)("is the very same object: %s", (_what, messages) => {
    expect(validate(messages)).toEqual([]);
    for (const strategy of ["remove_orphans", "reconstruct", "truncate"] as const)
      expect(repair(messages, { strategy }).messages).toBe(messages);
  });

  it.each([
    ["of chat servers", (messages: unknown[]) => [SYSTEM, ...inChat(messages)]],
    ["of Anthropic", inAnthropic],
    ["of OpenClaw", (messages: unknown[]) => messages],
  ])("is the very same object, whatever it tells: in the form %s", (_form, form) => {
    for (let seed = 0; seed < 100; seed++) {
      const messages = form(healthy(seed));
      expect(validate(messages)).toEqual([]);
      expect(repair(messages).messages).toBe(messages);
    }
  });
});

describe("a corrupt chat", () => {
  it("keeps its form, its instructions and every message that was in order", () => {
    const [question, asked, first, thanks] = [user("pay"), asks(call("c1"), call("c2")), answer("c1"), user("and?")];
    const given = [SYSTEM, question, asked, thanks, first, answer("gone", "an orphan")];
    const { messages, repairs } = repair(given);
    expect(messages).toEqual([
      SYSTEM,
      question,
      asked,
      first,
      { role: "tool", tool_call_id: "c2", content: expect.stringContaining("Its outcome is unknown") as string },
      thanks,
      asks({ ...call("gone"), function: { name: "unknown_tool", arguments: "{}" } }),
      answer("gone", "an orphan"),
    ]);
    [SYSTEM, question, asked, first].forEach((message, at) => expect(messages[at]).toBe(message));
    expect(repairs.map(({ kind, messageIndex, blockIndex }) => [kind, messageIndex, blockIndex])).toEqual([
      ["missing_tool_result", 2, 1],
      ["displaced_tool_result", 4, -1],
      ["orphaned_tool_result", 5, -1],
    ]);
  });

  it("gives a call and its result a new id in both places, and keeps their other fields", () => {
    const again = asks(call("c1", { extra_content: { a: 1 } }));
    const { messages } = repair([user("pay"), asks(call("c1")), answer("c1"), again, answer("c1", "paid again")]);
    const [, , , second, result] = messages as Json[];
    const [{ id, extra_content: extra } = {}] = second!.tool_calls as Json[];
    expect([id === "c1", extra, result]).toEqual([
      false,
      { a: 1 },
      { role: "tool", tool_call_id: id, content: "paid again" },
    ]);
  });

  it("gets a call for an orphan in the form of chat servers", () => {
    const { messages } = repair([SYSTEM, user("pay"), answer("gone", "an output")], { strategy: "reconstruct" });
    expect(messages.slice(2)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "gone", type: "function", function: { name: "unknown_tool", arguments: "{}" } }],
      },
      answer("gone", "an output"),
    ]);
  });

  it("of any kind: in one form, valid, idempotent, deterministic, nothing lost", () => {
    const strategies = fc.constantFrom<RepairStrategy>("remove_orphans", "reconstruct");
    fc.assert(
      fc.property(corruptHistory, strategies, ({ messages: stored, texts, results }, strategy) => {
        // A list of nothing but texts and blocks that nobody has is of no known form.
        const given = [SYSTEM, user("pay"), asks(call("first")), answer("first"), ...inChat(stored)];
        const before = JSON.stringify(given);
        const { messages, repaired, repairs } = repair(given, { strategy });
        expect(validate(messages)).toEqual([]);
        expect(repair(messages, { strategy }).messages).toBe(messages);
        expect(JSON.stringify(given)).toBe(before);
        expect(JSON.stringify(repair(structuredClone(given), { strategy }).messages)).toBe(JSON.stringify(messages));
        expect(repaired).toBe(messages !== given);
        expect(repaired).toBe(repairs.length > 0);
        const said = JSON.stringify(messages);
        for (const text of texts) expect(said).toContain(text.trim());
        for (const { text } of results) expect(said).toContain(text);
        expect(said).toContain(SYSTEM.content);
        if (!given.every(isOfChat)) return;
        expect(messages.slice(0, 1)).toEqual([SYSTEM]);
        expect(messages.every(isOfChat)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("without results and calls of others is one that a strict server takes, once the user speaks", () => {
    for (let seed = 0; seed < 200; seed++) {
      const given = [SYSTEM, ...inChat(healthy(seed))].filter((message, at) => {
        const { role } = message as Json;
        return role !== "tool" || (at * 7919 + seed) % 3 > 0;
      });
      const { messages } = repair(given);
      expect(listViolations("openai-completions", { model: "m", messages: [...messages, user("go on")] })).toEqual([]);
    }
  });
});

describe("a refusal or sound before the first call does not make a list Chat Completions", () => {
  const refusal = { role: "assistant", content: [{ type: "refusal", refusal: "I cannot" }] };
  const item = { ...refusal, type: "message", id: "msg_1", status: "completed" };
  const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
  const payment = { type: "function_call", id: "fc_1", name: "pay", arguments: "{}" };
  const responses = [
    { ...payment, call_id: "call_1" },
    { type: "function_call_output", call_id: "call_1", output: "paid" },
  ];
  const output = { type: "text", text: "paid" };
  const agents = [
    { ...payment, callId: "call_1", status: "completed" },
    { type: "function_call_result", callId: "call_1", name: "pay", status: "completed", output },
  ];
  const question = { role: "user", content: "hello" };

  it.each<[string, object[]]>([
    ["Responses with a refusal", [question, item, question, ...responses]],
    ["Responses with a refusal of no type", [question, refusal, question, ...responses]],
    ["openai-agents with a refusal", [question, item, question, ...agents]],
    [
      "openai-agents with sound",
      [{ role: "user", content: [{ type: "audio", audio: "AAAA", transcript: "a" }] }, ...agents],
    ],
    ["Chat Completions with a refusal", [question, refusal, question]],
    [
      "Chat Completions with sound",
      [
        { role: "user", content: [sound] },
        { role: "assistant", content: "b" },
      ],
    ],
    ["stored Chat Completions with a refusal", [question, refusal, question].map((row) => ({ ...row, timestamp: 1 }))],
  ])("%s stays the same object", (_what, list) => {
    expect(repair<object>(list).messages).toBe(list);
  });

  it.each<[string, object[]]>([
    ["Responses", [question, item, question, responses[0]!]],
    ["openai-agents", [question, item, question, agents[0]!]],
  ])("%s keep their form in a repair", (_what, list) => {
    const { messages, repairs } = repair<object>(list);
    expect(repairs.map(({ kind }) => kind)).toEqual(["missing_tool_result"]);
    expect(messages.slice(0, 4)).toEqual(list);
    expect(messages).toHaveLength(5);
  });

  it.each(["input_audio", "audio", "output_audio"])("a list of the Realtime API is refused: %s", (type) => {
    const said = { type: "message", role: "user", content: [{ type, transcript: "hello" }] };
    expect(() => repair<object>([said, ...responses])).toThrow("at index 0");
    expect(() => repair<object>([...responses, said])).toThrow("at index 2");
  });
});
