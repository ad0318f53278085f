import { spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { examine, isSound, repairStored, scan } from "../../src/health/index.ts";
import { findSummary, openCatalog } from "../../src/store/index.ts";
import { runOnSmallDisk, smallDiskRefusal } from "../journal/small-disk.ts";
import { openRows } from "../../harness/openclaw/adapters/rows.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";

const WORKER = fileURLToPath(new URL("repair-worker.ts", import.meta.url));
const ON_SMALL_DISK = fileURLToPath(new URL("repair-on-small-disk.ts", import.meta.url));
const ROOT = join(releasesFolder(), "2026.9.6", "stock", "node_modules", "openclaw");
const KILLS = Number(process.env["REPAIR_KILLS"] ?? 2);
const MESSAGES = [
  user("a question"),
  says("an answer"),
  result("toolu_lost", "of nothing"),
  user("another"),
  says("y".repeat(300_000)),
];

let state: string;
beforeEach(() => {
  state = newFolder();
});

/**
 * Starts repairing these sessions and kills the process so many milliseconds after the first of them is done; how many
 * it had told to be done.
 */
async function killedRepair(ids: readonly string[], after: number): Promise<number> {
  const child = spawn(process.execPath, ["--no-warnings", WORKER, state, ROOT, ...ids], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, OPENCLAW_STATE_DIR: state },
  });
  let told = "";
  child.stdout.on("data", (piece: Buffer) => (told += piece.toString()));
  const ended = new Promise((resolve) => child.once("close", resolve));
  while (!/^\d+ repaired$/m.test(told) && child.exitCode === null) await sleep(2);
  await sleep(after);
  child.kill("SIGKILL");
  await ended;
  return told.split("\n").filter((line) => line.endsWith(" repaired")).length;
}

/**
 * Each is sound and has everything, or it is as it was; those that were told to be done are sound; a repair of the
 * others finishes the work.
 */
async function assertWhole(ids: readonly string[], done: number): Promise<void> {
  const catalog = openCatalog(state);
  try {
    for (const [at, id] of ids.entries()) {
      const session = findSummary(catalog, id);
      const stored = catalog.read(session);
      const raw = JSON.stringify(stored.rows);
      for (const text of ["a question", "an answer", "of nothing", "another"]) expect(raw).toContain(text);
      if (at < done) expect([id, isSound(examine(stored, session))]).toEqual([id, true]);
      expect((await repairStored(catalog, session, { stateDirectory: state, root: () => ROOT })).action).toBe(
        isSound(examine(stored, session)) ? "sound" : "repaired",
      );
      expect(isSound(examine(catalog.read(findSummary(catalog, id)), session))).toBe(true);
    }
  } finally {
    catalog.close();
  }
}

describe("a repair that is killed", () => {
  it(`leaves each transcript file as it was or repaired (${KILLS} kills)`, async () => {
    const folder = join(state, "agents", "main", "sessions");
    mkdirSync(folder, { recursive: true });
    for (let kill = 0; kill < KILLS; kill++) {
      const ids = Array.from({ length: 30 }, (_, at) => `k${kill}-${at}`);
      for (const id of ids) writeFileSync(join(folder, `${id}.jsonl`), toTranscript(MESSAGES, { seed: id }));
      await assertWhole(ids, await killedRepair(ids, randomInt(120)));
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
    }
  });

  it("leaves each session in OpenClaw's database as it was or repaired", async () => {
    process.env["OPENCLAW_STATE_DIR"] = state;
    const rows = await openRows(join(ROOT, "dist"));
    for (let kill = 0; kill < Math.ceil(KILLS / 3); kill++) {
      const ids = Array.from({ length: 6 }, () => randomUUID());
      for (const id of ids)
        await rows.store({
          key: `agent:main:${id}`,
          id,
          transcript: toTranscript(MESSAGES, { seed: id }),
          api: "anthropic-messages",
        });
      await assertWhole(ids, await killedRepair(ids, randomInt(400)));
    }
  });
});

describe.skipIf(smallDiskRefusal() !== undefined)("a repair that cannot write", () => {
  it.each(["full", "read-only"])(
    "is refused in words on a disk that is %s; the session is as it was, the scan tells what it found",
    (what) => {
      const { corrupt, failures, isSame, left } = runOnSmallDisk(1024, ON_SMALL_DISK, what) as {
        corrupt: number;
        failures: { code: string; message: string }[];
        isSame: boolean;
        left: string[];
      };
      expect({ corrupt, isSame, left }).toEqual({ corrupt: 1, isSame: true, left: ["sick.jsonl"] });
      expect(failures[0]).toMatchObject({
        code: "not-writable",
        message: expect.stringMatching(/expected .*; found .*(ENOSPC|EROFS|no space|read-only).*/is),
      });
      // The memory of scans is small: on a full disk it may find room.
      if (what === "read-only") expect(failures[1]).toMatchObject({ code: "not-writable" });
    },
  );
});

it("a database of a newer OpenClaw, with other tables, is named in words, and the other sessions are scanned", async () => {
  const folder = join(state, "agents", "newer", "agent");
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, "openclaw-agent.sqlite"));
  database.exec("CREATE TABLE transcript_events_2 (id TEXT); PRAGMA user_version = 99");
  database.close();
  const sessions = join(state, "agents", "main", "sessions");
  mkdirSync(sessions, { recursive: true });
  writeFileSync(join(sessions, "s.jsonl"), toTranscript(MESSAGES));
  const before = readFileSync(join(folder, "openclaw-agent.sqlite"));
  const catalog = openCatalog(state);
  const report = await scan(catalog);
  catalog.close();
  expect(report).toMatchObject({
    corrupt: 1,
    problems: [expect.stringMatching(/expected .*openclaw-agent\.sqlite.*; found /)],
  });
  expect(readFileSync(join(folder, "openclaw-agent.sqlite"))).toEqual(before);
});
