/**
 * An agent on OpenAI's Chat Completions API, or on a server that speaks it. The session stores Anthropic's form; gate.heal
 * writes the request's messages, and executeToolCycle reads the answer's tool_calls. Run: node
 * examples/chat-completions.ts
 */
import {
  createSessionIntegrity,
  MemorySession,
  openJournal,
  type ChatAnswer,
  type ToolExecutor,
} from "openclaw-integrity/integrity";

const MOST_REQUESTS = 20;

const journal = openJournal(":memory:");
const integrity = createSessionIntegrity({ journal });
const session = new MemorySession({ id: "example" });

const tools: ToolExecutor = {
  execute: async (name, input) => {
    if (name !== "weather") throw new Error(`There is no tool ${name}.`);
    return { output: `It rains in ${(input as { city: string }).city}.` };
  },
};

await session.append([{ role: "user", content: "How is the weather in Oslo?" }]);
for (let requests = 1; ; requests++) {
  const call = await integrity.guardCall(session, (messages, gate) => post(gate.heal(buildBody(messages))), {
    api: "openai-completions",
  });
  if (call.outcome !== "answered") {
    console.log(call.recovery?.message ?? call.error);
    break;
  }
  const answer = call.response.choices[0]!.message;
  if (!answer.tool_calls?.length) {
    if (answer.content) await session.append([{ role: "assistant", content: answer.content }]);
    break;
  }
  // The arguments are JSON in a text: executeToolCycle parses them, and tells the model of any that it cannot parse.
  const cycle = await integrity.executeToolCycle(session, answer, tools, { thrown: "record" });
  if (cycle.rolledBack || requests === MOST_REQUESTS) {
    console.log(cycle.error ?? `The model still calls tools after ${requests} requests.`);
    break;
  }
}
for (const message of session.messages) console.log(JSON.stringify(message));
console.log(`valid: ${integrity.validate(session).valid}`);
journal.close();

/** The session's messages stay as they are; what is no part of the conversation is put around them. */
function buildBody(messages: readonly unknown[]): object {
  return {
    model: "gpt-5",
    messages: [{ role: "system", content: "Answer in one sentence." }, ...messages],
    tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
  };
}

/** Stands for the request: `client.chat.completions.create(body)`. */
async function post(body: object): Promise<{ choices: { message: ChatAnswer & { content: string | null } }[] }> {
  const sent = JSON.stringify(body);
  console.log(sent);
  const said = /"role":"tool","tool_call_id":"call_0","content":"(.*?)"/.exec(sent)?.[1];
  if (said !== undefined) return { choices: [{ message: { role: "assistant", content: said } }] };
  const weather = { name: "weather", arguments: '{"city":"Oslo"}' };
  return {
    choices: [
      {
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ type: "function", id: "call_0", function: weather }],
        },
      },
    ],
  };
}
