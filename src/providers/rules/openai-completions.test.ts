import { describe, expect, test } from "vitest";
import type { JsonObject } from "../types.ts";
import { PIXEL, texts } from "../../../harness/providers/fixtures.ts";
import { completionsViolations } from "./openai-completions.ts";

const user = (content: unknown = "hello"): JsonObject => ({ role: "user", content });
const call = (id: string, fn: JsonObject = {}): JsonObject => ({
  id,
  type: "function",
  function: { name: "exec", arguments: "{}", ...fn },
});
const calls = (...list: JsonObject[]): JsonObject => ({ role: "assistant", content: null, tool_calls: list });
const tool = (id: string, content: unknown = "done"): JsonObject => ({ role: "tool", tool_call_id: id, content });
const body = (messages: unknown, more: JsonObject = {}): JsonObject => ({ model: "gpt-test", messages, ...more });
const MISTRAL = { model: "mistral-large-latest" };
const DEEPSEEK = { model: "deepseek-reasoner", thinking: { type: "enabled" } };
const reasoned = (more: JsonObject): JsonObject => ({ ...calls(call("a")), ...more });

const ACCEPTED: [string, JsonObject][] = [
  ["one message", body([user()])],
  [
    "what OpenClaw sends",
    body(
      [
        { role: "developer", content: "be good" },
        user([
          { type: "text", text: "look", cache_control: { type: "ephemeral" } },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
        ]),
        {
          ...calls(call("call_1"), call("call_2")),
          content: [{ type: "text", text: "on it" }],
          reasoning_content: "hm",
          reasoning_details: [],
        },
        tool("call_2"),
        { ...tool("call_1", ""), name: "exec" },
        user([{ type: "text", text: "Attached image(s) from tool result:" }]),
      ],
      {
        stream: true,
        stream_options: { include_usage: true },
        tools: [{ type: "function", function: { name: "exec", parameters: {}, strict: false } }],
      },
    ),
  ],
  ["equal roles", body([user(), user()])],
  ["no tools, which proxies are sent", body([user()], { tools: [] })],
  [
    "a signature of Google's",
    body([user(), calls({ ...call("a"), extra_content: { google: { thought_signature: "x" } } }), tool("a")]),
  ],
  [
    "Mistral's ids and parts",
    body(
      [
        user([{ type: "image_url", image_url: `data:image/png;base64,${PIXEL}` }]),
        { ...calls(call("aB3dE6gH9")), content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] },
        tool("aB3dE6gH9", [{ type: "text", text: "done" }]),
        { role: "assistant", content: "ok" },
        user(),
      ],
      MISTRAL,
    ),
  ],
  ["reasoning brought back", body([user(), reasoned({ reasoning_content: "" }), tool("a")], DEEPSEEK)],
  [
    "no reasoning where none is wanted",
    body([user(), calls(call("a")), tool("a")], { ...DEEPSEEK, thinking: { type: "disabled" } }),
  ],
  [
    "alternating roles around a tool",
    body(
      [
        { role: "system", content: "x" },
        user(),
        calls(call("a")),
        tool("a"),
        { role: "assistant", content: "b" },
        user(),
      ],
      { model: "gemma-3" },
    ),
  ],
];

const UNANSWERED =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ";

