import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { openRows } from "../../harness/openclaw/adapters/rows.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { HEALTHY, result, says } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { makeCheckup, nextStep, renderCheckupPage, reportLines, type Checkup } from "../../src/doctor/index.ts";
import { describeFaults, describeRepairs, repairStored, scan, ScanMemory } from "../../src/health/index.ts";
import type { RecordFault } from "../../src/store/sessions/record-fault.ts";
import { findSummary, openCatalog, type Catalog } from "../../src/store/index.ts";
import { ownFiles } from "../../src/privacy/holders/archives.ts";
import { cycle, interrupted, pinned, putRecord, REFUSED, runs } from "./refused-records.ts";

const ROOT = join(releasesFolder(), "2026.9.6", "stock", "node_modules", "openclaw");
const HOUR = 3_600_000;
const PATCHED = [{ release: "2026.9.6", root: ROOT, patched: "files" as const }];

/** The fields that a repair clears. */
const CLEARED: Readonly<Record<RecordFault, readonly string[]>> = {
  ended_recovery: ["mainRestartRecovery", "restartRecoveryRuns"],
  unfinished_setup: ["initializationPending"],
  missing_model: ["providerOverride", "modelOverride", "modelOverrideSource", "modelSelectionLocked"],
  stuck_lock: [],
};

/** Records that OpenClaw gets over by itself, or that are refused because a person has decided it. */
const LEFT_ALONE: readonly (readonly [name: string, record: object])[] = [
  ["that nothing is wrong with", {}],
  ["of a turn under way", { status: "running", startedAt: Date.now() }],
  ["of a turn that was cut off", interrupted],
  ["of a turn that is resumed for the third time", { ...interrupted, ...cycle({ reservation: { runId: "run-1" } }) }],
  ["of a turn that was resumed twice", { ...interrupted, ...cycle({ chargedAttempts: 2 }) }],
  ["whose third attempt has begun to answer", { ...interrupted, ...cycle({ startedAttempt: 3 }) }],
  ["of a half-open recovery", { status: "done", ...runs, ...cycle({ chargedAttempts: 1 }) }],
  ["with runs of an earlier process", { status: "running", abortedLastRun: false, ...runs }],
  [
    "that was resumed in a new session",
    { status: "failed", ...cycle({ tombstone: { reason: "x", recoveredSessionId: "another" } }) },
  ],
  [
    "that a person has put away",
    { archivedAt: Date.now(), status: "failed", ...cycle({ tombstone: { reason: "x" } }) },
  ],
  ["that is being set up", { initializationPending: true, updatedAt: Date.now() - HOUR / 60 }],
  [
    "that a plugin has to set up",
    { initializationPending: true, updatedAt: Date.now() - 2 * HOUR, agentHarnessId: "codex" },
  ],
  ["of a conversation whose model OpenClaw has chosen itself", { ...pinned, modelOverrideSource: "auto" }],
  ["of a conversation whose own model has answered last", { ...pinned, status: "done", lastRunError: undefined }],
  ["of a conversation whose own model has failed otherwise", { ...pinned, lastRunError: "⚠️ rate limited" }],
  ["of a failed conversation without a model of its own", { ...pinned, modelOverride: undefined }],
  [
    "whose model a program has locked that no longer has it",
    { ...pinned, modelSelectionLocked: true, agentHarnessId: "codex" },
  ],
  ["with a field of another type", { mainRestartRecovery: "none", initializationPending: "yes" }],
];

