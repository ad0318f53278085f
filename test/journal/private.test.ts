/**
 * Who can read the journal and the files beside it, and that looking after that does no harm to those who have them
 * open.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { NOBODY, reachable, runAsNobody } from "../../harness/nobody.ts";
import { newFolder } from "../../harness/temporary.ts";
import { ScanMemory } from "../../src/health/index.ts";
import { journalFile, openJournal, type Journal } from "../../src/journal/index.ts";
import { openTimelineIndex, timelineIndexFile } from "../../src/timetravel/timeline-index/index.ts";

const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(() => {
  folder = newFolder();
  chmodSync(folder, 0o755);
});

const readMode = (file: string): string => (statSync(file).mode & 0o777).toString(8);
const write = (journal: Journal, sessionId: string): unknown =>
  journal.checkpoints.create({
    sessionId,
    operation: "manual",
    messageIndex: 0,
    contentHash: "",
    firstEntryId: null,
    leafEntryId: null,
  });

/** Runs TypeScript that may import the journal, as a process of its own, or as nobody's. */
function run(script: string, user?: "nobody"): string {
  const source = join(import.meta.dirname, "../../src/journal/index.ts");
  const begin = (path: string): string[] => [
    "--no-warnings",
    "--input-type=module",
    "-e",
    `const { openJournal } = await import(${JSON.stringify(path)}); ${script}`,
  ];
  const { stdout, stderr } =
    user === "nobody"
      ? runAsNobody(begin(reachable(source)))
      : spawnSync(process.execPath, begin(source), { encoding: "utf8", cwd: "/" });
  return stdout + stderr;
}

describe("the journal", () => {
  it("that others could read is private from the next opening on, with its write-ahead log", () => {
    const file = journalFile(folder);
    const first = openJournal(file);
    write(first, "a");
    for (const end of ["", "-wal", "-shm"]) chmodSync(file + end, 0o664);
    const second = openJournal(file);
    expect(["", "-wal", "-shm"].map((end) => readMode(file + end))).toEqual(["600", "600", "600"]);
    second.close();
    first.close();
  });

  it("is not changed by who only looks", () => {
    const file = journalFile(folder);
    openJournal(file).close();
    chmodSync(file, 0o644);
    openJournal(file, { readOnly: true }).close();
    expect(readMode(file)).toBe("644");
  });

  it("is private from its first moment on, in a folder that is", () => {
    const umask = process.umask(0);
    try {
      const file = journalFile(join(folder, "new", "state"));
      const journal = openJournal(file);
      write(journal, "a");
      expect([join(folder, "new"), join(folder, "new", "state"), file, `${file}-wal`].map(readMode)).toEqual([
        "700",
        "700",
        "600",
        "600",
      ]);
      journal.close();
    } finally {
      process.umask(umask);
    }
  });

  it.runIf(isRoot)("of another user that others can read is told as such, and stays as it is", () => {
    const file = journalFile(folder);
    openJournal(file).close();
    chmodSync(folder, 0o777);
    chmodSync(file, 0o666);
    expect(
      run(
        `try { openJournal(${JSON.stringify(file)}); } catch (error) { console.log(error.code, error.message); }`,
        "nobody",
      ),
    ).toMatch(
      /^not-writable expected the journal .* to belong to user 65534, .*; found a file of user 0 with mode 0666\. Run the command as that user/,
    );
    expect(readMode(file)).toBe("666");
  });

  it.runIf(isRoot)("that root begins in a user's folder is that user's, and so is one that root makes private", () => {
    const state = join(folder, "state");
    mkdirSync(state, { mode: 0o700 });
    chownSync(state, NOBODY, NOBODY);
    const file = journalFile(state);
    const journal = openJournal(file);
    write(journal, "a");
    chmodSync(file, 0o644);
    openJournal(file).close();
    expect(["", "-wal", "-shm"].map((end) => [statSync(file + end).uid, readMode(file + end)])).toEqual(
      ["", "", ""].map(() => [NOBODY, "600"]),
    );
    journal.close();
    expect(
      run(
        `const journal = openJournal(${JSON.stringify(file)}); console.log(journal.checkpoints.list("a").length); journal.close();`,
        "nobody",
      ),
    ).toBe("1\n");
  });

  it.runIf(isRoot)("is not begun behind a link of another user", () => {
    const secret = join(folder, "secret");
    writeFileSync(secret, "");
    const file = journalFile(folder);
    symlinkSync(secret, file);
    lchownSync(file, NOBODY, NOBODY);
    expect(() => openJournal(file)).toThrow(
      /no symbolic link that another user could have put there; found one of user 65534/,
    );
    expect(readFileSync(secret, "utf8")).toBe("");
  });

  it("opened twice in one process (the guard and the plugin) is still held: what is written after another program has closed it is there", () => {
    const file = journalFile(folder);
    const first = openJournal(file);
    write(first, "before");
    const second = openJournal(file);
    // SQLite's lock on the file, which closing any handle on the file would have taken away from the whole process.
    if (process.platform === "linux")
      expect(readFileSync("/proc/locks", "utf8")).toMatch(
        new RegExp(`POSIX .* ${process.pid} \\S+:${statSync(file).ino} `),
      );
    // The last one that closes a database removes its write-ahead log. This one is not the last.
    expect(
      run(`const journal = openJournal(${JSON.stringify(file)}); journal.checkpoints.list(); journal.close();`),
    ).toBe("");
    write(first, "after");
    expect(
      run(
        `const journal = openJournal(${JSON.stringify(file)}, { readOnly: true }); console.log(journal.checkpoints.list().map(({ sessionId }) => sessionId).join()); journal.close();`,
      ),
    ).toBe("before,after\n");
    second.close();
    first.close();
  });
});

it("the timeline's index and what scans have found are private too, also where they were not", () => {
  const index = timelineIndexFile(folder);
  openTimelineIndex(index).close();
  chmodSync(index, 0o644);
  openTimelineIndex(index).close();
  const memory = new ScanMemory(folder);
  writeFileSync(memory.file, "{}", { mode: 0o644 });
  memory.save();
  expect([index, memory.file].map(readMode)).toEqual(["600", "600"]);
});
