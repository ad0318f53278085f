import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../transcript/json/json.ts";
import { findRefusal } from "./rules.ts";

const user = (...content: unknown[]): JsonObject => ({ role: "user", content });
const assistant = (...content: unknown[]): JsonObject => ({ role: "assistant", content });
const text = (value = "words"): JsonObject => ({ type: "text", text: value });
const call = (id: unknown, more: JsonObject = {}): JsonObject => ({
  type: "tool_use",
  id,
  name: "exec",
  input: {},
  ...more,
});
const result = (id: unknown): JsonObject => ({ type: "tool_result", tool_use_id: id, content: [text("done")] });
const body = (...messages: unknown[]): JsonObject => ({ model: "m", max_tokens: 1, messages });

test.each<[string, JsonObject]>([
  ["one message", body(user(text()))],
  ["content as a string", body({ role: "user", content: "hello" })],
  ["a call with its result", body(user(text()), assistant(text(), call("a")), user(result("a"), text()))],
  ["parallel calls", body(user(text()), assistant(call("a"), call("b")), user(result("b"), result("a")))],
  [
    "results in two messages of one role",
    body(user(text()), assistant(call("a"), call("b")), user(result("b")), user(result("a"))),
  ],
  [
    "several messages of one role",
    body(user(text()), user(text()), assistant(text()), assistant(text()), user(text())),
  ],
  [
    "thinking",
    body(user(text()), assistant({ type: "thinking", thinking: "hm", signature: "s" }, text()), user(text())),
  ],
])("accepts %s", (_, accepted) => {
  expect(findRefusal(accepted)).toBeUndefined();
});

describe("refuses, in the words of the API,", () => {
  test.each<[string, unknown, string | RegExp]>([
    ["no body", undefined, "messages: Field required"],
    ["no messages", {}, "messages: Field required"],
    ["an empty list", body(), "messages: at least one message is required"],
    ["a message that is none", body("x"), "messages.0: Input should be a valid dictionary"],
    ["another role", body({ role: "tool", content: "x" }), /Unexpected role "tool"/],
    [
      "content that is no list",
      body({ role: "user", content: { text: "x" } }),
      "messages.0.content: Input should be a valid list",
    ],
    ["an empty message", body(user()), "messages.0: all messages must have non-empty content"],
    ["a blank string", body({ role: "user", content: " \n" }), "messages.0: text content must be non-empty"],
    ["a blank text", body(user(text(" "))), "messages: text content blocks must be non-empty"],
    [
      "a text that is none",
      body(user({ type: "text", text: 5 })),
      "messages.0.content.0.text.text: Input should be a valid string",
    ],
    [
      "a block of another API",
      body(user(text()), assistant({ type: "toolCall", id: "a" }), user(text())),
      /^messages\.1\.content\.0: Input tag 'toolCall' found/,
    ],
    ["a call of the user's", body(user(call("a"))), /Input tag 'tool_use'/],
    [
      "a strange id",
      body(user(text()), assistant(call("a b")), user(result("a b"))),
      /tool_use\.id: String should match pattern/,
    ],
    [
      "no name",
      body(user(text()), assistant(call("a", { name: "" })), user(result("a"))),
      /tool_use\.name: String should match/,
    ],
    [
      "arguments as text",
      body(user(text()), assistant(call("a", { input: "{}" })), user(result("a"))),
      /tool_use\.input: Input should be a valid dictionary/,
    ],
    [
      "a result of nothing",
      body(user(text()), assistant(call("a")), user(result(undefined))),
      /tool_use_id: Field required/,
    ],
    [
      "an answer at the beginning",
      body(assistant(text()), user(text())),
      'messages: first message must use the "user" role',
    ],
    [
      "an answer at the end",
      body(user(text()), assistant(text())),
      /^This model does not support assistant message prefill/,
    ],
    [
      "a call without a result",
      body(user(text()), assistant(call("a"), call("b")), user(result("b"), text())),
      /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: a\./,
    ],
    [
      "a result behind a text",
      body(user(text()), assistant(call("a")), user(text(), result("a"))),
      /without `tool_result` blocks immediately after: a\./,
    ],
    [
      "a result without a call",
      body(user(text()), assistant(text()), user(result("a"))),
      /^messages\.2\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: a\./,
    ],
    [
      "a result before its call",
      body(user(text()), user(result("a")), assistant(call("a")), user(text())),
      /ids were found without|unexpected `tool_use_id`/,
    ],
    [
      "an id used twice",
      body(user(text()), assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))),
      "messages.3.content.0: `tool_use` ids must be unique",
    ],
    [
      "two results of one call",
      body(user(text()), assistant(call("a")), user(result("a"), result("a"))),
      /^messages\.2\.content\.1: each tool_use must have a single result/,
    ],
  ])("%s", (_, refused, words) => {
    const refusal = findRefusal(refused);
    if (typeof words === "string") expect(refusal).toBe(words);
    else expect(refusal).toMatch(words);
  });
});
