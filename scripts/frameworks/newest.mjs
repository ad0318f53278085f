/** The agents that only the newest versions have, beside those of agents.mjs. */
import { Agent as PiAgent } from "@earendil-works/pi-agent-core";
import { streamSimple } from "@earendil-works/pi-ai/compat";
import { mapStoredMessagesToChatMessages } from "@langchain/core/messages";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { Mastra } from "@mastra/core";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { MemorySession, Runner } from "@openai/agents";
import { convertToModelMessages, generateText, pruneMessages, ToolLoopAgent } from "ai";
import { createPatchToolCallsMiddleware } from "deepagents";
import { createAgent } from "langchain";
import { repairStep } from "openclaw-integrity/ai-sdk";
import { repairHook } from "openclaw-integrity/langchain";
import { repairSession } from "openclaw-integrity/openai-agents";
import { AGENTS as SHARED, AI_SDK, askPi, each, LANGCHAIN, makeOpenAiAgent, OPENAI_AGENTS, PI } from "./agents.mjs";

const withoutLine = (agent) => ({ ...agent, hasNoLine: true });
const withoutAdapter = (agent) => ({ ...agent, hasNoAdapter: true });

async function askMastra(api, list, way) {
  const agent = new MastraAgent({
    id: "agent",
    name: "agent",
    instructions: "Be kind.",
    model: AI_SDK[api](way),
    maxRetries: 0,
  });
  const quiet = new Mastra({ agents: { agent }, logger: false });
  const { error } = await quiet.getAgent("agent").generate(way.repair(list), { modelSettings: { maxRetries: 0 } });
  if (error) throw error;
}

/** `hasNoLine`: where `repair` by hand would write what it has made into the store, or make messages without usage. */
export const AGENTS = [
  ...SHARED,
  ...each({ "anthropic-messages": 0 }, "AI SDK, ToolLoopAgent", "ai-sdk-model", (api, list, way) =>
    new ToolLoopAgent({
      model: AI_SDK[api](way),
      maxRetries: 0,
      ...(way.adapts && { prepareStep: repairStep() }),
    }).generate({ messages: way.repair(list) }),
  ),
  ...each({ "anthropic-messages": 0 }, "LangGraph", "langchain", (api, list, way) =>
    createReactAgent({
      llm: LANGCHAIN[api](way),
      tools: [],
      ...(way.adapts && { preModelHook: repairHook() }),
    }).invoke({ messages: mapStoredMessagesToChatMessages(way.repair(list)) }),
  ),
  ...each(OPENAI_AGENTS, "@openai/agents, Session", "agents", async (api, list, way) => {
    const stored = new MemorySession({ initialItems: list.slice(0, -1) });
    const session = way.adapts ? repairSession(stored) : stored;
    await new Runner({ tracingDisabled: true }).run(makeOpenAiAgent(api, way), list.slice(-1), { session });
    const kept = (await stored.getItems()).slice(list.length - 1);
    if (kept.length !== 2) throw new Error("expected the question and the answer behind what was stored");
  }).map(withoutLine),
  ...each(PI, "pi-agent-core", "openclaw", (api, list, way) =>
    askPi(PiAgent, { streamFn: streamSimple }, api, list, way),
  ).map(withoutLine),
  ...each(AI_SDK, "Mastra, ModelMessage", "ai-sdk-model", askMastra).map(withoutAdapter),
  ...each({ "anthropic-messages": 0 }, "Mastra, UIMessage", "ai-sdk-ui", askMastra).map(withoutAdapter),
];

/** The agents with what their own projects offer for damaged histories, and without the library. */
export const PEERS = [
  ...each(AI_SDK, "AI SDK, pruneMessages", "ai-sdk-model", (api, list, way) =>
    generateText({
      model: AI_SDK[api](way),
      maxRetries: 0,
      messages: pruneMessages({ messages: list, toolCalls: "all" }),
    }),
  ),
  ...each(AI_SDK, "AI SDK, ignoreIncompleteToolCalls", "ai-sdk-ui", async (api, list, way) =>
    generateText({
      model: AI_SDK[api](way),
      maxRetries: 0,
      messages: await convertToModelMessages(list, { ignoreIncompleteToolCalls: true }),
    }),
  ),
  ...each(LANGCHAIN, "LangChain, middleware of deepagents", "langchain", (api, list, way) =>
    createAgent({ model: LANGCHAIN[api](way), tools: [], middleware: [createPatchToolCallsMiddleware()] }).invoke({
      messages: mapStoredMessagesToChatMessages(list),
    }),
  ),
  ...each(OPENAI_AGENTS, "@openai/agents, its own dropping", "agents", (api, list, way) =>
    new Runner({ tracingDisabled: true }).run(makeOpenAiAgent(api, way), list),
  ),
];
