/** What heal does to blocks and items of types that no known form has: they are the provider's to refuse. */
import { describe, expect, it, test } from "vitest";
import { APIS } from "../../harness/arbitrary/bodies.ts";
import { withKnownTypes } from "../../harness/arbitrary/known-types.ts";
import type { ModelApi as Api } from "../../harness/corpus/case.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { check, heal } from "./index.ts";

type Json = Record<string, unknown>;

const NEW = { type: "hologram_scan", id: "holo_1", views: [{ angle: 3 }], note: "the left door" };
const FIELD = { hologramScan: { id: "holo_1", note: "the left door" } };
const CALLS: Record<string, [call: Json, result: (content: unknown) => Json]> = {
  "anthropic-messages": [
    { type: "tool_use", id: "t1", name: "look", input: {} },
    (content) => ({ type: "tool_result", tool_use_id: "t1", content }),
  ],
  "bedrock-converse-stream": [
    { toolUse: { toolUseId: "t1", name: "look", input: {} } },
    (content) => ({ toolResult: { toolUseId: "t1", content } }),
  ],
};
const blocks = (part: Json, text: (words: string) => Json, api: string): Json[] => {
  const [call, result] = CALLS[api]!;
  return [
    { role: "user", content: [text("look"), part] },
    { role: "assistant", content: [part, text("I look"), call] },
    { role: "user", content: [result([text("seen"), part])] },
    { role: "assistant", content: [text("a door"), part] },
    { role: "user", content: [text("and now?")] },
  ];
};
const typed = (text: string): Json => ({ type: "text", text });
const untyped = (text: string): Json => ({ text });

/** The histories that hold such parts, as a program sends them. */
const HISTORIES: Record<Api, Json[]> = {
  "anthropic-messages": blocks(NEW, typed, "anthropic-messages"),
  "bedrock-converse-stream": blocks(FIELD, untyped, "bedrock-converse-stream"),
  "google-generative-ai": [
    { role: "user", parts: [{ text: "look" }, FIELD] },
    { role: "model", parts: [FIELD, { text: "a door" }, { functionCall: { name: "look", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "look", response: { output: "seen" } } }] },
    { role: "model", parts: [{ text: "a door" }] },
    { role: "user", parts: [{ text: "and now?" }] },
  ],
  "openai-completions": [
    { role: "system", content: [typed("Be brief."), NEW] },
    { role: "user", content: [typed("look"), NEW] },
    { role: "assistant", content: [typed("a door"), NEW] },
    { role: "user", content: "and now?" },
  ],
  "openai-responses": [
    { role: "user", content: [{ type: "input_text", text: "look" }, NEW] },
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "hologram_scan_call", id: "holo_1", call_id: "c9", action: { angle: 3 } },
    { type: "hologram_scan_call_output", call_id: "c9", output: [NEW] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "a door" }, NEW] },
    { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "seen" }, NEW] },
    { role: "user", content: "and now?" },
  ],
};
const FIELDS: Record<string, string> = { "openai-responses": "input", "google-generative-ai": "contents" };
const bodyFor = (api: Api, history: readonly unknown[]): Json => ({
  ...(api !== "bedrock-converse-stream" && { model: "m" }),
  ...(api === "anthropic-messages" && { max_tokens: 9 }),
  [FIELDS[api] ?? "messages"]: history,
});
const historyIn = (api: Api, body: Json): Json[] => body[FIELDS[api] ?? "messages"] as Json[];

describe.each(APIS)("a new type of %s", (api) => {
  const body = bodyFor(api, HISTORIES[api]);
  const count = JSON.stringify(body).split("left door").length;

  it("stays as it is, or what a provider has introduced since is lost at its first use", () => {
    expect(check(api, body)).toEqual([]);
    expect(heal(api, body)).toBe(body);
  });

  it("stays as it is where messages around it are healed", () => {
    const damaged = historyIn(api, body).map((message) => {
      if (message.role !== "user" && message.role !== "assistant" && message.role !== "model") return message;
      const field = "parts" in message ? "parts" : "content";
      const given = message[field];
      return Array.isArray(given) ? { ...message, [field]: [...(given as unknown[]), 17] } : message;
    });
    const healed = heal(api, bodyFor(api, damaged));
    expect(check(api, healed)).toEqual([]);
    for (const part of [NEW, FIELD]) {
      const words = JSON.stringify(part);
      expect(JSON.stringify(healed).split(words)).toHaveLength(JSON.stringify(body).split(words).length);
    }
  });

  it("is text of its speaker where the route refuses it, with calls as they are", () => {
    expect(listViolations(api, body)).not.toEqual([]);
    const shaped = withKnownTypes(api, body);
    expect(listViolations(api, shaped)).toEqual([]);
    expect(JSON.stringify(shaped).split("left door")).toHaveLength(count);
    const calls = /"(?:tool_use|function_call|toolUse|functionCall)"/g;
    expect(JSON.stringify(shaped).match(calls)).toEqual(JSON.stringify(body).match(calls));
    if (api !== "openai-responses") return;
    const speakers = historyIn(api, shaped).flatMap((item) =>
      JSON.stringify(item).includes("hologram") ? [item.role ?? item.type] : [],
    );
    expect(speakers).toEqual(["user", "assistant", "assistant", "assistant", "function_call_output"]);
  });
});

test("a call of a server's tool with a result of a new type keeps both", () => {
  const body = {
    model: "claude-opus-4-7",
    max_tokens: 9,
    messages: [
      { role: "user", content: "look" },
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "srvtoolu_1", name: "hologram", input: {} },
          { type: "hologram_tool_result", tool_use_id: "srvtoolu_1", content: [] },
          { type: "text", text: "a door" },
        ],
      },
      { role: "user", content: "and now?" },
    ],
  };
  expect(heal("anthropic-messages", body)).toBe(body);
});

test.each<[Api, Json]>([
  ["anthropic-messages", { type: "input_text", text: "look" }],
  ["anthropic-messages", { type: "image_url", image_url: { url: "https://example.com/a.png" } }],
  ["openai-completions", { type: "tool-call", toolName: "look" }],
  ["openai-responses", { type: "searchResult", text: "seen" }],
])("a type of another form is text, since servers refuse it: %s %j", (api, part) => {
  const body = bodyFor(api, [{ role: "user", content: [part] }]);
  const healed = heal(api, body);
  expect(listViolations(api, healed)).toEqual([]);
  expect(healed).not.toBe(body);
});
