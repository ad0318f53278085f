import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openJournal } from "../../src/journal/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { startWriter, type Writer } from "./child.ts";
import { runOnSmallDisk, smallDiskRefusal } from "./small-disk.ts";
import { troubledTurns, type TroubledTurns } from "./turn.ts";

const ON_SMALL_DISK = fileURLToPath(new URL("turn-on-small-disk.ts", import.meta.url));
const refusal = smallDiskRefusal();
/**
 * The release whose turns are quick gets every trouble, the other one a sample; `JOURNAL_TURNS=all` for all of both.
 */
const onlySome = (release: string): boolean => release !== "2026.2.3" && process.env["JOURNAL_TURNS"] !== "all";

/**
 * What Node 22.12 says when it is asked for its SQLite; the driver itself needs one, so that the flag that takes it
 * away is too much.
 */
const WITHOUT_SQLITE =
  "const get = process.getBuiltinModule; process.getBuiltinModule = (name) => (name === 'node:sqlite' ? undefined : get(name));";

/** Both turns were answered with the tool's result, and the operator was told once, so. */
function answeredAndTold(line: RegExp): unknown {
  return { answers: [true, true], results: [true, true], lines: [expect.stringMatching(line)] };
}

describe.each(BASE_RELEASES)("OpenClaw %s answers, with one line to say it, when its journal", (release) => {
  it("is in order: no line at all, and what was called is in it", async () => {
    let states: string[] = [];
    const turns = await troubledTurns(release, {
      between: (file) => {
        const database = new DatabaseSync(file, { readOnly: true });
        states = database
          .prepare("SELECT state FROM tool_cycles")
          .all()
          .map(({ state }) => String(state));
        database.close();
      },
    });
    expect(turns).toEqual({ answers: [true, true], results: [true, true], lines: [] });
    expect(states).toEqual(["committed"]);
  });

  it.skipIf(onlySome(release))("is locked by another process all the time", async () => {
    let holder: Writer | undefined;
    try {
      const turns = await troubledTurns(release, {
        before: async (file) => {
          openJournal(file).close();
          holder = startWriter("lock", file, "exclusive");
          await holder.said("locked");
        },
      });
      expect(turns).toEqual(
        answeredAndTold(/journal: expected .+; found .+locked.+ Another process holds the database/),
      );
    } finally {
      holder?.process.kill("SIGKILL");
    }
  });

  it.skipIf(onlySome(release))("is locked by another process from the second turn on", async () => {
    let holder: Writer | undefined;
    try {
      const turns = await troubledTurns(release, {
        between: async (file) => {
          holder = startWriter("lock", file, "immediate");
          await holder.said("locked");
        },
      });
      expect(turns).toEqual(
        answeredAndTold(/journal: expected .+; found .+locked.+ Another process holds the database/),
      );
    } finally {
      holder?.process.kill("SIGKILL");
    }
  });

  it.skipIf(onlySome(release))("was written by a newer version", async () => {
    const turns = await troubledTurns(release, {
      before: (file) => {
        openJournal(file).close();
        const database = new DatabaseSync(file);
        database.exec("PRAGMA user_version = 99");
        database.close();
      },
    });
    expect(turns).toEqual(
      answeredAndTold(/journal: expected a journal of version 1; found version 99 in .+or move the file away/),
    );
  });

  it.skipIf(onlySome(release))("is a text file: it is set aside as it is, and the new one is used", async () => {
    const kept: string[] = [];
    let rows = 0;
    const turns = await troubledTurns(release, {
      before: (file) => writeFileSync(file, "notes of a person"),
      between: (file) => {
        for (const name of readdirSync(dirname(file)))
          if (name.includes(".sqlite.damaged-")) kept.push(readFileSync(`${dirname(file)}/${name}`, "utf8"));
        const database = new DatabaseSync(file, { readOnly: true });
        rows = Number(database.prepare("SELECT count(*) AS n FROM tool_cycles").get()?.["n"]);
        database.close();
      },
    });
    expect(turns).toEqual(answeredAndTold(/journal: .+ damaged .+ set aside as .+\.damaged-.+; a new one is created/));
    expect({ kept, rows }).toEqual({ kept: ["notes of a person"], rows: 1 });
  });

  it.skipIf(onlySome(release))("is damaged while it is open", async () => {
    const turns = await troubledTurns(release, {
      before: (file) => {
        // Enough rows that their pages are read anew.
        const journal = openJournal(file);
        for (let at = 0; at < 400; at++)
          journal.cycles.pending([{ sessionId: `s${at}`, callId: "x".repeat(2000), toolName: "read", inputHash: "h" }]);
        journal.close();
      },
      between: (file) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0xa5, 4096));
      },
    });
    expect(turns).toMatchObject({ answers: [true, true], results: [true, true] });
    // SQLite may have what it needs in memory; when it has not, that is said.
    for (const line of turns.lines) expect(line).toMatch(/journal: .*(?:damaged|malformed|set aside)/);
  });

  it.skipIf(onlySome(release))("is another program's database", async () => {
    const turns = await troubledTurns(release, {
      before: (file) => {
        const database = new DatabaseSync(file);
        database.exec("CREATE TABLE mine (x)");
        database.close();
      },
    });
    expect(turns).toEqual(
      answeredAndTold(
        /journal: expected a journal of openclaw-integrity, or no file; found another program's database in .+Move that file away/,
      ),
    );
  });

  it.skipIf(onlySome(release))("has a folder in its place", async () => {
    const turns = await troubledTurns(release, { before: (file) => void mkdirSync(file) });
    expect(turns).toEqual(
      answeredAndTold(/journal: expected a journal at .+; found a directory\. Move the directory away/),
    );
  });

  // OpenClaw 2026.9 itself needs node:sqlite.
  it.skipIf(release !== "2026.2.3")("cannot be, because this Node has no SQLite", async () => {
    const turns = await troubledTurns(release, {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WITHOUT_SQLITE)}` },
    });
    expect(turns).toEqual(
      answeredAndTold(/journal: expected a Node with node:sqlite .+; found Node v[\d.]+\. Use a newer Node/),
    );
  });

  describe.skipIf(refusal !== undefined)(
    `lies on a disk of its own${refusal === undefined ? "" : ` (not here: ${refusal})`}`,
    () => {
      const on = (what: string): TroubledTurns => runOnSmallDisk(512, ON_SMALL_DISK, what, release) as TroubledTurns;

      it("that is full", () => {
        expect(on("full")).toEqual(answeredAndTold(/journal: expected .+; found .+full.+ Make room on the disk/));
      });

      it.skipIf(onlySome(release))("that fills up after the first turn", () => {
        const turns = on("full meanwhile");
        expect(turns).toMatchObject({ answers: [true, true], results: [true, true] });
        // What the log has room for already may be enough for the turn.
        for (const line of turns.lines)
          expect(line).toMatch(/journal: expected .+; found .+full.+ Make room on the disk/);
        expect(turns.lines.length).toBeLessThanOrEqual(1);
      });

      it.skipIf(onlySome(release))("that is read-only", () => {
        expect(on("read-only")).toEqual(
          answeredAndTold(
            /journal: expected .+; found .+(?:Give the user that runs this process the right to write|a disk that can only be read \(EROFS\)\. Mount it writable)/,
          ),
        );
      });
    },
  );
});
