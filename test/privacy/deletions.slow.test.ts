import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { DeletionFollower, type DeletionSettings } from "../../src/plugin/remote/deletion-follower.ts";
import { KnownSessions } from "../../src/privacy/index.ts";
import { openCatalog, type Catalog } from "../../src/store/index.ts";
import { wordsInOurFiles } from "./bytes.ts";
import { fillSession, sessionsFolder, type FilledSession } from "./state.ts";

const HOUR_MS = 3_600_000;
const SETTINGS: DeletionSettings = {
  followDeletions: true,
  archiveRetentionDays: undefined,
  continuity: { postgres: undefined, file: undefined, anchor: undefined },
};

let model: string;
let stateDir: string;
let gone: FilledSession;
let other: FilledSession;
let catalog: Catalog;
let follower: DeletionFollower;
let now: number;

beforeAll(async () => {
  model = newFolder();
  gone = await fillSession(model, "gone");
  other = await fillSession(model, "other");
});
beforeEach(async () => {
  stateDir = newFolder();
  cpSync(model, stateDir, { recursive: true, preserveTimestamps: true });
  rmSync(new KnownSessions(stateDir).file);
  now = Date.now();
  catalog = openCatalog(stateDir);
  follower = new DeletionFollower(stateDir);
  // The plugin ran before anything was deleted.
  await look();
});
afterEach(() => catalog.close());

const look = (settings = SETTINGS) => follower.follow(catalog, settings, now);

/** Some looks of a day. */
async function aDayLater(settings = SETTINGS): Promise<string[]> {
  const sessions: string[] = [];
  for (let hours = 0; hours < 24; hours += 6) {
    now += 6 * HOUR_MS;
    sessions.push(...(await look(settings)).sessions);
  }
  return sessions;
}
const path = (name: string): string => join(sessionsFolder(stateDir), name);
const transcript = (): string => path(`${gone.id}.jsonl`);
const isThere = ({ words }: FilledSession): boolean =>
  words.every((word) => wordsInOurFiles(stateDir, [word]).length > 0);
const isGone = ({ words }: FilledSession): boolean => wordsInOurFiles(stateDir, words).length === 0;

function changeIndex(change: (entries: Record<string, unknown>) => void): void {
  const entries = JSON.parse(readFileSync(path("sessions.json"), "utf8")) as Record<string, unknown>;
  change(entries);
  writeFileSync(path("sessions.json"), JSON.stringify(entries));
}

/** As OpenClaw 2026.2.3 does it; the name that the transcript has then. */
function deleteAsOpenClaw(): string {
  const renamed = `${transcript()}.deleted.${new Date(now).toISOString().replaceAll(":", "-")}`;
  renameSync(transcript(), renamed);
  changeIndex((entries) => delete entries[gone.key]);
  return renamed;
}

describe("what is kept of a session that OpenClaw has deleted without telling", () => {
  it("goes when it has stayed deleted for an hour, with the work of its conversation, and nothing of another session goes along", async () => {
    deleteAsOpenClaw();
    expect((await look()).sessions).toEqual([]);
    now += HOUR_MS / 2;
    expect((await look()).sessions).toEqual([]);
    expect(isThere(gone)).toBe(true);
    now += HOUR_MS;
    expect(await look()).toMatchObject({ sessions: [gone.id], left: [] });
    expect([isGone(gone), isThere(other)]).toEqual([true, true]);
    expect(await aDayLater()).toEqual([]);
    expect(new KnownSessions(stateDir).deletions()).toEqual([]);
  });

  it("goes although OpenClaw's own copy is gone since, and a new process follows it", async () => {
    const renamed = deleteAsOpenClaw();
    await look();
    rmSync(renamed);
    follower = new DeletionFollower(stateDir);
    expect(await aDayLater()).toEqual([gone.id]);
    expect(isGone(gone)).toBe(true);
  });

  it("stays where the plugin shall not follow", async () => {
    deleteAsOpenClaw();
    expect(await aDayLater({ ...SETTINGS, followDeletions: false })).toEqual([]);
    expect(isThere(gone)).toBe(true);
  });
});

