/**
 * A state directory in which everything that others name is called what a terminal would act on, for the test of what
 * reaches the terminal.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { journalFile, openJournal } from "../../src/journal/index.ts";
import { assistant, says, user } from "../../harness/openclaw/samples.ts";

/** What a terminal acts on, or shows nothing of, and what hides between it. */
const PIECES = [
  "\u001b[2J",
  "\u001b]0;owned\u0007",
  "\u001b]8;;mailto:a@evil.example\u001b\\",
  "\u001b[31m",
  "\u009b31m",
  "\u009d0;x\u009c",
  "\r",
  "\n",
  "\t",
  "\b",
  "\u007f",
  "\u0085",
  "\u061c",
  "\u200b",
  "\u200d",
  "\u200e",
  "\u200f",
  "\u202a",
  "\u202e",
  "\u202c",
  "\u2028",
  "\u2029",
  "\u2060",
  "\u2066",
  "\u2069",
  "\ufeff",
  "\u{e0041}",
  "a",
  "Z",
  " ",
  "'",
  "$(id)",
  "--",
  "é",
  "漢",
];
// The last one is a letter: OpenClaw and the command line take blanks off the end of a folder and of an id.
const text = fc
  .array(fc.constantFrom(...PIECES), { minLength: 3, maxLength: 9 })
  .map((pieces) => `\u001b[7m${pieces.join("")}x`);

/** One hostile text for each kind of name. */
export const names = fc.record({
  key: text,
  session: text,
  agent: text,
  tool: text,
  call: text,
  entry: text,
  file: text,
  archive: text,
  checkpoint: text,
  mark: text,
  project: text,
  words: text,
  folder: text,
  version: text,
  option: text,
});
export type Names = typeof names extends fc.Arbitrary<infer Value> ? Value : never;

/** What no line of a terminal may hold. */
export const ACTS = /[^\P{Cc}\n]|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e0fff}]/u;

export interface HostileState {
  readonly stateDir: string;
  readonly archive: string;
  readonly checkpointId: string;
  /** A folder that says it is an OpenClaw. */
  readonly openclaw: string;
}

/** Makes such a state directory, with transcripts that are files. */
export async function hostileState(named: Names): Promise<HostileState> {
  const stateDir = join(newFolder(), named.folder);
  const folder = join(stateDir, "agents", "main", "sessions");
  for (const one of [folder, join(stateDir, "agents", named.agent, "sessions")]) mkdirSync(one, { recursive: true });
  const messages = [
    user(named.words),
    assistant({ type: "toolCall", id: named.call, name: named.tool, arguments: {} }, "toolUse"),
    says("an answer"),
    {
      role: "toolResult",
      toolCallId: `${named.call}!`,
      toolName: named.tool,
      content: [{ type: "text", text: named.words }],
      isError: false,
    },
    { role: named.tool, content: named.words },
  ];
  const rows = [
    { type: "session", version: 3, id: named.session, timestamp: "2026-02-05T21:00:00.000Z", cwd: "/" },
    ...messages.map((message, at) => ({
      type: "message",
      id: `${named.entry}${at}`,
      parentId: at === 0 ? null : `${named.entry}${at - 1}`,
      timestamp: "2026-02-05T21:20:00.000Z",
      message,
    })),
    {
      type: "message",
      id: `${named.entry}side`,
      parentId: `${named.entry}0`,
      timestamp: "2026-02-05T21:20:00.000Z",
      message: says("a side"),
    },
    {
      type: "message",
      id: `${named.entry}last`,
      parentId: `${named.entry}${messages.length - 1}`,
      timestamp: "2026-02-05T21:20:00.000Z",
      message: user("last"),
    },
  ];
  const transcript = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const file = join(folder, `${named.session}.jsonl`);
  writeFileSync(file, transcript);
  writeFileSync(join(folder, `${named.file}.jsonl`), `${transcript}no JSON`);
  writeFileSync(join(stateDir, "agents", named.agent, "sessions", `${named.file}.jsonl`), transcript);
  const archive = join(folder, `${named.archive}.jsonl.integrity-0123456789ab.bak`);
  writeFileSync(archive, transcript);
  writeFileSync(
    join(folder, "sessions.json"),
    JSON.stringify({
      [named.key]: { sessionId: named.session, updatedAt: 1 },
      [`agent:main:${named.key}`]: { sessionId: named.session, sessionFile: file },
    }),
  );
  mkdirSync(join(stateDir, "logs"));
  writeFileSync(
    join(stateDir, "logs", "l0-incident-2026-02-05T11-20-00-000Z.json"),
    JSON.stringify({
      format: "openclaw-integrity session incident",
      version: 1,
      timestamp: "2026-02-05T11:20:00.000Z",
      sessionId: named.session,
      sessionKey: named.key,
      agentId: named.agent,
      foundBy: "tick",
      action: "kept",
      reason: named.words,
      archive: named.archive,
      issues: [{ type: named.tool, toolUseId: named.call, messageIndex: 1, description: named.words }],
      rows: [],
    }),
  );
  mkdirSync(join(stateDir, "agents", named.agent, "agent"), { recursive: true });
  writeFileSync(join(stateDir, "agents", named.agent, "agent", "openclaw-agent.sqlite"), "no database");

  const journal = openJournal(journalFile(stateDir));
  const { id: checkpointId } = journal.checkpoints.create({
    sessionId: named.session,
    operation: "api_call",
    messageIndex: 1,
    contentHash: named.words,
    firstEntryId: `${named.entry}0`,
    leafEntryId: `${named.entry}0`,
  });
  journal.cycles.pending([
    { sessionId: named.session, callId: named.call, toolName: named.tool, inputHash: named.words },
  ]);
  journal.close();
  const database = new DatabaseSync(journalFile(stateDir));
  database.prepare("UPDATE checkpoints SET id = ?").run(named.checkpoint);
  database.close();

  const store = openSqliteStore({ file: join(stateDir, "openclaw-continuity.sqlite") });
  const continuity = new Continuity({ store });
  for (const name of [named.project, "another"]) {
    const project = await continuity.project(name);
    const { goal_id } = await project.createGoal({ text: named.words, priority: 1 });
    const { task_id } = await project.addTask({ goal_id, title: named.words, acceptance_criteria: [named.words] });
    await project.startTask({ task_id });
    await project.updateCheckpoint({
      task_id,
      where_we_left_off: named.words,
      next_step: named.words,
      needed_context_refs: [named.file],
      blockers: [named.words],
    });
  }
  await continuity.close();

  const openclaw = join(newFolder(), named.folder, "openclaw");
  mkdirSync(join(openclaw, "dist"), { recursive: true });
  writeFileSync(join(openclaw, "package.json"), JSON.stringify({ name: "openclaw", version: named.version }));
  if (!existsSync(file) || readFileSync(file, "utf8") !== transcript)
    throw new Error("expected a file system that keeps such names");
  return { stateDir, archive, checkpointId: checkpointId === "" ? "" : named.checkpoint, openclaw };
}
