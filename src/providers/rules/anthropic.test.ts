import { describe, expect, test } from "vitest";
import { signThinking } from "../signatures.ts";
import type { JsonObject } from "../types.ts";
import { anthropicViolations } from "./anthropic.ts";
import { PIXEL, texts } from "../../../harness/providers/fixtures.ts";

const user = (content: unknown = "hello"): JsonObject => ({ role: "user", content });
const assistant = (content: unknown): JsonObject => ({ role: "assistant", content });
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "tool_use",
  id,
  name: "exec",
  input: {},
  ...more,
});
const result = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "tool_result",
  tool_use_id: id,
  content: "done",
  ...more,
});
const text = (value = "words"): JsonObject => ({ type: "text", text: value });
const image = (source: JsonObject): JsonObject => user([{ type: "image", source }]);
const think = (thinking = "hm", signature = "c2lnbmVk"): JsonObject => ({ type: "thinking", thinking, signature });
const body = (messages: unknown, more: JsonObject = {}): JsonObject => ({
  model: "claude-test",
  max_tokens: 100,
  messages,
  ...more,
});
const pair = [user(), assistant([text(), call("toolu_1")]), user([result("toolu_1")])];
const serverCall = (id: string, name = "web_search"): JsonObject => ({ type: "server_tool_use", id, name, input: {} });
const serverResult = (id: string, type = "web_search_tool_result"): JsonObject => ({
  type,
  tool_use_id: id,
  content: [],
});
const ON = { thinking: { type: "enabled", budget_tokens: 1024 } };

const ACCEPTED: [string, JsonObject][] = [
  ["the assistant first", body([assistant("hi"), user()])],
  [
    "instructions between the messages, of a model that takes them",
    body([user(), { role: "system", content: "x" }], { model: "claude-opus-4-8" }),
  ],
  [
    "one id in two turns",
    body([user(), assistant([call("a")]), user([result("a")]), assistant([call("a")]), user([result("a")])]),
  ],
  ["one message", body([user()])],
  [
    "what OpenClaw sends",
    body(
      [
        user([text()]),
        assistant([think(), text(), call("toolu_1"), call("toolu_2")]),
        user([
          result("toolu_1", { content: "", is_error: false }),
          result("toolu_2", {
            content: [text(), { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }],
            is_error: true,
            cache_control: { type: "ephemeral" },
          }),
        ]),
      ],
      {
        ...ON,
        stream: true,
        metadata: { user_id: "u" },
        output_config: { effort: "high" },
        system: [{ type: "text", text: "be good", cache_control: { type: "ephemeral", ttl: "1h" } }],
        tools: [{ name: "exec", description: "runs", input_schema: { type: "object", properties: {} } }],
      },
    ),
  ],
  [
    "equal roles, which the server joins",
    body([user(), user(), assistant("a"), assistant([call("toolu_1")]), user([result("toolu_1")]), user()]),
  ],
  [
    "two results over two joined messages",
    body([user(), assistant([call("a"), call("b")]), user([result("b")]), user([result("a"), text()])]),
  ],
  ["a blank result", body([user(), assistant([call("a")]), user([result("a", { content: [text("\n")] })])])],
  ["redacted thinking", body([user(), assistant([{ type: "redacted_thinking", data: "abc" }, text()]), user()])],
  [
    "thinking text left out on demand",
    body([user(), assistant([think(""), text()]), user()], { thinking: { type: "adaptive", display: "omitted" } }),
  ],
  [
    "plain reasoning to a compatible endpoint",
    body(
      [
        user(),
        { role: "assistant", content: [think("", "reasoning_content"), text()], reasoning_content: "hm" },
        user(),
      ],
      { model: "kimi-k2" },
    ),
  ],
  ["prefill without thinking", body([user(), assistant("The answer is")])],
  ["thinking as it was signed", body([user(), assistant([think("hm", signThinking("hm")), text()]), user()])],
  [
    "altered thinking of an earlier turn",
    body([user(), assistant([think("other", signThinking("hm")), text()]), user(), assistant("a"), user()]),
  ],
  ["server tools", body([user(), assistant([serverCall("srvtoolu_1"), serverResult("srvtoolu_1"), text()]), user()])],
  [
    "the advisor",
    body([
      user(),
      assistant([
        serverCall("srvtoolu_1", "advisor"),
        { ...serverResult("srvtoolu_1", "advisor_tool_result"), content: { type: "advisor_result", text: "x" } },
        text(),
      ]),
      user(),
    ]),
  ],
  ["a paused turn, with thinking too", body([user(), assistant([think(), serverCall("srvtoolu_1")])], ON)],
  [
    "a paused turn that goes on in the next message",
    body([user(), assistant([serverCall("srvtoolu_1")]), assistant([serverResult("srvtoolu_1"), text()]), user()]),
  ],
  [
    "a server's call that waits for the client's result",
    body([user(), assistant([serverCall("srvtoolu_1"), call("a")]), user([result("a")])]),
  ],
  [
    "a server's result behind the client's result",
    body([
      user(),
      assistant([serverCall("srvtoolu_1"), call("a")]),
      user([result("a")]),
      assistant([serverResult("srvtoolu_1"), text()]),
      user(),
    ]),
  ],
  [
    "a text behind a call, of another maker's model",
    body([user(), assistant([call("a"), text()]), user([result("a")])], { model: "kimi-k2" }),
  ],
  [
    "another maker's server tool at its own endpoint",
    body([user(), assistant([serverCall("call_1", "analyze_image"), serverResult("call_1"), text()]), user()], {
      model: "glm-4.6",
    }),
  ],
];

