import { once } from "node:events";
import { cpSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { journalFile, openJournal } from "../../src/journal/index.ts";
import { startWriter } from "../journal/child.ts";
import { wordsIn, wordsInOurFiles } from "./bytes.ts";
import { runPurge } from "./run-purge.ts";
import { fillSession, type FilledSession } from "./state.ts";

let model: string;
let stateDir: string;
let gone: FilledSession;
beforeAll(async () => {
  model = newFolder();
  gone = await fillSession(model, "gone");
});
beforeEach(() => {
  stateDir = newFolder();
  cpSync(model, stateDir, { recursive: true, preserveTimestamps: true });
});

const purge = () => runPurge(stateDir, gone.id, "--yes", "--json");

it("beside a process that writes to the journal all the time a purge leaves nothing, and the other loses nothing", async () => {
  const file = journalFile(stateDir);
  const writer = startWriter("cycles", file, "busy", "0");
  await writer.said("committed busy-1");
  expect((await purge()).data).toMatchObject({ action: "purged", left: [] });
  const { length } = writer.lines;
  while (writer.lines.length < length + 50) await once(writer.process, "lines");
  writer.process.kill("SIGKILL");
  await writer.ended();
  expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
  const journal = openJournal(file);
  const recorded = writer.lines.filter((line) => line.startsWith("recording ")).map((line) => line.slice(10));
  const committed = new Set(writer.lines.filter((line) => line.startsWith("committed ")).map((line) => line.slice(10)));
  const open = new Map(journal.cycles.open("busy").map(({ callId, result }) => [callId, result]));
  for (const callId of recorded.slice(0, -1))
    if (!committed.has(callId)) expect(open.get(callId)?.content).toContain(callId);
  journal.close();
});

it("a journal that somebody holds is said to be held, what is deleted by then stays deleted, and the next purge finishes it", async () => {
  const holder = new DatabaseSync(journalFile(stateDir));
  holder.exec("BEGIN IMMEDIATE");
  const { status, data } = await purge();
  expect({ status, ...data }).toMatchObject({
    status: 1,
    ok: false,
    action: "incomplete",
    left: [expect.stringMatching(/locked.+Another process holds the database.+run the command again/s)],
  });
  holder.exec("ROLLBACK");
  holder.close();
  expect((await purge()).data).toMatchObject({ action: "purged", left: [] });
  expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
});

it("a write-ahead log that somebody still reads is said to hold what was deleted, and the next purge empties it", async () => {
  const file = journalFile(stateDir);
  const reader = new DatabaseSync(file, { readOnly: true });
  const rows = reader.prepare("SELECT * FROM tool_cycles").iterate();
  rows.next();
  expect(await purge()).toMatchObject({
    status: 1,
    data: {
      action: "incomplete",
      left: expect.arrayContaining([expect.stringContaining("write-ahead log still holds what was deleted")]),
    },
  });
  expect([...wordsIn(file, gone.words), ...wordsIn(`${file}-wal`, gone.words)]).not.toEqual([]);
  rows.return?.();
  reader.close();
  expect((await purge()).data).toMatchObject({ action: "purged", left: [] });
  expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
});
