/** Keeps a place in a conversation and goes back to it. Run: node examples/checkpoints.ts */
import { createSessionIntegrity, IntegrityError, MemorySession, openJournal } from "openclaw-integrity/integrity";

const journal = openJournal(":memory:");
const integrity = createSessionIntegrity({ journal, config: { checkpointRetention: 5 } });
const session = new MemorySession({
  id: "example",
  messages: [{ role: "user", content: [{ type: "text", text: "Write a poem." }] }],
});

const { id } = await integrity.checkpoint(session, "manual");
await session.append([{ role: "assistant", content: [{ type: "text", text: "Roses are red" }] }]);

try {
  // Refused when the messages before the checkpoint are not those of then.
  const { messagesRemoved, newMessageCount } = await integrity.rollback(session, id);
  console.log(`${messagesRemoved} message off the path, ${newMessageCount} on it; nothing stored was deleted`);
} catch (error) {
  if (!(error instanceof IntegrityError)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
journal.close();
