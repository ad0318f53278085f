/**
 * A process ends while a tool is at work. The next one finds out from the journal what became of the call, and tells
 * the model the truth. Run: node examples/after-a-crash.ts
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSessionIntegrity, MemorySession, MemoryStore, openJournal } from "openclaw-integrity/integrity";

const folder = mkdtempSync(join(tmpdir(), "integrity-example-"));
const file = join(folder, "openclaw-integrity.sqlite");
// Stands for the disk; see docs/integrity.md for sessions in files and in OpenClaw.
const store = new MemoryStore();

const first = openJournal(file);
const session = new MemorySession({
  id: "example",
  store,
  messages: [{ role: "user", content: [{ type: "text", text: "Send the mail." }] }],
});
// This tool never comes back: the process is gone before.
void createSessionIntegrity({ journal: first }).executeToolCycle(
  session,
  { type: "tool_use", id: "toolu_1", name: "send_mail", input: {} },
  { execute: () => new Promise(() => {}) },
);
await new Promise((begun) => {
  setTimeout(begun, 50);
});

const second = openJournal(file);
const integrity = createSessionIntegrity({ journal: second });
const reopened = new MemorySession({ id: "example", store });
const { recovered } = await integrity.recover(reopened);
console.log(recovered);
console.log(JSON.stringify(reopened.messages.at(-1)));

first.close();
second.close();
rmSync(folder, { recursive: true });