const REFUSED: [string, unknown, string][] = [
  ["no model", body([user()], { model: undefined }), "Missing required parameter: 'model'."],
  ["no messages", body(undefined), "Missing required parameter: 'messages'."],
  [
    "an empty list of messages",
    body([]),
    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  [
    "messages that are no list",
    body("hi"),
    "Invalid type for 'messages': expected an array of objects, but got a string instead.",
  ],
  ["no role", body([{ content: "x" }]), "Missing required parameter: 'messages[0].role'."],
  [
    "an unknown role",
    body([{ role: "toolResult", content: "x" }]),
    "Invalid value: 'toolResult'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
  ],
  ["a foreign field of a message", body([{ ...user(), timestamp: 1 }]), "Unknown parameter: 'messages[0].timestamp'."],
  ["no content", body([{ role: "user" }]), "Missing required parameter: 'messages[0].content'."],
  [
    "content that is an object",
    body([user({})]),
    "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an object instead.",
  ],
  [
    "an empty list of parts",
    body([user([])]),
    "Invalid 'messages[0].content': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  ["a blank message", body([user(" ")]), "Invalid request: message at position 0 with role 'user' must not be empty"],
  [
    "a blank part",
    body([user([{ type: "text", text: "" }])]),
    "Invalid request: message at position 0 with role 'user' must not be empty",
  ],
  [
    "an assistant that says nothing",
    body([user(), { role: "assistant", content: null }, user()]),
    "Invalid value for 'content': expected a string, got null.",
  ],
  [
    "a part of another API",
    body([user([{ type: "tool_result", content: "x" }])]),
    "Invalid value: 'tool_result'. Supported values are: 'text', 'image_url', 'input_audio', 'file', and 'video_url'.",
  ],
  ["a part without type", body([user([{ text: "x" }])]), "Missing required parameter: 'messages[0].content[0].type'."],
  [
    "a foreign field of a part",
    body([user([{ type: "text", text: "x", id: 1 }])]),
    "Unknown parameter: 'messages[0].content[0].id'.",
  ],
  [
    "a text that is no string",
    body([user([{ type: "text", text: 1 }])]),
    "Invalid type for 'messages[0].content[0].text': expected a string, but got an integer instead.",
  ],
  [
    "an image without type",
    body([user([{ type: "image_url", image_url: { url: "data:undefined;base64,undefined" } }])]),
    "Invalid 'messages[0].content[0].image_url.url'. Expected a valid URL, but got a value with an invalid format.",
  ],
  [
    "an image that is no base64",
    body([user([{ type: "image_url", image_url: { url: "data:image/png;base64,undefined" } }])]),
    "Invalid 'messages[0].content[0].image_url.url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got an invalid base64-encoded value.",
  ],
  [
    "a call without id",
    body([user(), calls({ ...call("a"), id: undefined }), tool("a")]),
    "Missing required parameter: 'messages[1].tool_calls[0].id'.",
  ],
  [
    "an empty id",
    body([user(), calls(call("")), tool("")]),
    "Invalid 'messages[1].tool_calls[0].id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
  ],
  [
    "an id of 41 characters",
    body([user(), calls(call("a".repeat(41))), tool("a".repeat(41))]),
    "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
  ],
  [
    "a name with a dot",
    body([user(), calls(call("a", { name: "fs.read" })), tool("a")]),
    "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  ],
  [
    "a name of 65 characters",
    body([user(), calls(call("a", { name: "n".repeat(65) })), tool("a")]),
    "Invalid 'messages[1].tool_calls[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  ],
  [
    "arguments that are an object",
    body([user(), calls(call("a", { arguments: {} })), tool("a")]),
    "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
  ],
  [
    "arguments that are cut off",
    body([user(), calls(call("a", { arguments: '{"a":' })), tool("a")]),
    "Invalid 'messages[1].tool_calls[0].function.arguments': expected a string that holds valid JSON.",
  ],
  [
    "arguments that are no object",
    body([user(), calls(call("a", { arguments: "[]" })), tool("a")]),
    "Invalid 'messages[1].tool_calls[0].function.arguments': expected a JSON object, but got an array instead.",
  ],
  [
    "an empty list of calls",
    body([user(), { ...calls(), content: "x" }]),
    "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  [
    "an orphaned result",
    body([user(), tool("a")]),
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  [
    "an orphaned result at DeepSeek",
    body([user(), tool("a")], DEEPSEEK),
    "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  ],
  [
    "the result of another call",
    body([user(), calls(call("a")), tool("b"), tool("a")]),
    "Invalid parameter: 'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
  ],
  [
    "two results for one call",
    body([user(), calls(call("a")), tool("a"), tool("a")]),
    "Duplicate value for 'tool_call_id' of 'a' in message[3].",
  ],
  ["calls without results", body([user(), calls(call("a"), call("b")), tool("a"), user()]), `${UNANSWERED}b`],
  ["a call at the end", body([user(), calls(call("a"))]), `${UNANSWERED}a`],
  ["a word before the result", body([user(), calls(call("a")), user(), tool("a")]), `${UNANSWERED}a`],
  [
    "one id in two turns",
    body([user(), calls(call("a")), tool("a"), calls(call("a")), tool("a")]),
    "Duplicate value for 'tool_call_id' of 'a' in message[3].",
  ],
  [
    "an id that Mistral does not take",
    body([user(), calls(call("call_1")), tool("call_1")], MISTRAL),
    "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
  ],
  [
    "a missing result at Mistral",
    body([user(), calls(call("aB3dE6gH9"))], MISTRAL),
    "Not the same number of function calls and responses",
  ],
  [
    "a user after a tool at Mistral",
    body([user(), calls(call("aB3dE6gH9")), tool("aB3dE6gH9"), user()], MISTRAL),
    "Unexpected role 'user' after role 'tool'",
  ],
  [
    "the assistant last at Mistral",
    body([user(), { role: "assistant", content: "so" }], MISTRAL),
    "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
  ],
  [
    "nothing from the assistant at Mistral",
    body([user(), { role: "assistant", content: "" }, user()], MISTRAL),
    "Assistant message must have either content or tool_calls, but not none.",
  ],
  [
    "reasoning left out at DeepSeek",
    body([user(), calls(call("a")), tool("a")], DEEPSEEK),
    "The reasoning_content in the thinking mode must be passed back to the API.",
  ],
  [
    "reasoning left out at Kimi",
    body([user(), calls(call("a")), tool("a")], { model: "kimi-k2-thinking", reasoning_effort: "high" }),
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
  ],
  [
    "reasoning left out once",
    body([user(), reasoned({ reasoning_content: "hm" }), tool("a"), calls(call("b")), tool("b")], { model: "mimo-v2" }),
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 3",
  ],
  [
    "reasoning that is no string",
    body([user(), reasoned({ reasoning_content: {} }), tool("a")]),
    "Invalid type for 'messages[1].reasoning_content': expected a string, but got an object instead.",
  ],
  [
    "equal roles for a strict template",
    body([user(), user()], { model: "gemma-3" }),
    "Conversation roles must alternate user/assistant/user/assistant/...",
  ],
  [
    "a tool without name",
    body([user()], { tools: [{ type: "function", function: {} }] }),
    "Missing required parameter: 'tools[0].function.name'.",
  ],
];

describe("openai-completions", () => {
  test.each(ACCEPTED)("accepts %s", (_, accepted) => {
    expect(texts(completionsViolations(accepted))).toEqual([]);
  });
  test.each(REFUSED)("refuses %s", (_, refused, message) => {
    expect(texts(completionsViolations(refused))[0]).toBe(message);
  });
  test("refuses what is no JSON for its parser", () => {
    for (const broken of [null, [], body([user("\udc00")])]) {
      expect(texts(completionsViolations(broken))[0]).toMatch(/^We could not parse the JSON body of your request\./);
    }
  });
});