describe("nothing is deleted of a session that", () => {
  it("is gone without a mark, as after a reset of an early OpenClaw: our copy may be the last", async () => {
    rmSync(transcript());
    changeIndex((entries) => (entries[gone.key] = { sessionId: "99999999-0000-4000-8000-000000000000" }));
    expect(await aDayLater()).toEqual([]);
    expect(isThere(gone)).toBe(true);
  });

  it("was reset, also when the copy of an earlier life of it is marked as deleted", async () => {
    renameSync(transcript(), `${transcript()}.reset.2026-02-05T09-00-00.000Z`);
    writeFileSync(`${transcript()}.deleted.2026-02-04T09-00-00.000Z`, "{}\n");
    changeIndex((entries) => delete entries[gone.key]);
    expect(await aDayLater()).toEqual([]);
    expect(isThere(gone)).toBe(true);
  });

  it("was taken back within the hour, or after it was first seen as deleted, even if it vanishes then", async () => {
    const renamed = deleteAsOpenClaw();
    await look();
    renameSync(renamed, transcript());
    expect(await aDayLater()).toEqual([]);
    rmSync(transcript());
    expect(await aDayLater()).toEqual([]);
    expect(isThere(gone)).toBe(true);
  });

  it("was copied back and is used again, when an archive was made since", async () => {
    const renamed = deleteAsOpenClaw();
    utimesSync(gone.archive.replace(model, stateDir), new Date(now + 2 * HOUR_MS), new Date(now + 2 * HOUR_MS));
    await look();
    expect(renamed).toContain(".deleted.");
    expect(await aDayLater()).toEqual([]);
    expect(isThere(gone)).toBe(true);
  });

  it("cannot be looked at: its folder is not mounted, or the index of all sessions is cut off; and it goes once it can", async () => {
    deleteAsOpenClaw();
    await look();
    renameSync(sessionsFolder(stateDir), `${sessionsFolder(stateDir)}-elsewhere`);
    expect(await aDayLater()).toEqual([]);
    renameSync(`${sessionsFolder(stateDir)}-elsewhere`, sessionsFolder(stateDir));
    const index = readFileSync(path("sessions.json"));
    writeFileSync(path("sessions.json"), index.subarray(0, 20));
    expect(await aDayLater()).toEqual([]);
    expect(isThere(gone)).toBe(true);
    writeFileSync(path("sessions.json"), index);
    expect(await aDayLater()).toEqual([gone.id]);
    expect(isGone(gone)).toBe(true);
  });

  it("another agent has under the same id", async () => {
    deleteAsOpenClaw();
    const elsewhere = join(stateDir, "agents", "work", "sessions");
    mkdirSync(elsewhere, { recursive: true });
    writeFileSync(join(elsewhere, `${gone.id}.jsonl`), readFileSync(path(`${other.id}.jsonl`)));
    expect(await aDayLater()).toEqual([]);
    expect(isThere(gone)).toBe(true);
  });

  it("is all that an empty folder is left of: a store that was moved away is no deletion", async () => {
    rmSync(sessionsFolder(stateDir), { recursive: true });
    mkdirSync(sessionsFolder(stateDir));
    expect(await aDayLater()).toEqual([]);
    const words = [...gone.words, ...other.words].filter((word) => !/-(?:said|answered)-/.test(word));
    expect(words.filter((word) => wordsInOurFiles(stateDir, [word]).length === 0)).toEqual([]);
  });
});

it("the work of a conversation that was begun anew stays when the session before it goes", async () => {
  deleteAsOpenClaw();
  changeIndex((entries) => (entries[gone.key] = { sessionId: "99999999-0000-4000-8000-000000000000" }));
  expect(await aDayLater()).toEqual([gone.id]);
  expect(
    wordsInOurFiles(stateDir, gone.words)
      .map((found) => found.split(":")[0])
      .filter((word, at, all) => all.indexOf(word) === at),
  ).toEqual(["gone-goal-quokka", "gone-step-quokka"]);
});

describe("a deletion that OpenClaw tells of", () => {
  const told = (sessionId = gone.id) => follower.reported(catalog, [{ sessionId, sessionKey: gone.key }], SETTINGS);

  it("is followed at once", async () => {
    deleteAsOpenClaw();
    expect(await told()).toMatchObject({ sessions: [gone.id], left: [] });
    expect([isGone(gone), isThere(other)]).toEqual([true, true]);
    expect(await told()).toMatchObject({ sessions: [], count: 0 });
  });

  it("is not believed against the store: a session that is there keeps everything, a conversation that is there again keeps its work", async () => {
    expect(await told()).toMatchObject({ count: 0 });
    expect(isThere(gone)).toBe(true);
    deleteAsOpenClaw();
    changeIndex((entries) => (entries[gone.key] = { sessionId: "99999999-0000-4000-8000-000000000000" }));
    expect(await told()).toMatchObject({ sessions: [gone.id] });
    expect(wordsInOurFiles(stateDir, ["gone-goal-quokka"])).not.toEqual([]);
    expect(wordsInOurFiles(stateDir, ["gone-said-quokka", "gone-result-quokka"])).toEqual([]);
  });
});

it("archives that are older than they shall be kept go once a day, but for the youngest of a session that cannot be read", async () => {
  const settings = { ...SETTINGS, followDeletions: false, archiveRetentionDays: 30 };
  const old = new Date(now - 40 * 24 * HOUR_MS);
  for (const session of [gone, other]) utimesSync(session.archive.replace(model, stateDir), old, old);
  rmSync(transcript());
  expect(await look(settings)).toMatchObject({ archives: 1 });
  expect(wordsInOurFiles(stateDir, ["other-answered-quokka"]).filter((found) => found.endsWith(".bak"))).toEqual([]);
  expect(wordsInOurFiles(stateDir, ["gone-answered-quokka"]).filter((found) => found.endsWith(".bak"))).toHaveLength(1);
});
