/**
 * What a journal does on a disk that is full or cannot be written: `on-small-disk.ts <mount point> <what>`, run by
 * runOnSmallDisk.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { JournalError, openJournal, type Journal } from "../../src/journal/index.ts";

const [disk = "", what = ""] = process.argv.slice(2);
const file = join(disk, "state", "openclaw-integrity.sqlite");
const ballast = join(disk, "ballast");
const PAGE = 4096;

/** Fills the disk but for so many pages. */
function leave(pages: number): void {
  rmSync(ballast, { force: true });
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - pages * PAGE)));
}

function catchFailure(work: () => void): { code: string; message: string } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return {
      code:
        error instanceof JournalError
          ? error.code
          : `no JournalError: ${String((error as { code?: unknown }).code)} ${String(error)}`,
      message: String((error as Error).message),
    };
  }
}

function cycle(journal: Journal, callId: string, size: number): void {
  const [id = 0] = journal.cycles.pending([{ sessionId: "s", callId, toolName: "read", inputHash: "h" }]);
  journal.cycles.start(id);
  journal.cycles.record(id, { content: "x".repeat(size), isError: false });
}

/** Writes until the disk is full, looks at what is there, makes room, writes on. */
function fillUp(): unknown {
  const journal = openJournal(file);
  leave(200);
  let returned = 0;
  const failure = catchFailure(() => {
    for (;;) {
      cycle(journal, `call-${returned}`, 20_000);
      returned++;
    }
  });
  const stillThere = journal.cycles.open("s").filter(({ state }) => state === "recording").length;
  rmSync(ballast);
  const afterRoom = catchFailure(() => cycle(journal, "with room again", 20_000));
  journal.close();
  const again = openJournal(file);
  const reopened = again.cycles.open("s").filter(({ state }) => state === "recording").length;
  again.close();
  return { returned, failure, stillThere, afterRoom, reopened };
}

/**
 * Opens and writes with every small number of free pages: each has another write fail, those of the schema and of the
 * shared memory too.
 */
function everyRest(): unknown {
  const codes: (string | undefined)[] = [];
  for (let pages = 0; pages < 48; pages++) {
    rmSync(join(disk, "state"), { recursive: true, force: true });
    mkdirSync(join(disk, "state"));
    leave(pages);
    const failure = catchFailure(() => {
      const journal = openJournal(file);
      try {
        cycle(journal, "one", 10);
      } finally {
        journal.close();
      }
    });
    codes.push(failure?.code);
    rmSync(ballast, { force: true });
    // What the full disk left behind must not stand in the way when there is room again.
    const later = catchFailure(() => openJournal(file).close());
    if (later) codes.push(`later: ${later.code} ${later.message}`);
  }
  return codes;
}

/** A journal on a file system that became read-only, as after an error of the disk. */
function readOnly(): unknown {
  const journal = openJournal(file);
  cycle(journal, "before", 10);
  journal.close();
  execFileSync("mount", ["-o", "remount,bind,ro", disk]);
  const opened = catchFailure(() => openJournal(file).close());
  const looked = catchFailure(() => openJournal(file, { readOnly: true }).close());
  const elsewhere = catchFailure(() => openJournal(join(disk, "new", "openclaw-integrity.sqlite")).close());
  return { opened, looked, elsewhere };
}

const WHAT: Record<string, () => unknown> = { fillUp, everyRest, readOnly };
writeSync(1, JSON.stringify(WHAT[what]?.() ?? null));
