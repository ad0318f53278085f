import { describe, expect, it } from "vitest";
import { repair } from "./index.ts";

const block = { type: "weird", x: "hello" };
const use = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "pay", input: {} }] };
const used = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "paid" }] };
const user = { role: "user", content: "Are you there?" };
const cut = { id: "c1", type: "function", function: { name: "pay", arguments: '{"a":' } };
const call = { role: "assistant", content: null, tool_calls: [cut] };
const result = { role: "tool", tool_call_id: "c1", content: "paid" };
const blank = { role: "user", content: " " };
const hello = { role: "user", parts: [{ text: "hello", kind: "x" }] };
const answer = { role: "model", parts: [{ text: "answer" }] };

const ROW = Symbol("a row of no form");

/** Each list with what stands in its repair: a word of each message, or the row. */
const LISTS: [string, unknown[], unknown[]][] = [
  ["a Gemini content", [hello, ROW, answer], ["hello", ROW, "answer"]],
  ["the last Gemini content", [answer, hello, ROW], ["Start", "answer", "hello", ROW]],
  [
    "each of two like Gemini contents",
    [hello, ROW, answer, hello, ROW, answer],
    ["hello", ROW, "answer", "hello", ROW, "answer"],
  ],
  [
    "a message of Anthropic's",
    [{ role: "user", content: [block] }, ROW, use, used],
    ["hello", ROW, "tool_use", "tool_result"],
  ],
  [
    "a message without words",
    [{ role: "user", content: [{ type: "weird", x: 1 }] }, ROW, use, used],
    ["weird", ROW, "tool_use", "tool_result"],
  ],
  ["a call of Chat Completions", [user, call, ROW, result, user], ["there", "pay", ROW, "paid", "there"]],
  ["a call that gets a result", [user, call, ROW, user], ["there", "pay", ROW, "outcome", "there"]],
  ["a call behind a message that is left out", [blank, ROW, call, ROW, result], [ROW, "pay", ROW, "paid"]],
];

describe.each<[string, unknown]>([
  ["an object", { role: "session_meta", v: 1 }],
  ["null", null],
  ["a number", 5],
  ["a text", "hello"],
])("a row of no form stays behind the message that is written anew: %s", (_kind, row) => {
  it.each(LISTS)("%s", (_what, list, expected) => {
    const { messages } = repair<unknown>(list.map((given) => (given === ROW ? row : given)));
    const found = messages.map((message, at) => {
      const word = expected[at];
      if (message === row) return ROW;
      return typeof word === "string" && JSON.stringify(message).includes(word) ? word : message;
    });
    expect(found).toEqual(expected);
  });
});

it("many rows and messages that are written anew take no more than their number", () => {
  const list = Array.from({ length: 3_000 }, (_, at) =>
    at % 2 === 0 ? { role: at % 4 === 0 ? "user" : "model", parts: [{ text: `word ${at}`, kind: "x" }] } : { at },
  );
  const { messages } = repair<object>(list);
  expect(messages.map((message) => "at" in message)).toEqual(list.map((_, at) => at % 2 === 1));
});
