import { describe, expect, test } from "vitest";
import type { JsonObject } from "../types.ts";
import { PIXEL, texts } from "../../../harness/providers/fixtures.ts";
import { geminiViolations } from "./gemini.ts";

const user = (...parts: unknown[]): JsonObject => ({
  role: "user",
  parts: parts.length === 0 ? [{ text: "hello" }] : parts,
});
const model = (...parts: unknown[]): JsonObject => ({ role: "model", parts });
const call = (more: JsonObject = {}, part: JsonObject = {}): JsonObject => ({
  functionCall: { name: "exec", args: {}, ...more },
  ...part,
});
const result = (more: JsonObject = {}): JsonObject => ({
  functionResponse: { name: "exec", response: { output: "done" }, ...more },
});
const body = (...contents: unknown[]): JsonObject => ({ contents });
const blob = (inlineData: unknown): JsonObject => user({ inlineData });
const SIGNED = { thoughtSignature: "c2lnbmVk" };
const AFTER_USER =
  "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
const EQUAL =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

const ACCEPTED: [string, JsonObject, string?][] = [
  ["one content", body(user())],
  ["a content without role", body({ parts: [{ text: "x" }] })],
  [
    "what OpenClaw sends",
    {
      contents: [
        user({ text: " " }, { inlineData: { mimeType: "image/png", data: PIXEL } }),
        model({ text: "hm", thought: true }, { text: "", ...SIGNED }, call({ id: "a" }, SIGNED), call({ id: "b" })),
        user(
          result({ id: "b", response: { error: "" } }),
          result({ id: "a", parts: [{ inlineData: { mimeType: "image/png", data: PIXEL } }] }),
        ),
        user({ text: "Tool result image:" }),
      ],
      systemInstruction: { parts: [{ text: "be good" }] },
      generationConfig: { maxOutputTokens: 10 },
      tools: [{ functionDeclarations: [{ name: "exec", description: "runs", parametersJsonSchema: {} }] }],
    },
  ],
  ["calls one after another", body(user(), model(call()), user(result()), model(call()), user(result()), user())],
  [
    "an unsigned call of an earlier turn for Gemini 3",
    body(user(), model(call()), user(result()), model({ text: "a" }), user()),
    "gemini-3-pro",
  ],
  [
    "the marker that skips the check",
    body(user(), model(call({}, { thoughtSignature: "skip_thought_signature_validator" })), user(result())),
    "gemini-3-pro",
  ],
  ["a name with a dot", body(user(), model(call({ name: "fs.read" })), user(result({ name: "fs.read" })))],
];

const REFUSED: [string, unknown, string, string?][] = [
  ["a body that is no object", "x", "Invalid JSON payload received. Root element must be a message."],
  [
    "an unknown top-level field",
    { ...body(user()), messages: [] },
    'Invalid JSON payload received. Unknown name "messages": Cannot find field.',
  ],
  ["no contents", {}, "* GenerateContentRequest.contents: contents is not specified"],
  ["an empty list of contents", body(), "* GenerateContentRequest.contents: contents is not specified"],
  ["an unknown role", body({ role: "assistant", parts: [{ text: "x" }] }), "Please use a valid role: user, model."],
  [
    "no parts",
    body({ role: "user", parts: [] }),
    "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.",
  ],
  [
    "a foreign field of a part",
    body(user({ text: "x", type: "text" })),
    "Invalid JSON payload received. Unknown name \"type\" at 'contents[0].parts[0]': Cannot find field.",
  ],
  [
    "a part without data",
    body(user({})),
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
  ],
  [
    "a part without data",
    body(user({})),
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
  ],
  [
    "two data fields",
    body(user({ text: "x", inlineData: { mimeType: "image/png", data: PIXEL } })),
    "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'inlineData'",
  ],
  [
    "a text that is no string",
    body(user({ text: 1 })),
    "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 1",
  ],
  [
    "an empty blob",
    body(blob({})),
    "* GenerateContentRequest.contents[0].parts[0].inline_data.mime_type: Unsupported MIME type: undefined",
  ],
  [
    "a blob that is no base64",
    body(blob({ mimeType: "image/png", data: "?" })),
    "Invalid value at 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed for \"?\"",
  ],
  [
    "an empty name",
    body(user(), model(call({ name: "" })), user(result())),
    "* GenerateContentRequest.contents[1].parts[0].function_call.name: Name cannot be empty.",
  ],
  [
    "args that are text",
    body(user(), model(call({ args: "{}" })), user(result())),
    "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), \"{}\"",
  ],
  [
    "a response that is text",
    body(user(), model(call()), user(result({ response: "done" }))),
    "Invalid value at 'contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), \"done\"",
  ],
  [
    "a response without name",
    body(user(), model(call()), user(result({ name: undefined }))),
    "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
  ],
  [
    "a signature that is no base64",
    body(user(), model(call({}, { thoughtSignature: "{}" })), user(result())),
    "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"{}\"",
  ],
  [
    "a call of the user's",
    body(user(call())),
    "* GenerateContentRequest.contents[0].parts[0]: function call parts are only allowed with role 'model'.",
  ],
  [
    "the model first",
    body(model({ text: "hi" }), user()),
    "Please ensure that multiturn requests alternate between user and model.",
  ],
  ["a call first", body(model(call()), user(result())), AFTER_USER],
  ["a call that nobody asked for", body(model(call()), user(result())), AFTER_USER],
  ["too few responses", body(user(), model(call(), call()), user(result())), EQUAL],
  ["no responses", body(user(), model(call()), user()), EQUAL],
  ["responses in two turns", body(user(), model(call(), call()), user(result()), user(result())), EQUAL],
  [
    "an orphaned response",
    body(user(result())),
    "Please ensure that function response turn comes immediately after a function call turn.",
  ],
  [
    "the response to another call",
    body(user(), model(call({ id: "a" })), user(result({ id: "b" }))),
    "functionResponse.id does not match functionCall.id",
  ],
  [
    "the model last",
    body(user(), model({ text: "a" })),
    "Please ensure that multiturn requests end with a user role or a function response.",
  ],
  [
    "an unsigned call for Gemini 3",
    body(user(), model(call()), user(result())),
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:exec` , position 2.",
    "gemini-3-pro",
  ],
];

describe("google-generative-ai", () => {
  test.each(ACCEPTED)("accepts %s", (_, accepted, name) => {
    expect(texts(geminiViolations(accepted, name === undefined ? {} : { model: name }))).toEqual([]);
  });
  test.each(REFUSED)("refuses %s", (_, refused, message, name) => {
    expect(texts(geminiViolations(refused, name === undefined ? {} : { model: name }))[0]).toBe(message);
  });
  test("refuses a name that no function may have", () => {
    for (const name of ["a b", "1a", "a".repeat(65)]) {
      const [first] = texts(geminiViolations(body(user(), model(call({ name })), user(result({ name })))));
      expect(first).toMatch(
        /^\* GenerateContentRequest\.contents\[1\]\.parts\[0\]\.function_call\.name: \[FIELD_INVALID\] Invalid function name\./,
      );
    }
  });
});
