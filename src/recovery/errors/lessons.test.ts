import { describe, expect, it } from "vitest";
import { anthropicError, geminiError, openAiError } from "../../../test/recovery/failure-text.ts";
import type { RouteFact } from "../route-fact.ts";
import { classify } from "./classify.ts";

const TEXTS: readonly (readonly [from: string, text: string, teaches: readonly RouteFact[]])[] = [
  ["vLLM", openAiError("At most 5 image(s) may be provided in one prompt."), [{ what: "most_pictures", most: 5 }]],
  ["vLLM", openAiError("At most 5 image(s) may be provided in one request."), [{ what: "most_pictures", most: 5 }]],
  ["vLLM", openAiError("At most 0 image(s) may be provided in one prompt."), [{ what: "no_pictures" }]],
  [
    "Anthropic",
    anthropicError("Too much media: 0 document pages + 104 images > 100"),
    [{ what: "most_pictures", most: 100 }],
  ],
  ["Anthropic", anthropicError("too many images and documents: 120 + 0 > 100"), [{ what: "most_pictures", most: 100 }]],
  ["OpenAI", openAiError("Too many images in request. Max is 10."), [{ what: "most_pictures", most: 10 }]],
  [
    "a proxy of Gemini",
    openAiError("too many images in the message, max allowed is 16"),
    [{ what: "most_pictures", most: 16 }],
  ],
  [
    "GitHub Copilot",
    openAiError("Too many images in request: 11 images provided, but the model supports a maximum of 10 images."),
    [{ what: "most_pictures", most: 10 }],
  ],
  [
    "Meta",
    openAiError("request contains 52 images, exceeding the maximum of 50 allowed per request"),
    [{ what: "most_pictures", most: 50 }],
  ],
  ["SGLang", openAiError("Image count 5 exceeds limit 4 per request."), [{ what: "most_pictures", most: 4 }]],
  [
    "Anthropic",
    anthropicError(
      "messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 6148800 bytes > 5242880 bytes",
    ),
    [{ what: "largest_picture", bytes: 5_242_880 }],
  ],
  [
    "Anthropic",
    anthropicError(
      "messages.8.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    ),
    [{ what: "longest_side", pixels: 8000 }],
  ],
  [
    "Anthropic",
    anthropicError(
      "messages.8.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    ),
    [{ what: "longest_side_of_many", pixels: 2000, above: 20 }],
  ],
  ["Ollama", openAiError("this model does not support image input (ref: b1)"), [{ what: "no_pictures" }]],
  ["LM Studio", "400 'messages.4.content' must be a string", [{ what: "text_only" }]],
  [
    "Qwen's template",
    'Error rendering prompt with jinja template: "No user query found in messages.".',
    [{ what: "no_text_parts" }],
  ],
  ["Bedrock", "ValidationException: This model doesn't support documents.", [{ what: "no_documents" }]],
  ["Anthropic", anthropicError("messages.1: 'claude-3-haiku' does not support PDF input."), [{ what: "no_documents" }]],
  [
    "DashScope",
    openAiError("Invalid value: file. Supported values are: 'text','image_url','video_url' and 'video'."),
    [{ what: "no_documents" }],
  ],
  [
    "OpenAI",
    openAiError("Unsupported value: 'messages[0].role' does not support 'developer' with this model."),
    [{ what: "no_developer_role" }],
  ],
  ["DashScope", openAiError("invalid msg role: developer"), [{ what: "no_developer_role" }]],
  ["Gemma", "400 System role not supported", [{ what: "no_system_role" }]],
  [
    "Gemini",
    geminiError("Developer instruction is not enabled for models/gemma-3-27b-it"),
    [{ what: "no_system_role" }],
  ],
  [
    "Anthropic",
    anthropicError(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
    [{ what: "no_trailing_assistant" }],
  ],
  [
    "Anthropic",
    anthropicError("prompt is too long: 208310 tokens > 200000 maximum"),
    [{ what: "context_size", tokens: 200_000 }],
  ],
  [
    "OpenAI",
    openAiError(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ),
    [{ what: "context_size", tokens: 128_000 }],
  ],
  [
    "Gemini",
    geminiError("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    [{ what: "context_size", tokens: 1_048_576 }],
  ],
];

describe("a refusal teaches what its words name, so that the next request is not refused for the same", () => {
  it.each(TEXTS)("%s: %s", (_from, text, teaches) => {
    expect(classify({ text }).teaches).toEqual(teaches);
  });
});

describe("nothing is taught by", () => {
  it.each([
    ["a provider that is overloaded", "529 At most 5 image(s) may be provided in one prompt. Overloaded", 529],
    ["a missing key", "401 system role not supported", 401],
    [
      "a missing credit",
      "400 Your credit balance is too low. At most 5 image(s) may be provided in one prompt.",
      undefined,
    ],
    ["a broken history", anthropicError("messages: roles must alternate"), undefined],
  ])("%s", (_what, text, status) => {
    expect(classify({ text, ...(status !== undefined && { status }) }).teaches).toBeUndefined();
  });
});