describe("OpenClaw's record of a conversation in the database of 2026.9.6", () => {
  let stateDirectory: string;
  let catalog: Catalog;
  let rows: Awaited<ReturnType<typeof openRows>>;
  let database: DatabaseSync;

  beforeAll(async () => {
    stateDirectory = newFolder();
    process.env["OPENCLAW_STATE_DIR"] = stateDirectory;
    rows = await openRows(join(ROOT, "dist"));
    await seed({});
    database = new DatabaseSync(join(stateDirectory, "agents", "main", "agent", "openclaw-agent.sqlite"));
    catalog = openCatalog(stateDirectory);
  });
  afterAll(() => {
    catalog.close();
    database.close();
  });

  const readEntry = (id: string): string =>
    String(
      database.prepare("SELECT entry_json FROM session_nodes WHERE current_session_id = ?").get(id)?.["entry_json"],
    );

  /** Stores a session by OpenClaw's own code, and puts fields over its record. */
  async function seed(record: object, messages = HEALTHY): Promise<string> {
    const id = randomUUID();
    await rows.store({ key: `agent:main:${id}`, id, transcript: toTranscript(messages), api: "anthropic-messages" });
    if (Object.keys(record).length > 0) putRecord(database, `agent:main:${id}`, record);
    return id;
  }
  const check = (only: string): Promise<Checkup> => makeCheckup(catalog, { stateDirectory, only, openclaws: PATCHED });
  const repair = (id: string, dryRun = false) =>
    repairStored(catalog, findSummary(catalog, id), { stateDirectory, dryRun, root: () => ROOT });

  test.each(REFUSED)("$name: found, told, repaired once, and kept as it was", async ({ fault, said, record }) => {
    const id = await seed(record);
    const healthy = await seed({});
    const before = readEntry(id);
    const others = readEntry(healthy);

    const checkup = await check(id);
    const { examination, remedy } = checkup.sessions[0]!;
    expect(examination).toMatchObject({ record: fault, violations: [], entries: [] });
    expect(describeFaults(examination!)).toEqual([expect.stringContaining(said)]);
    expect(describeFaults(examination!)[0]).toContain("nothing that was said is lost");
    const command = `npx openclaw-integrity sessions repair ${id}`;
    expect(remedy).toEqual({ by: "repair", command });
    // The patch sees no message of it.
    expect(nextStep(checkup)).toMatchObject({ command });
    expect(reportLines(checkup, 100).join(" ").replaceAll(/\s+/g, " ")).not.toContain("no turn fails because of them");
    expect(renderCheckupPage(checkup, { withWords: false })).toContain("with the patch too, until it is repaired");

    expect(await repair(id, true)).toMatchObject({ action: "would-repair" });
    expect(readEntry(id)).toBe(before);

    const repaired = await repair(id);
    expect(repaired).toMatchObject({ action: "repaired", before: { record: fault } });
    expect(repaired.after?.record).toBeUndefined();
    expect(describeRepairs(repaired.before, repaired.repairs)).toEqual([
      expect.stringContaining("it takes messages again"),
    ]);
    expect(JSON.parse(readFileSync(repaired.recordArchive!, "utf8"))).toMatchObject({
      sessionId: id,
      record: JSON.parse(before) as object,
    });
    // All else of the record stays.
    const kept = Object.entries(JSON.parse(before) as object).filter(([field]) => !CLEARED[fault].includes(field));
    expect(kept.length).toBeLessThan(Object.keys(JSON.parse(before) as object).length);
    expect(JSON.parse(readEntry(id))).toMatchObject({
      ...(Object.fromEntries(kept) as object),
      updatedAt: expect.any(Number),
      ...(fault === "ended_recovery" && { status: "failed", abortedLastRun: false }),
    });
    for (const field of CLEARED[fault]) expect(JSON.parse(readEntry(id))).not.toHaveProperty(field);

    const after = readEntry(id);
    expect(await repair(id)).toMatchObject({ action: "sound" });
    expect(readEntry(id)).toBe(after);
    expect(readEntry(healthy)).toBe(others);
    // A purge of the session finds the copy.
    expect(ownFiles(stateDirectory, []).map(({ name, sessionId, kind }) => [name, sessionId, kind])).toContainEqual([
      basename(repaired.recordArchive!),
      id,
      "record_copy",
    ]);
  });

  test.each(LEFT_ALONE)("a record %s has no fault and stays byte for byte", async (_name, record) => {
    const id = await seed(record);
    const before = readEntry(id);
    expect((await check(id)).sessions[0]?.examination).not.toHaveProperty("record");
    expect(await repair(id)).toMatchObject({ action: "sound" });
    expect(readEntry(id)).toBe(before);
  });

  test("a scan of what has changed sees a record change whose messages have not", async () => {
    const id = await seed({});
    const memory = new ScanMemory(newFolder());
    await scan(catalog, { memory });
    putRecord(database, `agent:main:${id}`, REFUSED[0]!.record);
    const { sessions } = await scan(catalog, { memory });
    expect(sessions.find(({ session }) => session.sessionId === id)).toMatchObject({
      isNew: true,
      examination: { record: "ended_recovery" },
    });
    await repair(id);
  });

  test("faults of the messages are repaired with it", async () => {
    const id = await seed(REFUSED[0]!.record, [...HEALTHY, result("toolu_lost", "of nothing"), says("so")]);
    expect(await repair(id)).toMatchObject({
      action: "repaired",
      before: { record: "ended_recovery", violations: [{ kind: "orphaned_tool_result" }] },
      after: { violations: [] },
      recordArchive: expect.any(String),
      archive: expect.any(String),
    });
    expect(await repair(id)).toMatchObject({ action: "sound" });
  });

  test("what OpenClaw writes meanwhile is not overwritten", async () => {
    const id = await seed(REFUSED[0]!.record);
    const { record } = catalog.read(findSummary(catalog, id)).refusal!;
    const written: Catalog = {
      ...catalog,
      read: (session) => ({
        ...catalog.read(session),
        refusal: { fault: "ended_recovery", record: { ...record, updatedAt: 1 } },
      }),
    };
    const before = readEntry(id);
    await expect(
      repairStored(written, findSummary(catalog, id), { stateDirectory, root: () => ROOT }),
    ).rejects.toMatchObject({ code: "session-busy" });
    expect(readdirSync(join(stateDirectory, "integrity-archives")).filter((name) => name.startsWith(id))).toEqual([]);
    expect(readEntry(id)).toBe(before);
    await repair(id);
  });
});

