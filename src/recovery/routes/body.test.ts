import { describe, expect, it } from "vitest";
import { APIS, carelessBody } from "../../../harness/arbitrary/bodies.ts";
import { assistant, call, result, user } from "../../../harness/messages.ts";
import type { RouteFact } from "../route-fact.ts";
import { shapeBody } from "./body.ts";

const PROMPT = "You are a ferry.";
const shape = (body: object, ...what: RouteFact["what"][]) =>
  shapeBody(
    body as Record<string, unknown>,
    what.map((name) => ({ what: name }) as RouteFact),
  );

describe.each(APIS)("a body of %s", (api) => {
  const body = carelessBody(api, [user("read"), assistant(call("call_a")), result("call_a"), user("thanks")]);

  it("stays the same object where a route takes all of it", () => {
    expect(shape(body)).toBe(body);
    expect(shape(body, "no_pictures", "strict_roles", "context_size", "no_documents")).toBe(body);
  });

  it("is shaped once: what is shaped stays the same object", () => {
    const all = ["no_developer_role", "no_system_role", "text_only", "no_documents"] as const;
    const once = shape(body, ...all);
    expect(shape(once, ...all)).toBe(once);
  });
});

it("the role developer becomes system, and no word is lost", () => {
  const messages = [
    { role: "developer", content: PROMPT },
    { role: "user", content: "hi" },
  ];
  expect(shape({ messages }, "no_developer_role")).toEqual({
    messages: [{ role: "system", content: PROMPT }, messages[1]],
  });
  expect(shape({ input: messages }, "no_developer_role")).toEqual({
    input: [{ role: "system", content: PROMPT }, messages[1]],
  });
});

describe("the prompt of a route that takes none stands in front of the user's first words, in", () => {
  it.each<[string, object, object]>([
    [
      "Chat Completions",
      {
        messages: [
          { role: "system", content: PROMPT },
          { role: "user", content: "hi" },
        ],
      },
      { messages: [{ role: "user", content: `${PROMPT}\n\nhi` }] },
    ],
    [
      "Chat Completions with parts",
      {
        messages: [
          { role: "developer", content: [{ type: "text", text: PROMPT }] },
          { role: "assistant", content: "hello" },
          { role: "user", content: [{ type: "text", text: "hi" }] },
        ],
      },
      {
        messages: [
          { role: "assistant", content: "hello" },
          {
            role: "user",
            content: [
              { type: "text", text: PROMPT },
              { type: "text", text: "hi" },
            ],
          },
        ],
      },
    ],
    [
      "Responses",
      {
        instructions: PROMPT,
        input: [
          { role: "developer", content: "Be brief." },
          { role: "user", content: [{ type: "input_text", text: "hi" }] },
        ],
      },
      {
        input: [
          {
            role: "user",
            content: [
              { type: "input_text", text: `${PROMPT}\n\nBe brief.` },
              { type: "input_text", text: "hi" },
            ],
          },
        ],
      },
    ],
    [
      "Anthropic's API, where results may not have words before them",
      {
        system: [{ type: "text", text: PROMPT }],
        messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] }],
      },
      {
        messages: [
          { role: "user", content: PROMPT },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
        ],
      },
    ],
    [
      "Gemini's SDK",
      {
        config: { systemInstruction: { parts: [{ text: PROMPT }] }, temperature: 1 },
        contents: [{ role: "user", parts: [{ text: "hi" }] }],
      },
      { config: { temperature: 1 }, contents: [{ role: "user", parts: [{ text: PROMPT }, { text: "hi" }] }] },
    ],
    [
      "Bedrock's API",
      { system: [{ text: PROMPT }], messages: [{ role: "user", content: [{ text: "hi" }] }] },
      { messages: [{ role: "user", content: [{ text: PROMPT }, { text: "hi" }] }] },
    ],
    [
      "a history with a prompt in its middle, which becomes the user's",
      {
        messages: [
          { role: "user", content: "hi" },
          { role: "system", content: PROMPT },
        ],
      },
      {
        messages: [
          { role: "user", content: "hi" },
          { role: "user", content: PROMPT },
        ],
      },
    ],
  ])("%s", (_what, body, shaped) => {
    expect(shape(body, "no_system_role")).toEqual(shaped);
  });
});

it("lists of texts become text for a route that wants it, and other lists stay", () => {
  const picture = { role: "user", content: [{ type: "image_url", image_url: { url: "data:" } }] };
  const calls = { role: "assistant", content: null, tool_calls: [{ id: "a" }] };
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
    picture,
    calls,
  ];
  expect(shape({ messages }, "text_only")).toEqual({ messages: [{ role: "user", content: "a\nb" }, picture, calls] });
});

it("text in parts is joined in a body of Chat Completions alone, and beside pictures stays in parts", () => {
  const parts = [
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ];
  const picture = { role: "user", content: [...parts, { type: "image_url", image_url: { url: "x" } }] };
  const messages = [{ role: "user", content: parts }, picture];
  expect(shape({ messages }, "no_text_parts")).toEqual({ messages });
  const prompt = { role: "system", content: "be kind" };
  expect(shape({ messages: [prompt, ...messages] }, "no_text_parts")).toEqual({
    messages: [prompt, { role: "user", content: "a\nb" }, picture],
  });
});

it("a document of plain text is sent as that text where documents are not taken", () => {
  const words = { type: "document", source: { type: "text", media_type: "text/plain", data: "said in a file" } };
  expect(shape({ messages: [{ role: "user", content: [words] }] }, "no_documents")).toEqual({
    messages: [{ role: "user", content: [{ type: "text", text: "said in a file" }] }],
  });
});

it.each<[string, object, string]>([
  ["Anthropic", { messages: [{ role: "user", content: [{ type: "document", source: { data: "JVBERi0" } }] }] }, "text"],
  [
    "Anthropic, in a result",
    {
      messages: [
        {
          role: "user",
          content: [{ type: "tool_result", content: [{ type: "document", source: { data: "JVBERi0" } }] }],
        },
      ],
    },
    "text",
  ],
  ["OpenAI", { messages: [{ role: "user", content: [{ type: "file", file: { file_data: "JVBERi0" } }] }] }, "text"],
  ["Responses", { input: [{ role: "user", content: [{ type: "input_file", file_data: "JVBERi0" }] }] }, "input_text"],
  [
    "Gemini",
    { contents: [{ role: "user", parts: [{ inlineData: { mimeType: "application/pdf", data: "JVBERi0" } }] }] },
    "text",
  ],
  ["Bedrock", { messages: [{ role: "user", content: [{ document: { source: { bytes: "JVBERi0" } } }] }] }, "text"],
])("a document is not sent to a route that takes none, which says so: %s", (_api, body, type) => {
  const text = JSON.stringify(shape(body, "no_documents"));
  expect(text).not.toContain("JVBERi0");
  expect(text).toContain("A document stood here.");
  expect(text).toContain(`"${type}"`);
  expect(shape({ contents: [{ parts: [{ inlineData: { mimeType: "image/png" } }] }] }, "no_documents")).toMatchObject({
    contents: [{ parts: [{ inlineData: {} }] }],
  });
});
