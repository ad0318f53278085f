import { expect, it } from "vitest";
import type { Api } from "../../../src/providers/index.ts";
import { mostTokens, splitBody, withLastWordsOnly } from "./parts.ts";

const PICTURE = "iVBORw0KGgo=";

/** The same conversation in each API's form: a question with a picture, thinking, a call, its result with a picture. */
const BODIES: Record<Api, Record<string, unknown>> = {
  "anthropic-messages": {
    max_tokens: 1,
    system: [{ type: "text", text: "system" }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "question" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "thought", signature: "s" },
          { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "c1",
            content: [
              { type: "text", text: "found" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
            ],
          },
        ],
      },
    ],
  },
  "openai-completions": {
    max_completion_tokens: 1,
    messages: [
      { role: "system", content: "system" },
      {
        role: "user",
        content: [
          { type: "text", text: "question" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } },
        ],
      },
      {
        role: "assistant",
        reasoning_content: "thought",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } }],
      },
      {
        role: "tool",
        tool_call_id: "c1",
        content: [
          { type: "text", text: "found" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } },
        ],
      },
    ],
  },
  "openai-responses": {
    max_output_tokens: 1,
    instructions: "system",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "question" },
          { type: "input_image", image_url: `data:image/png;base64,${PICTURE}` },
        ],
      },
      { type: "reasoning", summary: [{ type: "summary_text", text: "thought" }] },
      { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a"}' },
      {
        type: "function_call_output",
        call_id: "c1",
        output: [
          { type: "input_text", text: "found" },
          { type: "input_image", image_url: `data:image/png;base64,${PICTURE}` },
        ],
      },
    ],
  },
  "google-generative-ai": {
    generationConfig: { maxOutputTokens: 1 },
    systemInstruction: { parts: [{ text: "system" }] },
    contents: [
      { role: "user", parts: [{ text: "question" }, { inlineData: { mimeType: "image/png", data: PICTURE } }] },
      {
        role: "model",
        parts: [{ thought: true, text: "thought" }, { functionCall: { id: "c1", name: "read", args: { path: "a" } } }],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "c1",
              name: "read",
              response: { output: "found" },
              parts: [{ inlineData: { mimeType: "image/png", data: PICTURE } }],
            },
          },
        ],
      },
    ],
  },
  "bedrock-converse-stream": {
    inferenceConfig: { maxTokens: 1 },
    system: [{ text: "system" }],
    messages: [
      { role: "user", content: [{ text: "question" }, { image: { format: "png", source: { bytes: PICTURE } } }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "thought" } } },
          { toolUse: { toolUseId: "c1", name: "read", input: { path: "a" } } },
        ],
      },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "c1",
              content: [{ text: "found" }, { image: { format: "png", source: { bytes: PICTURE } } }],
            },
          },
        ],
      },
    ],
  },
};

it.each(Object.keys(BODIES) as Api[])(
  "a rule on a part sees it in a body of %s: one that looks for what is never there refuses nothing",
  (api) => {
    const parts = splitBody(api, BODIES[api]);
    expect(parts.map(({ kind }) => kind)).toEqual([
      "system",
      "text",
      "picture",
      "thinking",
      "call",
      "result",
      "picture",
    ]);
    expect(parts.map(({ words }) => words).join()).toMatch(
      /^system,question,.*iVBORw0KGgo=,.*thought.*,\{"path":"a"\},.*found.*iVBORw0KGgo=$/,
    );
    expect(parts.flatMap(({ id }) => id ?? [])).toEqual(["c1", "c1", "c1"]);
    expect(parts.map(({ isOfResult }) => isOfResult === true).lastIndexOf(true)).toBe(6);
    expect(parts[2]!.isOfResult).toBeUndefined();
    expect(mostTokens(BODIES[api])).toBe(1);
  },
);

it.each(Object.keys(BODIES) as Api[])("the last words alone, in %s, are the system prompt and one text", (api) => {
  const parts = splitBody(api, withLastWordsOnly(api, BODIES[api], "the last words"));
  expect(parts.map(({ kind, words }) => `${kind} ${words}`)).toEqual(["system system", "text the last words"]);
});