describe.skipIf(process.platform !== "linux")("the lock of a transcript of 2026.2.3", () => {
  const processes: ChildProcess[] = [];
  afterEach(() => {
    for (const one of processes.splice(0)) one.kill();
  });

  /** A transcript with the lock of a process that runs. */
  function locked(lock: object, pid?: number) {
    const stateDirectory = newFolder();
    const folder = join(stateDirectory, "agents", "main", "sessions");
    mkdirSync(folder, { recursive: true });
    const id = randomUUID();
    const file = join(folder, `${id}.jsonl`);
    writeFileSync(file, toTranscript(HEALTHY));
    writeFileSync(join(folder, "sessions.json"), JSON.stringify({ [`agent:main:${id}`]: { sessionId: id } }));
    if (pid === undefined) processes.push(spawn("sleep", ["600"], { stdio: "ignore" }));
    const owner = pid ?? processes.at(-1)!.pid;
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: owner, createdAt: ago(60_000), ...lock }));
    const catalog = openCatalog(stateDirectory);
    const session = findSummary(catalog, id);
    return {
      file,
      folder,
      examine: async () => (await makeCheckup(catalog, { stateDirectory, only: id })).sessions[0]!,
      repair: () => repairStored(catalog, session, { stateDirectory, root: () => ROOT }),
    };
  }
  const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

  test("of a killed process whose id another one has: found, told, removed once; the transcript stays byte for byte", async () => {
    const { file, folder, examine, repair } = locked({});
    const before = readFileSync(file);
    const { examination, remedy } = await examine();
    expect(examination).toMatchObject({ record: "stuck_lock", violations: [] });
    expect(describeFaults(examination!)).toEqual([expect.stringContaining("session file locked")]);
    expect(remedy).toMatchObject({ by: "repair" });
    expect(existsSync(`${file}.lock`)).toBe(true);
    expect(await repair()).toMatchObject({ action: "repaired", before: { record: "stuck_lock" } });
    expect(readdirSync(folder).toSorted()).toEqual([basename(file), "sessions.json"].toSorted());
    expect(readFileSync(file)).toEqual(before);
    expect((await examine()).examination).not.toHaveProperty("record");
    expect(await repair()).toMatchObject({ action: "sound" });
  });

  test("of the process itself is stuck where it is older than the process: a gateway in a container has its predecessor's id", async () => {
    const { examine } = locked({ createdAt: ago(process.uptime() * 1000 + 60_000) }, process.pid);
    expect((await examine()).examination).toMatchObject({ record: "stuck_lock" });
  });

  test.each([
    ["that a process has taken since it began", { createdAt: ago(-HOUR) }],
    ["that OpenClaw removes by itself, because it is old", { createdAt: ago(HOUR) }],
    ["of a release that knows when the owner began", { starttime: 1 }],
    ["without a time", { createdAt: undefined }],
    ["of a dead process, which OpenClaw removes by itself", { pid: 2 ** 22 - 3 }],
  ])("%s is no fault", async (_name, lock) => {
    const { file, examine } = locked(lock);
    expect((await examine()).examination).not.toHaveProperty("record");
    expect(existsSync(`${file}.lock`)).toBe(true);
  });

  test("that its owner has open is respected, whatever the clock says", async () => {
    const { file, examine, repair } = locked({ createdAt: ago(process.uptime() * 1000 + 60_000) }, process.pid);
    const held = openSync(`${file}.lock`, "r");
    expect((await examine()).examination).not.toHaveProperty("record");
    expect(await repair()).toMatchObject({ action: "sound" });
    expect(existsSync(`${file}.lock`)).toBe(true);
    closeSync(held);
  });
});
