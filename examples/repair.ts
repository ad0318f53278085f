/** Looks at a stored history, says what is wrong with it, and makes it valid. Run: node examples/repair.ts */
import { createSessionIntegrity, MemorySession, openJournal } from "openclaw-integrity/integrity";

const journal = openJournal(":memory:");
const integrity = createSessionIntegrity({ journal, onEvent: ({ event }) => console.log(event) });
const session = new MemorySession({
  id: "example",
  messages: [
    { role: "user", content: [{ type: "text", text: "Hello" }] },
    { role: "assistant", content: [{ type: "text", text: "Hi" }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_gone", content: "…" },
        { type: "text", text: "Are you there?" },
      ],
    },
  ],
});

const { valid, error, orphanedIds } = integrity.validate(session);
console.log({ valid, error, orphanedIds });
const { repairs } = await integrity.repair(session);
for (const { action, messageIndex, toolUseId } of repairs)
  console.log(`${action} ${toolUseId} in message ${messageIndex}`);
console.log(integrity.validate(session));
journal.close();
