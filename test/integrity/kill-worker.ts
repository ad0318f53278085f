/**
 * Runs tool cycles without end on a session file, and writes down what it did, until it is killed. Arguments: folder.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createSessionIntegrity, JsonlSession, openJournal } from "../../src/integrity/index.ts";
import { WRITERS } from "./messages.ts";

const folder = process.argv[2]!;
const note = (line: string): void => appendFileSync(join(folder, "trace"), `${line}\n`);
const integrity = createSessionIntegrity({
  journal: openJournal(join(folder, "journal.sqlite")),
  onEvent: (event) => {
    if (event.event === "l0:cycle:recorded") note(`recorded ${event.callId}`);
  },
});
const session = new JsonlSession(join(folder, "session.jsonl"));
await integrity.recover(session);
note("begun");

const { user, calls } = WRITERS.openclaw;
const life = process.pid;
for (let turn = 0; ; turn++) {
  await session.append([user(`asked ${life}-${turn}`)]);
  note(`asked ${life}-${turn}`);
  const ids = Array.from({ length: 1 + (turn % 3) }, (_, at) => `toolu_${life}_${turn}_${at}`);
  await integrity.executeToolCycle(session, calls(...ids) as unknown as { role: "assistant"; content: object[] }, {
    execute: async (_name, input) => {
      const { for: id } = input as { for: string };
      note(`started ${id}`);
      await new Promise((done) => {
        setTimeout(done, turn % 5);
      });
      note(`finished ${id}`);
      return { output: `did ${id}` };
    },
  });
}
