import { chooseModel } from "../openclaw/models.ts";
import type { ModelApi } from "../corpus/case.ts";

/** A model as OpenClaw's registry hands it to an adapter. */
export interface Model {
  id: string;
  name: string;
  api: ModelApi;
  provider: string;
  baseUrl: string;
  reasoning: boolean;
  input: ("text" | "image")[];
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number };
  contextWindow: number;
  maxTokens: number;
}

interface Choice {
  model?: string;
  provider?: string;
  thinking?: boolean;
}

/** Nothing listens there, and nothing is sent: adapters are stopped once their body is built. */
const NOWHERE = "http://127.0.0.1:9";

// Models whose rules or whose adapter's conversions differ from each other.
const CHOICES: Record<ModelApi, Choice[]> = {
  "anthropic-messages": [{}, { thinking: true }, { provider: "minimax", model: "MiniMax-M2" }],
  "openai-completions": [
    {},
    { provider: "mistral", model: "mistral-large-latest" },
    { provider: "deepseek", model: "deepseek-reasoner", thinking: true },
    { provider: "moonshot", model: "kimi-k2-thinking", thinking: true },
    { provider: "openrouter", model: "anthropic/claude-opus-4.5" },
  ],
  "openai-responses": [{}, { thinking: true }],
  "google-generative-ai": [{}, { model: "gemini-3-pro-preview", thinking: true }],
  "bedrock-converse-stream": [{}, { thinking: true }, { model: "us.amazon.nova-pro-v1:0" }],
};

function makeModel(api: ModelApi, choice: Choice): Model {
  const { provider, config } = chooseModel({ api, ...choice }, NOWHERE);
  return { ...config.models[0]!, provider, baseUrl: config.baseUrl };
}

/** The models that an API's adapters are tried with. */
export function listTargets(api: ModelApi): Model[] {
  return CHOICES[api].map((choice) => makeModel(api, choice));
}

/**
 * The history as if the target itself had written it: adapters treat their own model's messages (thinking, signatures,
 * ids) unlike another's. What is no assistant's message stays as it is.
 */
export function writtenBy(model: Model, messages: readonly unknown[]): unknown[] {
  return messages.map((message) => {
    if (typeof message !== "object" || message === null || (message as { role?: unknown }).role !== "assistant")
      return message;
    return { ...message, api: model.api, provider: model.provider, model: model.id };
  });
}
