import { describe, expect, test } from "vitest";
import type { JsonObject } from "../types.ts";
import { bedrockViolations } from "./bedrock.ts";
import { PIXEL, texts } from "../../../harness/providers/fixtures.ts";

const text = (value = "words"): JsonObject => ({ text: value });
const user = (...content: unknown[]): JsonObject => ({
  role: "user",
  content: content.length === 0 ? [text()] : content,
});
const assistant = (...content: unknown[]): JsonObject => ({ role: "assistant", content });
const call = (id: unknown, more: JsonObject = {}): JsonObject => ({
  toolUse: { toolUseId: id, name: "exec", input: {}, ...more },
});
const result = (id: unknown, more: JsonObject = {}): JsonObject => ({
  toolResult: { toolUseId: id, content: [text()], ...more },
});
const body = (...messages: unknown[]): JsonObject => ({ messages });
const image = { image: { format: "png", source: { bytes: PIXEL } } };
const reason = (reasoningText: JsonObject): JsonObject => ({ reasoningContent: { reasoningText } });

const ACCEPTED: [string, JsonObject, string?][] = [
  ["one message", body(user())],
  [
    "what OpenClaw sends",
    {
      messages: [
        user(text(), image),
        assistant(reason({ text: "hm", signature: "c2lnbmVk" }), text(), call("tooluse_1")),
        user(result("tooluse_1", { status: "error", content: [text(), image] }), { cachePoint: { type: "default" } }),
      ],
      system: [text(), { cachePoint: { type: "default" } }],
      inferenceConfig: { maxTokens: 10 },
      toolConfig: { tools: [{ toolSpec: { name: "exec", description: "runs", inputSchema: { json: {} } } }] },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } },
    },
    "anthropic.claude-test",
  ],
  [
    "blank and empty results, measured to be taken",
    body(
      user(),
      assistant(call("a"), call("b")),
      user(result("a", { content: [] }), result("b", { content: [text("")] })),
    ),
  ],
  [
    "reasoning of a model that does not sign",
    body(user(), assistant(reason({ text: "hm" }), text()), user()),
    "qwen.test",
  ],
  [
    "words and a PDF beside a result, of Claude's",
    body(user(), assistant(text(), call("a")), user(result("a"), text(), { document: { format: "pdf" } })),
    "anthropic.claude-x",
  ],
  [
    "a CSV beside a result, of Nova's",
    body(user(), assistant(call("a")), user(result("a"), { document: { format: "csv" } })),
    "amazon.nova-pro-v1:0",
  ],
  [
    "results alone, of Llama's",
    body(user(), assistant(call("a")), user(result("a"), { cachePoint: { type: "default" } })),
    "meta.llama3-3-70b-instruct-v1:0",
  ],
  [
    "a text behind a call, of Nova's",
    body(user(), assistant(call("a"), text()), user(result("a"))),
    "us.amazon.nova-pro-v1:0",
  ],
  ["a final assistant message without thinking", body(user(), assistant(text()))],
];

