/**
 * An agent's turn whose history stays valid whatever happens in it: the history is looked at before each request, tool
 * calls are stored together with their results, and an error of the provider is recovered from. Run: node
 * examples/agent-loop.ts
 */
import { createSessionIntegrity, MemorySession, openJournal, type ToolExecutor } from "openclaw-integrity/integrity";

const journal = openJournal(":memory:");
const integrity = createSessionIntegrity({ journal });
const session = new MemorySession({ id: "example" });

const tools: ToolExecutor = {
  execute: async (name) => ({ output: name === "clock" ? "12:00" : "unknown tool", isError: name !== "clock" }),
};

await session.append([{ role: "user", content: [{ type: "text", text: "What time is it?" }] }]);
for (;;) {
  const call = await integrity.guardCall(session, askModel);
  if (call.outcome !== "answered") {
    console.log(call.recovery?.message ?? call.error);
    break;
  }
  const answer = call.response;
  if (answer.stop_reason !== "tool_use") {
    await session.append([{ role: "assistant", content: answer.content }]);
    break;
  }
  // Runs every call of the message; the message is stored with the results, in one step.
  await integrity.executeToolCycle(session, { role: "assistant", content: answer.content }, tools);
}
console.log(`${session.messages.length} messages, valid: ${integrity.validate(session).valid}`);
journal.close();

/** Stands for a request to a provider. */
async function askModel(messages: readonly unknown[]): Promise<{ stop_reason: string; content: object[] }> {
  if (messages.length === 1)
    return { stop_reason: "tool_use", content: [{ type: "tool_use", id: "toolu_1", name: "clock", input: {} }] };
  return { stop_reason: "end_turn", content: [{ type: "text", text: "It is noon." }] };
}