const REFUSED: [string, unknown, string][] = [
  ["a body that is no object", [], "Input should be a valid dictionary"],
  [
    "a lone surrogate",
    body([user("\ud83d")]),
    "The request body is not valid JSON: no low surrogate in string: line 1 column 1 (char 0)",
  ],
  [
    "a text behind a call",
    body([user(), assistant([call("a"), text()]), user([result("a")])]),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  ["no model", body([user()], { model: undefined }), "model: Field required"],
  ["no max_tokens", body([user()], { max_tokens: undefined }), "max_tokens: Field required"],
  ["no tokens", body([user()], { max_tokens: 0 }), "max_tokens: Input should be greater than or equal to 1"],
  ["an unknown top-level field", body([user()], { input: 1 }), "input: Extra inputs are not permitted"],
  ["no messages", body([]), "messages: at least one message is required"],
  ["messages that are no list", body({}), "messages: Input should be a valid list"],
  ["a message that is no object", body(["hello"]), "messages.0: Input should be a valid dictionary"],
  [
    "a system message",
    body([user(), { role: "system", content: "x" }], { model: "claude-3-5-sonnet-20241022" }),
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  ],
  [
    "an unknown role",
    body([user(), { role: "toolResult", content: "x" }]),
    'messages: Unexpected role "toolResult". Allowed roles are "user" or "assistant".',
  ],
  [
    "a foreign field of a message",
    body([{ ...user(), timestamp: 1 }]),
    "messages.0.timestamp: Extra inputs are not permitted",
  ],
  ["no content", body([{ role: "user" }]), "messages.0.content: Field required"],
  ["content that is neither", body([user(7)]), "messages.0.content: Input should be a valid list"],
  [
    "an empty list",
    body([user([])]),
    "messages.0: all messages must have non-empty content except for the optional final assistant message",
  ],
  [
    "an empty string",
    body([user("")]),
    "messages.0: all messages must have non-empty content except for the optional final assistant message",
  ],
  ["an empty text", body([user([text("")])]), "messages: text content blocks must be non-empty"],
  ["a blank text", body([user([text(" \n")])]), "messages: text content blocks must contain non-whitespace text"],
  [
    "a text that is no string",
    body([user([{ type: "text", text: 1 }])]),
    "messages.0.content.0.text.text: Input should be a valid string",
  ],
  ["an empty system text", body([user()], { system: [text("")] }), "system: text content blocks must be non-empty"],
  ["a block without type", body([user([{ text: "x" }])]), "messages.0.content.0.type: Field required"],
  [
    "a foreign field of a block",
    body([user([{ ...text(), textSignature: "x" }])]),
    "messages.0.content.0.text.textSignature: Extra inputs are not permitted",
  ],
  [
    "partialJson",
    body([user(), assistant([call("a", { partialJson: "{" })]), user([result("a")])]),
    "messages.1.content.0.tool_use.partialJson: Extra inputs are not permitted",
  ],
  [
    "cache_control on thinking",
    body([user(), assistant([{ ...think(), cache_control: { type: "ephemeral" } }, text()]), user()]),
    "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
  ],
  [
    "five cache points",
    body([user([1, 2, 3, 4, 5].map(() => ({ ...text(), cache_control: { type: "ephemeral" } })))]),
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "a call of the user's",
    body([user([call("a")])]),
    "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
  ],
  [
    "a result of the assistant's",
    body([user(), assistant([result("a")])]),
    "messages.1.content.0: `tool_result` blocks can only be in `user` messages",
  ],
  [
    "a call without input",
    body([user(), assistant([call("a", { input: undefined })]), user([result("a")])]),
    "messages.1.content.0.tool_use.input: Field required",
  ],
  [
    "input that is text",
    body([user(), assistant([call("a", { input: "{}" })]), user([result("a")])]),
    "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
  ],
  [
    "an id of Kimi's",
    body([user(), assistant([call("functions.exec:0")]), user([result("functions.exec:0")])]),
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    "an id of 65 characters",
    body([user(), assistant([call("a".repeat(65))]), user([result("a".repeat(65))])]),
    "messages.1.content.0.tool_use.id: String should have at most 64 characters",
  ],
  [
    "a name with a dot",
    body([user(), assistant([call("a", { name: "fs.read" })]), user([result("a")])]),
    "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    "an error without a word",
    body([user(), assistant([call("a")]), user([result("a", { content: "", is_error: true })])]),
    "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
  ],
  [
    "an empty text in a result",
    body([user(), assistant([call("a")]), user([result("a", { content: [text("")] })])]),
    "messages: text content blocks must be non-empty",
  ],
  [
    "thinking without text",
    body([user(), assistant([think(""), text()]), user()]),
    "messages.1.content.0.thinking: each thinking block must contain thinking",
  ],
  [
    "thinking without signature",
    body([user(), assistant([{ type: "thinking", thinking: "hm" }, text()]), user()]),
    "messages.1.content.0.thinking.signature: Field required",
  ],
  [
    "a signature that is none",
    body([user(), assistant([think("hm", "reasoning_content"), text()]), user()]),
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
  [
    "an empty signature",
    body([user(), assistant([think("hm", ""), text()]), user()]),
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
  [
    "altered thinking of the latest turn",
    body([user(), assistant([think("other", signThinking("hm")), text()]), user()]),
    "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
  ],
  [
    "a message that ends in thinking",
    body([user(), assistant([think()]), user()]),
    "messages.1: The final block in an assistant message cannot be `thinking`.",
  ],
  [
    "an image without media type",
    body([image({ type: "base64", data: PIXEL })]),
    "messages.0.content.0.image.source.base64.media_type: Field required",
  ],
  [
    "an image of an unknown type",
    body([image({ type: "base64", media_type: "image/tiff", data: PIXEL })]),
    "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  ],
  [
    "an empty image",
    body([image({ type: "base64", media_type: "image/png", data: "" })]),
    "messages.0.content.0.image.source.base64: image cannot be empty",
  ],
  [
    "an image that is no base64",
    body([image({ type: "base64", media_type: "image/png", data: "no base64!" })]),
    "messages.0.content.0.image.source.base64: invalid base64 data",
  ],
  [
    "an image that is too large",
    body([image({ type: "base64", media_type: "image/png", data: "A".repeat(5_641_712) })]),
    "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 5641712 bytes > 5242880 bytes",
  ],
  [
    "the assistant first",
    body([assistant("hi"), user()], { model: "claude-3-5-sonnet-20240620" }),
    'messages: first message must use the "user" role',
  ],
  [
    "an orphaned result",
    body([user([result("toolu_x")])]),
    "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_x. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
  ],
  [
    "a result one turn late",
    body([...pair, assistant("a"), user([result("toolu_1")])]),
    "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
  ],
  [
    "two results for one call",
    body([user(), assistant([call("a")]), user([result("a"), result("a")])]),
    "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
  ],
  [
    "calls without results",
    body([user(), assistant([call("a"), call("b"), call("c")]), user([result("b")])]),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, c. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  [
    "a call at the end",
    body([user(), assistant([call("a")])]),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  [
    "a text before the result",
    body([user(), assistant([call("a")]), user([text(), result("a")])]),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  [
    "one id twice",
    body([user(), assistant([call("a"), call("a")]), user([result("a")])]),
    "messages.1.content.1: `tool_use` ids must be unique",
  ],
  [
    "one id in two messages of a turn",
    body([user(), assistant([call("a")]), assistant([call("a")]), user([result("a")])]),
    "messages.2.content.0: `tool_use` ids must be unique",
  ],
  [
    "prefill with thinking",
    body([user(), assistant("so")], ON),
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  ],
  [
    "prefill for a model that takes none",
    body([user(), assistant("so")], { model: "claude-opus-4-6" }),
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  ],
  [
    "prefill that ends in a blank",
    body([user(), assistant("so ")]),
    "messages: final assistant content cannot end with trailing whitespace",
  ],
  [
    "a server's call without its result",
    body([user(), assistant([serverCall("srvtoolu_1"), text()]), user()]),
    "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
  ],
  [
    "a server's call that waits while the user says more",
    body([user(), assistant([serverCall("srvtoolu_1"), call("a")]), user([result("a"), text()])]),
    "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
  ],
  [
    "a server's result without its call",
    body([user(), assistant([serverResult("srvtoolu_1"), text()]), user()]),
    "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it.",
  ],
  [
    "a server's result in front of its call",
    body([user(), assistant([serverResult("srvtoolu_1"), serverCall("srvtoolu_1")])]),
    "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it.",
  ],
  [
    "a server's result of another kind of call",
    body([user(), assistant([serverCall("srvtoolu_1"), serverResult("srvtoolu_1", "mcp_tool_result")])]),
    "messages.1.content.1: unexpected `tool_use_id` found in `mcp_tool_result` blocks: srvtoolu_1. Each `mcp_tool_result` block must have a corresponding `mcp_tool_use` block before it.",
  ],
  [
    "a client's call before a server's",
    body([user(), assistant([call("a"), serverCall("srvtoolu_1"), serverResult("srvtoolu_1")]), user([result("a")])]),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  ],
  [
    "another maker's server tool at Anthropic",
    body([user(), assistant([serverCall("call_1"), serverResult("call_1"), text()]), user()]),
    "messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
  ],
  [
    "a tool's bad name",
    body([user()], { tools: [{ name: "a.b", input_schema: {} }] }),
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    "two tools of one name",
    body([user()], {
      tools: [
        { name: "a", input_schema: {} },
        { name: "a", input_schema: {} },
      ],
    }),
    "tools: Tool names must be unique.",
  ],
];

describe("anthropic-messages", () => {
  test.each(ACCEPTED)("accepts %s", (_, accepted) => {
    expect(texts(anthropicViolations(accepted))).toEqual([]);
  });
  test.each(REFUSED)("refuses %s", (_, refused, message) => {
    expect(texts(anthropicViolations(refused))[0]).toBe(message);
  });
  test("refuses a block of another API and names the known ones", () => {
    const [first] = texts(anthropicViolations(body([user([{ type: "toolCall", id: "a" }])])));
    expect(first).toMatch(
      /^messages\.0\.content\.0: Input tag 'toolCall' found using 'type' does not match any of the expected tags: 'text', /,
    );
  });
});