const REFUSED: [string, unknown, string, string?][] = [
  ["a body that is no object", null, "Expected a JSON object, but the request body is null"],
  [
    "no messages",
    {},
    "1 validation error detected: Value null at 'messages' failed to satisfy constraint: Member must not be null",
  ],
  [
    "an empty list of messages",
    body(),
    "The messages field is empty. Add a message to the messages field and try again.",
  ],
  [
    "an unknown role",
    body({ role: "system", content: [text()] }),
    "1 validation error detected: Value 'system' at 'messages.1.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]",
  ],
  [
    "empty content",
    body({ role: "user", content: [] }),
    "The content field in the Message object at messages.0 is empty. Add a ContentBlock object to the content field and try again.",
  ],
  [
    "content that is text",
    body({ role: "user", content: "hi" }),
    "The value at messages.0.content is a string, which can not be converted to a List",
  ],
  [
    "a blank text",
    body(user(text(" "))),
    "The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to the text field, and try again.",
  ],
  [
    "a text that is no string",
    body(user({ text: {} })),
    "The value at messages.0.content.0.text is an object, which can not be converted to a String",
  ],
  [
    "an id of Kimi's",
    body(user(), assistant(call("functions.exec:0")), user(result("functions.exec:0"))),
    "1 validation error detected: Value 'functions.exec:0' at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    "us.amazon.nova-pro-v1:0",
  ],
  [
    "an id of 65 characters",
    body(user(), assistant(call("a".repeat(65)))),
    `1 validation error detected: Value '${"a".repeat(65)}' at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must have length less than or equal to 64`,
  ],
  [
    "a name with a dot",
    body(user(), assistant(call("a", { name: "fs.read" })), user(result("a"))),
    "1 validation error detected: Value 'fs.read' at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    "us.amazon.nova-pro-v1:0",
  ],
  [
    "input that is text",
    body(user(), assistant(call("a", { input: "{}" })), user(result("a"))),
    "The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for the field and try again.",
  ],
  [
    "a call of the user's",
    body(user(call("a"))),
    "The toolUse block at messages.0.content.0 is not allowed in a message with the user role.",
  ],
  [
    "a result without content",
    body(user(), assistant(call("a")), user(result("a", { content: undefined }))),
    "1 validation error detected: Value null at 'messages.3.member.content.1.member.toolResult.content' failed to satisfy constraint: Member must not be null",
  ],
  [
    "an unknown status",
    body(user(), assistant(call("a")), user(result("a", { status: "ok" }))),
    "1 validation error detected: Value 'ok' at 'messages.3.member.content.1.member.toolResult.status' failed to satisfy constraint: Member must satisfy enum value set: [success, error]",
  ],
  [
    "an image that is no base64",
    body(user({ image: { format: "png", source: { bytes: "?" } } })),
    "The image source bytes at messages.0.content.0.image are blank or not valid base64. Provide an image and try again.",
  ],
  [
    "an image of an unknown format",
    body(user({ image: { format: "bmp", source: { bytes: PIXEL } } })),
    "1 validation error detected: Value 'bmp' at 'messages.0.content.0.image.format' failed to satisfy constraint: Member must satisfy enum value set: [png, jpeg, gif, webp]",
  ],
  [
    "Claude's thinking without signature",
    body(user(), assistant(reason({ text: "hm" }), text()), user()),
    "messages.1.content.0.reasoningContent.thinking.signature: Field required",
    "anthropic.claude-x",
  ],
  [
    "a signature for a model that does not sign",
    body(user(), assistant(reason({ text: "hm", signature: "c2ln" }), text()), user()),
    "This model doesn't support the reasoningContent.reasoningText.signature field. Remove reasoningContent.reasoningText.signature and try again.",
    "qwen.test",
  ],
  [
    "blank thinking",
    body(user(), assistant(reason({ text: "" }), text()), user()),
    "The text field in the ReasoningTextBlock object at messages.1.content.0.reasoningContent is blank. Add text to the text field, and try again.",
  ],
  [
    "a blank system text",
    { messages: [user()], system: [text("")] },
    "The text field in the SystemContentBlock object at system.0 is blank. Add text to the text field, and try again.",
  ],
  [
    "the assistant first",
    body(assistant(text()), user()),
    "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    "us.amazon.nova-pro-v1:0",
  ],
  [
    "equal roles",
    body(user(), user()),
    "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
    "us.amazon.nova-pro-v1:0",
  ],
  [
    "calls without results",
    body(user(), assistant(call("a"), call("b")), user(result("b"))),
    "Expected toolResult blocks at messages.2.content for the following Ids: a, but found: b",
  ],
  [
    "a text before the result",
    body(user(), assistant(call("a")), user(text(), result("a"))),
    "Expected toolResult blocks at messages.2.content for the following Ids: a, but found: ",
  ],
  [
    "an orphaned result",
    body(user(result("a"))),
    "The number of toolResult blocks at messages.0.content exceeds the number of toolUse blocks of previous turn.",
  ],
  [
    "one id twice",
    body(user(), assistant(call("a"), call("a")), user(result("a"))),
    "The toolUse blocks at messages.1.content contain duplicate Ids: a",
  ],
  [
    "two results for one call",
    body(user(), assistant(call("a")), user(result("a"), result("a"))),
    "The toolResult blocks at messages.2.content contain duplicate Ids: a",
  ],
  [
    "prefill with thinking",
    { ...body(user(), assistant(text())), additionalModelRequestFields: { thinking: { type: "enabled" } } },
    "The model returned the following errors: This model does not support assistant message prefill. The conversation must end with a user message.",
  ],
  [
    "an empty error",
    body(user(), assistant(call("a")), user(result("a", { content: [], status: "error" }))),
    "The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
  ],
  [
    "words beside a result, of Llama's",
    body(user(), assistant(call("a")), user(result("a"), text())),
    "messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
    "us.meta.llama4-maverick-17b-instruct-v1:0",
  ],
  [
    "words beside a call, of Mistral's",
    body(user(), assistant(text(), call("a")), user(result("a"))),
    "messages.1.content: Conversation blocks and tool use blocks cannot be provided in the same turn.",
    "mistral.mistral-large-2402-v1:0",
  ],
  [
    "a CSV beside a result, of Claude's",
    body(user(), assistant(call("a")), user(result("a"), { document: { format: "csv" } })),
    "The model returned the following errors: messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    "anthropic.claude-x",
  ],
  [
    "a text behind a call, of Claude's",
    body(user(), assistant(call("a"), text()), user(result("a"))),
    "The model returned the following errors: messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    "anthropic.claude-x",
  ],
  [
    "a tool's bad name",
    { messages: [user()], toolConfig: { tools: [{ toolSpec: { name: "a.b" } }] } },
    "1 validation error detected: Value 'a.b' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
  ],
];

describe("bedrock-converse-stream", () => {
  test.each(ACCEPTED)("accepts %s", (_, accepted, model) => {
    expect(texts(bedrockViolations(accepted, model === undefined ? {} : { model }))).toEqual([]);
  });
  test.each(REFUSED)("refuses %s", (_, refused, message, model) => {
    expect(texts(bedrockViolations(refused, model === undefined ? {} : { model }))[0]).toBe(message);
  });
  test("refuses a block that sets no known key, or two", () => {
    for (const block of [{ type: "text" }, { text: "a", cachePoint: { type: "default" } }, {}]) {
      expect(texts(bedrockViolations(body(user(block))))[0]).toMatch(
        /^The ContentBlock object at messages\.0\.content\.0 must set exactly one/,
      );
    }
  });
  test("refuses the result of another call", () => {
    const found = texts(bedrockViolations(body(user(), assistant(call("a")), user(result("b")))));
    expect(found[1]).toContain("unexpected `tool_use_id` found in `tool_result` blocks: b");
  });
});
