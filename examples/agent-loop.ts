/**
 * An agent's turn whose history stays valid whatever happens in it: the history is looked at before each request, tool
 * calls are stored together with their results, an error of a tool is told to the model, and an error of the provider
 * is recovered from. Run: node examples/agent-loop.ts
 */
import { createSessionIntegrity, MemorySession, openJournal, type ToolExecutor } from "openclaw-integrity/integrity";

/** A model that never stops to call tools must not cost without end. */
const MOST_REQUESTS = 20;

const journal = openJournal(":memory:");
const integrity = createSessionIntegrity({ journal });
const session = new MemorySession({ id: "example" });

const tools: ToolExecutor = {
  execute: async (name) => {
    if (name === "clock") return { output: "12:00" };
    // Only before anything was done; a tool that ran and failed returns an output with isError.
    throw new Error(`There is no tool ${name}.`);
  },
};

await session.append([{ role: "user", content: [{ type: "text", text: "What time is it, and how warm?" }] }]);
for (let requests = 1; ; requests++) {
  const call = await integrity.guardCall(session, askModel);
  if (call.outcome !== "answered") {
    console.log(call.recovery?.message ?? call.error);
    break;
  }
  const answer = call.response;
  if (answer.stop_reason !== "tool_use") {
    await session.append([{ role: "assistant", content: answer.content }]);
    console.log(JSON.stringify(answer.content));
    break;
  }
  // Runs every call of the message; the message is stored with the results, in one step. A tool that throws: the error
  // is its result, and the model is told.
  const message = { role: "assistant" as const, content: answer.content };
  const cycle = await integrity.executeToolCycle(session, message, tools, { thrown: "record" });
  for (const warning of cycle.warnings ?? []) console.log(warning);
  // Nothing was stored: the next request would be the same again.
  if (cycle.rolledBack || requests === MOST_REQUESTS) {
    console.log(cycle.error ?? `The model still calls tools after ${requests} requests.`);
    break;
  }
}
console.log(`${session.messages.length} messages, valid: ${integrity.validate(session).valid}`);
journal.close();

/** Stands for a request to a provider. */
async function askModel(messages: readonly unknown[]): Promise<{ stop_reason: string; content: object[] }> {
  const told = JSON.stringify(messages);
  if (!told.includes("tool_result"))
    return {
      stop_reason: "tool_use",
      content: [
        { type: "tool_use", id: "toolu_1", name: "clock", input: {} },
        { type: "tool_use", id: "toolu_2", name: "thermometer", input: {} },
      ],
    };
  const hour = told.includes("12:00") ? "It is noon" : "The hour I cannot tell";
  const warmth = told.includes("There is no tool thermometer") ? "how warm it is I cannot tell" : "it is warm";
  return { stop_reason: "end_turn", content: [{ type: "text", text: `${hour}; ${warmth}.` }] };
}
