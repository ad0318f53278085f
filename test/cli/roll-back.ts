/** Rolls a conversation back to a checkpoint as the plugin's chat command does, and prints what came of it as JSON. */
import { parseArgs } from "node:util";
import { printJson } from "../../src/base/terminal.ts";
import { endProcess, quietly } from "../../src/cli/with-openclaw.ts";
import { journalFile, openJournal } from "../../src/journal/index.ts";
import { openSessionStore, rollBackTo, stateDirectory } from "../../src/store/index.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { "dry-run": { type: "boolean" }, "session-key": { type: "string" } },
});
const [root = "", id = ""] = positionals;
const journal = openJournal(journalFile(stateDirectory()));
let told: object;
try {
  const { problems, ...rolledBack } = await quietly(async () =>
    rollBackTo(await openSessionStore({ root, stateDirectory: stateDirectory() }), journal, id, {
      dryRun: values["dry-run"],
      sessionKey: values["session-key"],
    }),
  );
  told = { ok: true, ...rolledBack, warnings: problems };
} catch (error) {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  told = { ok: false, code, message };
  process.exitCode = 1;
}
journal.close();
printJson(told);
endProcess();
