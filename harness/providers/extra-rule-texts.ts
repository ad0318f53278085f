import type { Api, Violation } from "../../src/providers/index.ts";

/** How much a refusal tells: where it is, only what it is, or nothing at all. */
export type Telling = "indexed" | "plain" | "bare";

export const TELLINGS: readonly Telling[] = ["indexed", "plain", "bare"];

/** What an API calls the things of a tool cycle. */
export interface Words {
  call: string;
  result: string;
  image: string;
}

export const WORDS: Record<Api, Words> = {
  "anthropic-messages": { call: "`tool_use` block", result: "`tool_result` block", image: "`image` block" },
  "openai-completions": { call: "tool call", result: "tool message", image: "image part" },
  "openai-responses": { call: "function call", result: "function call output", image: "input image" },
  "google-generative-ai": { call: "function call part", result: "function response part", image: "inline data part" },
  "bedrock-converse-stream": { call: "toolUse block", result: "toolResult block", image: "image block" },
};

const BARE: Record<Api, string> = {
  "anthropic-messages": "Invalid request",
  "openai-completions": "Invalid request",
  "openai-responses": "Invalid request",
  "google-generative-ai": "Request contains an invalid argument.",
  "bedrock-converse-stream": "Invalid request",
};

const INDEXED: Record<Api, (path: string, sentence: string) => string> = {
  "anthropic-messages": (path, sentence) => `${path}: ${sentence}`,
  "openai-completions": (path, sentence) => `Invalid '${path}': ${sentence}`,
  "openai-responses": (path, sentence) => `Invalid '${path}': ${sentence}`,
  "google-generative-ai": (path, sentence) => `* GenerateContentRequest.${path}: ${sentence}`,
  "bedrock-converse-stream": (path, sentence) => `The ContentBlock object at ${path} is not valid: ${sentence}`,
};

/** The refusal of what stands at `path`, in the style of `api`. */
export function makeRefusal(api: Api, telling: Telling, path: string, sentence: string): Violation {
  const openAi = api === "openai-completions" || api === "openai-responses";
  if (telling === "bare") return { status: 400, message: BARE[api], path: "" };
  const plain = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  const refusal: Violation =
    telling === "plain"
      ? { status: 400, message: plain, path: "" }
      : { status: 400, message: INDEXED[api](path, sentence), path };
  return openAi ? { ...refusal, code: "invalid_value" } : refusal;
}
