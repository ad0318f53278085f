import { execFile } from "node:child_process";
import { join } from "node:path";
import { isThere } from "../../base/is-there.ts";
import { agentDatabase } from "../sessions/session-coordinates.ts";
import { agentsIn } from "../state-directory.ts";

/** SQLite reads a whole file for these checks, and no call of Node's interrupts it: a process of its own can be ended. */
const TIMEOUT_MS = 5000;

/** The checks that OpenClaw makes before it trusts a database; the quicker one of all files comes first. */
const PROGRAM = `
const { DatabaseSync } = require("node:sqlite");
const files = process.argv.slice(1);
const refused = new Set();
for (const check of ["foreign_key_check", "integrity_check(1)"])
  for (const file of files) {
    if (refused.has(file)) continue;
    let found;
    try {
      const database = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
      for (const row of database.prepare("PRAGMA " + check).iterate()) {
        found = row.parent === undefined ? String(Object.values(row)[0])
          : "a row of " + row.table + " refers to one of " + row.parent + " that is not there";
        break;
      }
      database.close();
    } catch (error) {
      if (/malformed/.test(error.message)) found = error.message;
    }
    if (found === undefined || found === "ok") continue;
    refused.add(file);
    console.log(JSON.stringify({ file, found }));
  }`;

/**
 * Looks for databases (since 2026.8) that OpenClaw refuses as a whole, with every session in them: a sentence for each,
 * for a person. OpenClaw checks after a kill, an update or a copy, so that such a database can still work today. Only
 * reads, for a few seconds at most: what takes longer is not judged. Never rejects.
 */
export async function refusedDatabases(stateDirectory: string, agentId?: string): Promise<string[]> {
  const files = listDatabases(stateDirectory, agentId);
  if (files.length === 0) return [];
  const printed = await new Promise<string>((resolve) => {
    const options = { timeout: TIMEOUT_MS, killSignal: "SIGKILL", windowsHide: true } as const;
    execFile(process.execPath, ["--no-warnings", "-e", PROGRAM, ...files], options, (_error, stdout) =>
      resolve(stdout),
    );
  });
  return printed
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => sentence(JSON.parse(line) as { file: string; found: string }));
}

function listDatabases(stateDirectory: string, agentId: string | undefined): string[] {
  try {
    const agents = agentId === undefined ? agentsIn(stateDirectory) : [agentId];
    const own = agents.map((agent) => agentDatabase(stateDirectory, agent));
    return [join(stateDirectory, "state", "openclaw.sqlite"), ...own].filter(isThere);
  } catch {
    // Who lists the sessions says that the folder cannot be read.
    return [];
  }
}

function sentence({ file, found }: { readonly file: string; readonly found: string }): string {
  return (
    `OpenClaw refuses the whole database ${file}, with all sessions in it, when it next checks it (after a kill, an ` +
    `update or a copy): ${found}. Stop the gateway and copy the file; \`openclaw doctor\` says what it can mend.`
  );
}
