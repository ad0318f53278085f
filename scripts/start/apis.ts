import type { ModelApi } from "../../harness/corpus/case.ts";

/** Every API under OpenClaw's name, with the short name that people use. */
export const SHORT_NAMES: Readonly<Record<ModelApi, string>> = {
  "anthropic-messages": "anthropic",
  "openai-completions": "chat",
  "openai-responses": "responses",
  "google-generative-ai": "gemini",
  "bedrock-converse-stream": "bedrock",
};

/** All APIs, in the order they are shown in. */
export const ALL_APIS = Object.keys(SHORT_NAMES) as ModelApi[];

/** The API of that name, OpenClaw's or the short one; undefined when there is none. */
export function findApi(name: string): ModelApi | undefined {
  return ALL_APIS.find((api) => api === name || SHORT_NAMES[api] === name);
}

/** Why an installation does not offer an API. */
export function whyUnavailable(api: ModelApi, release: string): string {
  if (api === "bedrock-converse-stream") {
    return `OpenClaw ${release} has Bedrock's adapter in a plugin of its own, which is not part of the npm package`;
  }
  return `this installation of OpenClaw ${release} has no adapter for it`;
}
