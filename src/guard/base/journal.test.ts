import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { journalFile, openJournal } from "../../journal/index.ts";

let folder = "";
let file = "";
let lines: string[] = [];
beforeEach(() => {
  folder = newFolder();
  file = journalFile(folder);
  vi.stubEnv("OPENCLAW_STATE_DIR", folder);
  lines = [];
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The guard as a process has it that was started just now. */
async function startedAnew() {
  vi.resetModules();
  const { withJournal } = await import("./journal.ts");
  const { CycleLog } = await import("../cycles/cycle-log.ts");
  return { withJournal, CycleLog };
}

/** Another process that holds the database. */
function hold(): () => void {
  const holder = new DatabaseSync(file);
  holder.exec("BEGIN IMMEDIATE");
  return () => {
    holder.exec("ROLLBACK");
    holder.close();
  };
}

const ANSWER = {
  role: "assistant",
  content: [{ type: "toolCall", id: "toolu_1", name: "exec", arguments: { command: "deploy" } }],
} as never;
const stateNow = (): (string | undefined)[] => {
  const journal = openJournal(file);
  const states = journal.cycles.open("s").map(({ state }) => state);
  journal.close();
  return states;
};

describe("a call whose start could not be written down", () => {
  it("is not told as not started by the process that comes after a kill", async () => {
    const killed = await startedAnew();
    const log = new killed.CycleLog("s");
    log.answered(ANSWER);
    expect(stateNow()).toEqual(["pending"]);
    const release = hold();
    log.started("toolu_1", "exec", { command: "deploy" });
    release();
    expect(stateNow()).toEqual(["pending"]);
    const next = await startedAnew();
    expect(next.withJournal((journal) => journal.cycles.open("s").map(({ state }) => state))).toEqual(["executing"]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".missed"))).toEqual([]);
    const third = await startedAnew();
    new third.CycleLog("t").answered(ANSWER);
    expect(third.withJournal((journal) => journal.cycles.open("t").map(({ state }) => state))).toEqual(["pending"]);
  });

  it("is not told so by its own process either, when the journal works again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { withJournal, CycleLog } = await startedAnew();
    const log = new CycleLog("s");
    log.answered(ANSWER);
    const release = hold();
    log.started("toolu_1", "exec", {});
    release();
    rmSync(`${file}.missed`);
    expect(withJournal((journal) => journal.cycles.open("s"))).toBeUndefined();
    vi.advanceTimersByTime(61_000);
    expect(withJournal((journal) => journal.cycles.open("s").map(({ state }) => state))).toEqual(["executing"]);
    expect(lines).toEqual([expect.stringMatching(/journal: .+locked/)]);
  });

  it("leaves no mark when everything is in order", async () => {
    const { CycleLog } = await startedAnew();
    const log = new CycleLog("s");
    log.answered(ANSWER);
    log.started("toolu_1", "exec", {});
    expect(stateNow()).toEqual(["executing"]);
    expect(existsSync(`${file}.missed`)).toBe(false);
  });
});

describe("a journal in trouble", () => {
  it("is let alone for a while, so that a lock costs one wait and not one for each call", async () => {
    const { withJournal } = await startedAnew();
    withJournal((journal) => journal.cycles.open("s"));
    const release = hold();
    const tries: number[] = [];
    for (let at = 0; at < 20; at++)
      withJournal((journal) => (tries.push(at), journal.incidents.log({ kind: "x", details: {} })));
    release();
    expect(tries).toEqual([0]);
    expect(lines.length).toBe(1);
  });

  it("that another process has set aside is not set aside again with the new one in its place", async () => {
    const { withJournal } = await startedAnew();
    withJournal((journal) => journal.incidents.log({ kind: "x", details: {} }));
    // What the other process did: the damaged one away, a new one with its first row.
    for (const end of ["", "-wal", "-shm"]) renameSync(file + end, `${file}.damaged-then${end}`);
    const other = openJournal(file);
    other.incidents.log({ kind: "theirs", details: {} });
    const damage = (): never => {
      throw Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
    };
    expect(withJournal(damage)).toBeUndefined();
    expect(readdirSync(folder).filter((name) => /damaged-\d/.test(name))).toEqual([]);
    expect(withJournal((journal) => journal.incidents.list().map(({ kind }) => kind))).toEqual(["theirs"]);
    other.close();
  });

  it("that is damaged while it is used is set aside, and the next call has a new one", async () => {
    const { withJournal } = await startedAnew();
    withJournal((journal) => journal.incidents.log({ kind: "x", details: {} }));
    const damage = (): never => {
      throw Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
    };
    withJournal(damage);
    expect(withJournal((journal) => journal.incidents.list())).toEqual([]);
    expect(readdirSync(folder).filter((name) => /\.damaged-[\dTZ-]+$/.test(name)).length).toBe(1);
    expect(lines.join("\n")).toMatch(/set aside as .+; a new one is created/);
  });

  it("never stops its caller, whatever lies in its place", async () => {
    writeFileSync(file, "no database".repeat(1000));
    const { withJournal } = await startedAnew();
    expect(withJournal((journal) => journal.incidents.list())).toEqual([]);
    vi.stubEnv("OPENCLAW_STATE_DIR", join(file, "no-folder"));
    expect(withJournal((journal) => journal.incidents.list())).toBeUndefined();
    expect(readFileSync(file).length).toBeGreaterThan(0);
  });
});
