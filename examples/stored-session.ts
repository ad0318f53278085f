/**
 * Repairs a session that OpenClaw has stored in a file (until 2026.7); for one in its database, see OpenClawSession in
 * docs/integrity.md. Run: node examples/stored-session.ts [<session>.jsonl]
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSessionIntegrity, JsonlSession, openJournal } from "openclaw-integrity/integrity";

const file = process.argv[2] ?? (await corruptFile());
const journal = openJournal(":memory:");
const integrity = createSessionIntegrity({ journal });
const session = new JsonlSession(file);

console.log(`${session.messages.length} messages; ${integrity.validate(session).error ?? "nothing is wrong"}`);
console.log(`a copy is kept: ${await session.archive()}`);
const { repairs } = await integrity.repair(session);
console.log(`${repairs.length} repaired; ${integrity.validate(session).error ?? "nothing is wrong now"}`);
journal.close();

/** A file with a result whose call is gone. */
async function corruptFile(): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), "integrity-example-")), "example.jsonl");
  const timestamp = Date.now();
  await JsonlSession.create(path, { format: "openclaw" }).append([
    { role: "user", content: "Hello", timestamp },
    {
      role: "toolResult",
      toolCallId: "call_gone",
      toolName: "exec",
      content: [{ type: "text", text: "…" }],
      isError: false,
      timestamp,
    },
    { role: "user", content: "Are you there?", timestamp },
  ]);
  return path;
}
