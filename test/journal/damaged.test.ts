import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { JournalError, openJournal, openSoundJournal, setAside, type Journal } from "../../src/journal/index.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 120);
const PAGE = 4096;
const CALLS = 60;
/** Header of the write-ahead log, and of each frame in it. */
const WAL_HEADER = 32;
const FRAME = PAGE + 24;

let source = "";
let folder = "";
let file = "";

/** A journal with all its rows in the file, and one with all of them in the write-ahead log. */
beforeAll(() => {
  source = newFolder();
  const closed = openJournal(join(source, "closed"));
  fill(closed);
  closed.close();
  const open = openJournal(join(source, "open"));
  fill(open);
  for (const end of ["", "-wal"]) copyFileSync(join(source, `open${end}`), join(source, `killed${end}`));
  open.close();
});
beforeEach(() => {
  folder = newFolder();
  file = join(folder, "openclaw-integrity.sqlite");
});

function emptyFolder(): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
}

function fill(journal: Journal): void {
  for (let at = 0; at < CALLS; at++) {
    const [id = 0] = journal.cycles.pending([
      { sessionId: "s", callId: `call-${at}`, toolName: "read", inputHash: "h" },
    ]);
    journal.cycles.record(id, { content: makeResult(at), isError: false });
    journal.checkpoints.create({
      sessionId: "s",
      operation: "tool_cycle",
      messageIndex: at,
      contentHash: "0".repeat(64),
      firstEntryId: null,
      leafEntryId: `${at}`,
    });
  }
}

function makeResult(at: number): string {
  return `result of call-${at} ${"x".repeat(at % 2 === 0 ? 100 : 6000)}`;
}

function isDamage(error: unknown): boolean {
  return error instanceof JournalError && error.code === "damaged";
}

/** Looks at everything and writes, as OpenClaw does in the course of a day. */
function use(journal: Journal): string[] {
  const cycles = journal.cycles.open("s");
  journal.checkpoints.list("s");
  journal.incidents.list();
  const [id = 0] = journal.cycles.pending([{ sessionId: "s", callId: "new", toolName: "read", inputHash: "h" }]);
  journal.cycles.start(id);
  journal.cycles.commit([id]);
  journal.checkpoints.prune("s", 1);
  return cycles.map(({ result }) => String(result?.content));
}

interface Recovery {
  /** What was read of the results before anything failed. */
  results: string[];
  /** Whether the file was set aside. */
  aside: boolean;
  /** Set when nothing can be done by machine, as for another program's file. */
  refused?: string;
}

/** Opens and uses the journal, and sets a damaged one aside whenever that is noticed, as the guard does. */
function recover(): Recovery {
  let aside = false;
  for (let attempt = 0; attempt < 2; attempt++) {
    let journal: Journal | undefined;
    try {
      journal = openSoundJournal(file, { checkPages: false, onSetAside: () => (aside = true) });
      return { results: use(journal), aside };
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      if (!isDamage(error)) return { results: [], aside, refused: error.code };
      journal?.close();
      journal = undefined;
      setAside(file);
      aside = true;
    } finally {
      journal?.close();
    }
  }
  throw new Error("a new journal was damaged as well");
}

const keptFiles = (): string[] =>
  readdirSync(folder).filter((name) => /^openclaw-integrity\.sqlite\.damaged-[\dTZ-]+$/.test(name));

