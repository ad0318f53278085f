import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { readJournal } from "../../src/doctor/journal-facts.ts";
import { journalFile, openJournal } from "../../src/journal/index.ts";
import { KnownSessions } from "../../src/privacy/index.ts";
import { journalNames } from "../../src/privacy/holders/journal-rows.ts";

let folder = "";
beforeEach(() => {
  folder = newFolder();
});

/** Runs SQL on a file in a process that is killed behind it. */
function killedAfter(file: string, sql: string): void {
  const code = `
    const { DatabaseSync } = require("node:sqlite");
    new DatabaseSync(process.argv[1]).exec(process.argv[2]);
    process.kill(process.pid, "SIGKILL");`;
  expect(spawnSync(process.execPath, ["--no-warnings", "-e", code, file, sql]).signal).toBe("SIGKILL");
}

const KILLS = [
  ["between the change to WAL and the first table", "PRAGMA journal_mode = WAL"],
  // Pages that do not fit into the cache are written before the end, as the first one of a new file is.
  [
    "while its first page is written",
    "PRAGMA cache_size = 1; BEGIN; CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(100000))",
  ],
] as const;

describe.each(KILLS)("a file whose first process was killed %s", (_, sql) => {
  it("is an empty one for who only reads, and is begun by the next who writes", () => {
    const known = new KnownSessions(folder);
    killedAfter(known.file, sql);
    expect(known.list()).toEqual([]);
    known.begin({ sessionIds: ["s"], sessionKeys: [] });
    expect(known.begun()).toEqual([{ sessionIds: ["s"], sessionKeys: [] }]);
  });

  it("is no journal yet", () => {
    const file = journalFile(folder);
    killedAfter(file, sql);
    expect(() => openJournal(file, { readOnly: true })).toThrow(expect.objectContaining({ code: "missing" }));
    expect(readJournal(folder)).toEqual({ sentence: expect.stringMatching(/^No journal yet/) });
    expect(journalNames(folder)).toEqual([]);
    openJournal(file).close();
    expect(readJournal(folder)).toEqual({ checkpoints: [] });
  });
});

it("what a reader does to a file whose writer was killed is to take back the half change only", () => {
  const file = journalFile(folder);
  openJournal(file).close();
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = DELETE; INSERT INTO incidents (at, kind, details) VALUES (1, 'kept', '{}')");
  database.close();
  killedAfter(
    file,
    "PRAGMA cache_size = 1; BEGIN; INSERT INTO incidents (at, kind, details) VALUES (2, 'half', hex(randomblob(100000)))",
  );
  expect(existsSync(`${file}-journal`)).toBe(true);
  const journal = openJournal(file, { readOnly: true });
  expect(journal.incidents.list().map(({ kind }) => kind)).toEqual(["kept"]);
  journal.close();
  expect(readdirSync(folder)).toEqual([file.slice(folder.length + 1)]);
});
