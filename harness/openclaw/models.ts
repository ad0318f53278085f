import type { ModelApi, SessionInput } from "./types.ts";

/** A provider entry of OpenClaw's `models.providers`. */
export interface ProviderConfig {
  baseUrl: string;
  api: ModelApi;
  apiKey?: string;
  auth?: string;
  models: ModelConfig[];
}

interface ModelConfig {
  id: string;
  name: string;
  api: ModelApi;
  reasoning: boolean;
  input: ("text" | "image")[];
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number };
  contextWindow: number;
  maxTokens: number;
}

/** Which provider and model a session talks to. */
export interface ModelChoice {
  provider: string;
  model: string;
  config: ProviderConfig;
}

interface ApiDefaults {
  provider: string;
  model: string;
  path: string;
}

// The ids of the real providers, because OpenClaw's sanitising depends on them; chat completions are mostly third
// parties.
const DEFAULTS: Record<ModelApi, ApiDefaults> = {
  "anthropic-messages": { provider: "anthropic", model: "claude-opus-4-5", path: "" },
  "openai-completions": { provider: "compatible", model: "gpt-4.1", path: "/v1" },
  "openai-responses": { provider: "openai", model: "gpt-5.2", path: "/v1" },
  "google-generative-ai": { provider: "google", model: "gemini-2.5-pro", path: "/v1beta" },
  "bedrock-converse-stream": {
    provider: "amazon-bedrock",
    model: "us.anthropic.claude-opus-4-5-20251101-v1:0",
    path: "",
  },
};

export const ALL_APIS = Object.keys(DEFAULTS) as ModelApi[];

/** Not a secret: the strict provider takes any key. */
export const DUMMY_KEY = "dummy-key-for-loopback";

/** The provider entry, pointed at the strict provider, that makes OpenClaw talk this API with this model. */
export function chooseModel(input: Omit<SessionInput, "transcript">, providerUrl: string): ModelChoice {
  const defaults = DEFAULTS[input.api];
  const provider = input.provider ?? defaults.provider;
  const model = input.model ?? defaults.model;
  const auth = input.api === "bedrock-converse-stream" ? { auth: "aws-sdk" } : { apiKey: DUMMY_KEY };
  const entry: ModelConfig = {
    id: model,
    name: model,
    api: input.api,
    reasoning: input.thinking === true,
    input: input.input ?? ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: input.contextWindow ?? 200_000,
    maxTokens: 8192,
  };
  return {
    provider,
    model,
    config: { baseUrl: `${providerUrl}${defaults.path}`, api: input.api, ...auth, models: [entry] },
  };
}

/** The tool names that a session offers; empty for none. */
export function toolNames(tools: SessionInput["tools"]): string[] {
  if (Array.isArray(tools)) return tools;
  return tools === false ? [] : ["read"];
}

/** Tools of the caller as OpenClaw takes them; undefined for none, as releases that know no such tools expect. */
export function clientTools({ clientTools: names = [] }: Pick<SessionInput, "clientTools">): object[] | undefined {
  if (names.length === 0) return undefined;
  return names.map((name) => ({
    type: "function",
    function: { name, description: `The caller's ${name}.`, parameters: { type: "object", properties: {} } },
  }));
}