describe("a damaged journal", () => {
  it("that is cut off at any page is set aside whole, and a new one begun", () => {
    const whole = readFileSync(join(source, "closed"));
    const pages = whole.length / PAGE;
    expect(pages).toBeGreaterThan(20);
    for (let kept = 0; kept < pages; kept++) {
      for (const length of [kept * PAGE, kept * PAGE + 100]) {
        emptyFolder();
        writeFileSync(file, whole.subarray(0, length));
        const { aside, refused } = recover();
        // Nothing at all is an empty database, which is where every journal begins.
        expect({ length, aside, refused, kept: keptFiles().length }).toEqual({
          length,
          aside: length > 0,
          refused: undefined,
          kept: length > 0 ? 1 : 0,
        });
        if (length > 0)
          expect(
            readFileSync(join(folder, keptFiles()[0]!))
              .subarray(0, PAGE)
              .equals(whole.subarray(0, Math.min(length, PAGE))),
          ).toBe(true);
      }
    }
  });

  it("with any bytes changed is used, or set aside, or refused in words; nothing else is ever thrown", () => {
    const whole = readFileSync(join(source, "closed"));
    const change = fc.record({ at: fc.nat(whole.length - 1), bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }) });
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), fc.boolean(), (changes, inHead) => {
        emptyFolder();
        const bytes = Buffer.from(whole);
        for (const { at, bytes: changed } of changes)
          bytes.set(changed.subarray(0, whole.length - (inHead ? at % 200 : at)), inHead ? at % 200 : at);
        writeFileSync(file, bytes);
        const { aside, refused } = recover();
        const outcome = refused ?? (aside ? "set aside" : "used");
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        // The file of a future SQLite could only be read, and a changed CHECK lets in other values: a byte each.
        expect(["used", "set aside", "foreign", "newer", "not-writable", "bad-input"]).toContain(outcome);
        // Nothing was deleted: the file lies there under one name or the other.
        expect(keptFiles().length).toBe(aside ? 1 : 0);
        if (refused !== undefined) expect(readFileSync(file).equals(bytes)).toBe(true);
      }),
      { numRuns: RUNS },
    );
    expect(seen.get("used")).toBeGreaterThan(0);
    expect(seen.get("set aside")).toBeGreaterThan(0);
  });

  it("whose write-ahead log is cut off holds what was written before the cut, in order, and is not set aside", () => {
    const log = readFileSync(join(source, "killed-wal"));
    const frames = Math.floor((log.length - WAL_HEADER) / FRAME);
    expect(frames).toBeGreaterThan(100);
    let most = 0;
    for (let kept = frames % 7; kept <= frames; kept += 7) {
      for (const length of [WAL_HEADER + kept * FRAME, WAL_HEADER + kept * FRAME + 1000]) {
        emptyFolder();
        copyFileSync(join(source, "killed"), file);
        writeFileSync(`${file}-wal`, log.subarray(0, length));
        const { results, aside, refused } = recover();
        expect({ aside, refused }).toEqual({ aside: false, refused: undefined });
        const found = results.filter((result) => result !== "undefined");
        expect(found).toEqual(found.map((_, at) => makeResult(at)));
        expect(found.length).toBeGreaterThanOrEqual(most);
        most = found.length;
      }
    }
    expect(most).toBe(CALLS);
  });

  it("whose write-ahead log is of something else is read without it", () => {
    copyFileSync(join(source, "closed"), file);
    writeFileSync(`${file}-wal`, "this is no log of anything\n".repeat(400));
    expect(recover()).toMatchObject({ results: { length: CALLS }, aside: false });
  });

  it.each([
    ["a text file", "notes of a person, kept under a wrong name\n".repeat(200)],
    ["a short text file", "hello"],
    ["an empty SQLite header", "SQLite format 3\0"],
    ["zeros", "\0".repeat(PAGE * 3)],
  ])("that is %s is set aside as it is", (_, content) => {
    writeFileSync(file, content);
    expect(recover()).toEqual({ results: [], aside: true });
    expect(readFileSync(join(folder, keptFiles()[0]!), "utf8")).toBe(content);
  });

  it("that is empty is a new journal", () => {
    writeFileSync(file, "");
    expect(recover()).toEqual({ results: [], aside: false });
  });

  it("takes its write-ahead log along: that of a damaged file would be read into the new one", () => {
    copyFileSync(join(source, "killed"), file);
    copyFileSync(join(source, "killed-wal"), `${file}-wal`);
    const to = setAside(file)!;
    expect(readdirSync(folder).toSorted()).toEqual([to, `${to}-wal`].map((path) => path.slice(folder.length + 1)));
    expect(readFileSync(`${to}-wal`).equals(readFileSync(join(source, "killed-wal")))).toBe(true);
    expect(recover()).toEqual({ results: [], aside: false });
  });

  it("that is found damaged while another process has it open is set aside once, and what that process closes does not touch the new one", () => {
    copyFileSync(join(source, "closed"), file);
    const other = new DatabaseSync(file);
    other.exec("INSERT INTO incidents (at, kind, details) VALUES (1, 'theirs', '{}')");
    setAside(file);
    const journal = openJournal(file);
    journal.incidents.log({ kind: "ours", details: {} });
    other.exec("INSERT INTO incidents (at, kind, details) VALUES (2, 'theirs', '{}')");
    other.close();
    expect(existsSync(`${file}-wal`)).toBe(true);
    const reader = openJournal(file);
    expect(reader.incidents.list().map(({ kind }) => kind)).toEqual(["ours"]);
    reader.close();
    journal.close();
  });

  it("is set aside under a name of its own, however often in one moment", () => {
    const names = Array.from({ length: 3 }, () => {
      writeFileSync(file, "no journal");
      return setAside(file, Date.UTC(2026, 10, 22));
    });
    expect(new Set(names).size).toBe(3);
    expect(keptFiles().length + readdirSync(folder).filter((name) => /-\d$/.test(name)).length).toBeGreaterThanOrEqual(
      3,
    );
    expect(setAside(file)).toBeUndefined();
  });
});

describe("a file that this version must not write", () => {
  const openingIt = (): void => openJournal(file).close();

  it("of a newer version is refused, and stays as it is", () => {
    copyFileSync(join(source, "closed"), file);
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99; ALTER TABLE tool_cycles ADD COLUMN of_the_future TEXT");
    database.close();
    const before = readFileSync(file);
    expect(openingIt).toThrow(
      expect.objectContaining({
        code: "newer",
        message: expect.stringMatching(
          /^expected a journal of version 1; found version 99 in .+The file was not changed/s,
        ),
      }),
    );
    expect(() => openSoundJournal(file)).toThrow(expect.objectContaining({ code: "newer" }));
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("of another program is refused, and stays as it is", () => {
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE tool_cycles (mine TEXT); INSERT INTO tool_cycles VALUES ('not yours')");
    database.close();
    const before = readFileSync(file);
    expect(openingIt).toThrow(
      expect.objectContaining({
        code: "foreign",
        message: expect.stringMatching(/^expected .+; found another program's database in .+The file was not changed/s),
      }),
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
