/**
 * An agent of a framework with a tool that pays, as a process that can be killed: `killed-agent.mjs <framework> <url>
 * <folder> <saves> <durable> <words>`. It keeps the messages of the framework in the folder: after `each` step, or at the
 * `end` of a run. `durable` is the folder of the built library, or `-`. Copied to where the frameworks are installed.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { mapChatMessagesToStoredMessages, mapStoredMessagesToChatMessages } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { Agent as PiAgent } from "@mariozechner/pi-agent-core";
import { Agent, OpenAIResponsesModel, Runner, tool as agentsTool } from "@openai/agents";
import { generateText, jsonSchema, stepCountIs } from "ai";
import { createAgent } from "langchain";
import OpenAI from "openai";

const [framework, url, folder, saves, durable, words] = process.argv.slice(2);
const apiKey = "k";
const file = join(folder, "messages.json");
const stored = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
// A kill must not leave half a file.
const save = (messages) => {
  writeFileSync(`${file}.new`, JSON.stringify(messages));
  renameSync(`${file}.new`, file);
};
const saveStep = (messages) => saves === "each" && save(messages);

let fetchModel = globalThis.fetch;
let makeDurable = (tool) => tool;
if (durable !== "-") {
  const library = (name) => import(pathToFileURL(join(durable, `${name}.mjs`)).href);
  const { healingFetch } = await library("fetch");
  const { ConversationJournal, durableTool, openJournal } = await library("journal");
  const journal = new ConversationJournal(openJournal(join(folder, "agent.sqlite")), "chat");
  fetchModel = healingFetch({ fetch: globalThis.fetch, journal });
  makeDurable = (tool) => durableTool(tool, journal, "pay");
}

async function pay({ euros }) {
  await sleep(Number(process.env.BEFORE ?? 0));
  appendFileSync(join(folder, "ledger"), `paid ${euros}\n`);
  await sleep(Number(process.env.BEHIND ?? 0));
  return `paid ${euros}`;
}

const description = "Pays.";
const schema = {
  type: "object",
  properties: { euros: { type: "number" } },
  required: ["euros"],
  additionalProperties: false,
};

const RUN = {
  async "AI SDK"() {
    const messages = [...stored, { role: "user", content: words }];
    save(messages);
    const { response } = await generateText({
      model: createAnthropic({ baseURL: `${url}/v1`, apiKey, fetch: fetchModel })("claude-test"),
      maxRetries: 0,
      tools: { pay: makeDurable({ description, inputSchema: jsonSchema(schema), execute: pay }) },
      stopWhen: stepCountIs(5),
      messages,
      onStepFinish: (step) => saveStep([...messages, ...step.response.messages]),
    });
    save([...messages, ...response.messages]);
  },

  async LangChain() {
    const agent = createAgent({
      model: new ChatAnthropic({
        model: "claude-test",
        apiKey,
        maxRetries: 0,
        clientOptions: { baseURL: url, fetch: fetchModel },
      }),
      tools: [makeDurable(langchainTool(pay, { name: "pay", description, schema }))],
    });
    const before = [...mapStoredMessagesToChatMessages(stored), { role: "user", content: words }];
    let last = [];
    for await (const { messages } of await agent.stream({ messages: before }, { streamMode: "values" })) {
      last = mapChatMessagesToStoredMessages(messages);
      if (messages.length === before.length) save(last);
      saveStep(last);
    }
    save(last);
  },

  async "@openai/agents"() {
    const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0, fetch: fetchModel });
    const agent = new Agent({
      name: "agent",
      model: new OpenAIResponsesModel(client, "gpt-5"),
      tools: [makeDurable(agentsTool({ name: "pay", description, parameters: schema, strict: true, execute: pay }))],
    });
    const input = [...stored, { role: "user", content: words }];
    save(input);
    const stream = await new Runner({ tracingDisabled: true }).run(agent, input, { stream: true });
    for await (const event of stream) if (event.type === "run_item_stream_event") saveStep(stream.history);
    await stream.completed;
    save(stream.history);
  },

  async "pi-agent-core"() {
    // The agent has no option for a fetch of one's own.
    globalThis.fetch = fetchModel;
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const limits = { contextWindow: 200_000, maxTokens: 100 };
    const own = {
      id: "claude-test",
      name: "claude-test",
      api: "anthropic-messages",
      provider: "anthropic",
      baseUrl: url,
    };
    const agent = new PiAgent({
      initialState: {
        systemPrompt: "",
        model: { ...own, reasoning: false, input: ["text"], cost, ...limits },
        messages: stored,
        tools: [
          makeDurable({
            name: "pay",
            label: "pay",
            description,
            parameters: schema,
            execute: async (_id, input) => ({ content: [{ type: "text", text: await pay(input) }], details: {} }),
          }),
        ],
      },
      getApiKey: () => apiKey,
    });
    agent.subscribe(({ type }) => type === "message_end" && saveStep(agent.state.messages));
    save([...stored, { role: "user", content: [{ type: "text", text: words }], timestamp: Date.now() }]);
    await agent.prompt(words);
    const { stopReason, errorMessage } = agent.state.messages.at(-1);
    if (stopReason !== "stop") throw new Error(errorMessage);
    save(agent.state.messages);
  },
};

await RUN[framework]();
