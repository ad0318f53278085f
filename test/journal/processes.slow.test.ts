import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { openJournal, type CycleState } from "../../src/journal/index.ts";
import { startWriter, type Writer } from "./child.ts";

/** `JOURNAL_KILLS=200` for the full run. */
const KILLS = Number(process.env["JOURNAL_KILLS"] ?? 15);
const ORDER: readonly CycleState[] = ["pending", "executing", "recording", "committed"];

let folder = "";
let file = "";
beforeEach(() => {
  folder = newFolder();
  file = join(folder, "openclaw-integrity.sqlite");
});

interface Stored {
  state: CycleState;
  result: string | null;
}

/** All cycles by call id, and whether SQLite finds the file sound. */
function stored(): { cycles: Map<string, Stored>; sound: unknown } {
  const database = new DatabaseSync(file);
  try {
    const rows = database.prepare("SELECT call_id, state, result FROM tool_cycles").all() as unknown as (Stored & {
      call_id: string;
    })[];
    const cycles = new Map(rows.map(({ call_id, state, result }) => [call_id, { state, result }]));
    expect(cycles.size).toBe(rows.length);
    return { cycles, sound: Object.values(database.prepare("PRAGMA integrity_check").get() ?? {})[0] };
  } finally {
    database.close();
  }
}

/** How far each call had come by what the writer had been told. */
function told(writers: readonly Writer[]): Map<string, CycleState> {
  const furthest = new Map<string, CycleState>();
  for (const { lines } of writers) {
    for (const line of lines) {
      const [state, callId] = line.split(" ") as [CycleState, string | undefined];
      if (callId !== undefined) furthest.set(callId, state);
    }
  }
  return furthest;
}

/** What the journal has lost or invented, compared with what the writers had been told. */
function faults(writers: readonly Writer[]): string[] {
  const { cycles, sound } = stored();
  const wrong = sound === "ok" ? [] : [`integrity_check: ${String(sound)}`];
  for (const [callId, state] of told(writers)) {
    const found = cycles.get(callId);
    const steps = found ? ORDER.indexOf(found.state) - ORDER.indexOf(state) : -1;
    // One step more can be on the disk than had been told.
    if (steps < 0 || steps > 1) wrong.push(`${callId}: told ${state}, found ${found?.state ?? "nothing"}`);
    if (found?.state === "recording" && !found.result?.includes(`"${callId} `)) wrong.push(`${callId}: not its result`);
  }
  return wrong;
}

describe("a journal that several processes use", () => {
  it("loses no row of three writers at once", async () => {
    const writers = ["a", "b", "c"].map((name) => startWriter("cycles", file, name, 150));
    await Promise.all(writers.map((writer) => writer.ended()));
    expect(faults(writers)).toEqual([]);
    expect(stored().cycles.size).toBe(450);
  });

  it("is created by eight processes at the same moment, each of which can write then", async () => {
    const writers = Array.from({ length: 8 }, (_, at) => startWriter("open", file, `p${at}`));
    await Promise.all(writers.map((writer) => writer.said("ready")));
    for (const writer of writers) writer.process.stdin?.write("go\n");
    await Promise.all(writers.map((writer) => writer.ended()));
    expect(writers.map(({ lines }) => lines.at(-1))).toEqual(writers.map(() => "opened"));
    const journal = openJournal(file);
    expect(journal.incidents.list().length).toBe(8);
    journal.close();
  });

  it.each(["immediate", "exclusive"])(
    "is opened while another process (%s) takes longer to create it than a write waits",
    async (kind) => {
      const holder = startWriter("lock", file, kind);
      await holder.said("locked");
      const writer = startWriter("open", file, "p");
      await writer.said("ready");
      writer.process.stdin?.write("go\n");
      await new Promise((resolve) => setTimeout(resolve, 1000));
      holder.process.stdin?.write("go\n");
      await Promise.all([holder.ended(), writer.ended()]);
      expect(writer.lines.at(-1)).toBe("opened");
    },
  );

  it.each(["immediate", "exclusive"])(
    "says that it is locked, soon, and works when the other one (%s) has gone",
    async (kind) => {
      openJournal(file).close();
      const holder = startWriter("lock", file, kind);
      await holder.said("locked");
      const write = (): void => {
        const journal = openJournal(file, { busyTimeoutMs: 50 });
        try {
          journal.cycles.pending([{ sessionId: "s", callId: "c", toolName: "read", inputHash: "h" }]);
        } finally {
          journal.close();
        }
      };
      expect(write).toThrow(
        expect.objectContaining({
          code: "locked",
          message: expect.stringMatching(/^expected .+; found .+locked.+Another process holds the database/s),
        }),
      );
      holder.process.stdin?.write("go\n");
      await holder.ended();
      expect(write).not.toThrow();
    },
  );
});

describe("a writer that is killed", () => {
  it(`has every row that it was told of in the file, ${KILLS} times over in one file`, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const writer = startWriter("cycles", file, `k${kill}`);
      await writer.said("open");
      await sleep((kill * 7) % 40);
      writer.process.kill("SIGKILL");
      await writer.ended();
      expect(faults([writer]), `kill ${kill}`).toEqual([]);
    }
  });

  it("does not hold up another writer that goes on", async () => {
    const other = startWriter("cycles", file, "other");
    await other.said("open");
    for (let kill = 0; kill < 5; kill++) {
      const writer = startWriter("cycles", file, `k${kill}`);
      await writer.said("committed");
      writer.process.kill("SIGKILL");
      await writer.ended();
      expect(faults([writer])).toEqual([]);
    }
    const before = other.lines.length;
    while (other.lines.length < before + 10) await sleep(5);
    other.process.kill("SIGKILL");
    await other.ended();
    expect(faults([other])).toEqual([]);
  });
});
