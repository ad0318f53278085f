/**
 * An agent of each framework that asks a model once more about a stored history, as the oldest versions take it too;
 * newest.mjs has the others. The file is copied to where the frameworks are installed, and imported from there.
 *
 * @typedef {object} Way What is done for the agent.
 * @property {string} url Where the provider is.
 * @property {typeof fetch} fetch What requests are sent with.
 * @property {<T>(list: T[]) => T[]} repair What the list goes through.
 * @property {boolean} adapts Whether the framework gets the library's adapter.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatAnthropic } from "@langchain/anthropic";
import { mapStoredMessagesToChatMessages } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Agent as PiAgent } from "@mariozechner/pi-agent-core";
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner } from "@openai/agents";
import { convertToModelMessages, generateText, streamText } from "ai";
import { createAgent, createMiddleware } from "langchain";
import OpenAI from "openai";
import { repairStep } from "openclaw-integrity/ai-sdk";
import { repairModelCall } from "openclaw-integrity/langchain";
import { repairInput } from "openclaw-integrity/openai-agents";
import { repairContext } from "openclaw-integrity/pi-agent-core";

const apiKey = "k";
const CLAUDE = "claude-test";
const GPT = "gpt-5";

/** @type {Record<string, (way: Way) => any>} */
export const AI_SDK = {
  "anthropic-messages": ({ url, fetch }) => createAnthropic({ baseURL: `${url}/v1`, apiKey, fetch })(CLAUDE),
  "openai-completions": ({ url, fetch }) => createOpenAI({ baseURL: `${url}/v1`, apiKey, fetch }).chat(GPT),
  "openai-responses": ({ url, fetch }) => createOpenAI({ baseURL: `${url}/v1`, apiKey, fetch }).responses(GPT),
};

/** @type {Record<string, (way: Way) => any>} */
export const LANGCHAIN = {
  "anthropic-messages": ({ url, fetch }) =>
    new ChatAnthropic({ model: CLAUDE, apiKey, maxRetries: 0, clientOptions: { baseURL: url, fetch } }),
  "openai-completions": ({ url, fetch }) =>
    new ChatOpenAI({ model: GPT, apiKey, maxRetries: 0, configuration: { baseURL: `${url}/v1`, fetch } }),
  "openai-responses": ({ url, fetch }) =>
    new ChatOpenAI({
      model: GPT,
      apiKey,
      maxRetries: 0,
      useResponsesApi: true,
      configuration: { baseURL: `${url}/v1`, fetch },
    }),
};

/** @type {Record<string, new (client: any, model: string) => any>} */
export const OPENAI_AGENTS = {
  "openai-completions": OpenAIChatCompletionsModel,
  "openai-responses": OpenAIResponsesModel,
};

/** @type {Record<string, [provider: string, path: string]>} */
export const PI = {
  "anthropic-messages": ["anthropic", ""],
  "openai-completions": ["openai", "/v1"],
  "openai-responses": ["openai", "/v1"],
};

export const each = (apis, name, form, ask) =>
  Object.keys(apis).map((api) => ({ name, form, api, ask: (list, way) => ask(api, list, way) }));

const forStep = ({ adapts }) => (adapts ? { prepareStep: repairStep() } : {});

export function makeOpenAiAgent(api, { url, fetch }) {
  const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0, fetch });
  return new Agent({ name: "agent", model: new OPENAI_AGENTS[api](client, GPT) });
}

export async function askPi(PiAgentClass, options, api, list, { url, fetch, repair, adapts }) {
  const [provider, path] = PI[api];
  const own = globalThis.fetch;
  // The agent has no option for a fetch of one's own.
  globalThis.fetch = fetch;
  try {
    const agent = new PiAgentClass({
      ...options,
      initialState: {
        systemPrompt: "",
        model: describePiModel(api, provider, url + path),
        messages: list.slice(0, -1),
        tools: [],
      },
      getApiKey: () => apiKey,
      transformContext: adapts ? repairContext() : async (messages) => repair(messages),
    });
    await agent.prompt(list.at(-1));
    const { stopReason, errorMessage } = agent.state.messages.at(-1);
    if (stopReason !== "stop") throw new Error(errorMessage);
  } finally {
    globalThis.fetch = own;
  }
}

/** The agents: the form of their lists, the API, and a function that asks and rejects where there is no answer. */
export const AGENTS = [
  ...each(AI_SDK, "AI SDK, ModelMessage", "ai-sdk-model", (api, list, way) =>
    generateText({ model: AI_SDK[api](way), maxRetries: 0, messages: way.repair(list), ...forStep(way) }),
  ),
  ...each(AI_SDK, "AI SDK, UIMessage", "ai-sdk-ui", async (api, list, way) => {
    const messages = await convertToModelMessages(way.repair(list));
    const quiet = { onError() {}, maxRetries: 0 };
    const result = streamText({ model: AI_SDK[api](way), messages, ...quiet, ...forStep(way) });
    // To version 6 the stream has the other name.
    for await (const part of result.stream ?? result.fullStream) if (part.type === "error") throw part.error;
  }),
  ...each(LANGCHAIN, "LangChain", "langchain", (api, list, way) =>
    createAgent({
      model: LANGCHAIN[api](way),
      tools: [],
      middleware: way.adapts ? [createMiddleware(repairModelCall())] : [],
    }).invoke({ messages: mapStoredMessagesToChatMessages(way.repair(list)) }),
  ),
  ...each(OPENAI_AGENTS, "@openai/agents", "agents", (api, list, way) => {
    const byHand = ({ modelData }) => ({ ...modelData, input: way.repair(modelData.input) });
    const callModelInputFilter = way.adapts ? repairInput() : byHand;
    return new Runner({ tracingDisabled: true, callModelInputFilter }).run(makeOpenAiAgent(api, way), list);
  }),
  ...each(PI, "pi-agent-core of @mariozechner", "openclaw", (api, list, way) => askPi(PiAgent, {}, api, list, way)),
];

function describePiModel(api, provider, baseUrl) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    id: CLAUDE,
    name: CLAUDE,
    api,
    provider,
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost,
    contextWindow: 200_000,
    maxTokens: 100,
  };
}
