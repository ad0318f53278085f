import { spawn, spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { newFolder } from "../../harness/temporary.ts";
import { KnownSessions, PURGE_STEPS } from "../../src/privacy/index.ts";
import { userEnvironment } from "../cli/fixture.ts";
import { filesBelow, isOurs, wordsIn, wordsInOurFiles } from "./bytes.ts";
import { runPurge } from "./run-purge.ts";
import { fillSession, sessionsFolder, type FilledSession } from "./state.ts";

const WORKER = fileURLToPath(new URL("kill-worker.ts", import.meta.url));
let model: string;
let stateDir: string;
let gone: FilledSession;
let other: FilledSession;
beforeAll(async () => {
  model = newFolder();
  gone = await fillSession(model, "gone");
  other = await fillSession(model, "other");
  // OpenClaw has it no more: its key is known from our files only, which go one after the other.
  for (const name of readdirSync(sessionsFolder(model)))
    if (name === `${gone.id}.jsonl` || name === "sessions.json") rmSync(`${sessionsFolder(model)}/${name}`);
  // Nor was there a plugin that has kept a list of sessions.
  rmSync(new KnownSessions(model).file);
});
beforeEach(() => {
  stateDir = newFolder();
  cpSync(model, stateDir, { recursive: true, preserveTimestamps: true });
});

const environment = (): NodeJS.ProcessEnv => ({ ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir });
const purge = (name: string, ...more: string[]) => runPurge(stateDir, name, "--yes", "--json", ...more);

function assertGone(): void {
  expect(wordsInOurFiles(stateDir, gone.words)).toEqual([]);
  expect(
    filesBelow(stateDir)
      .filter(isOurs)
      .filter((file) => file.includes(gone.id) || wordsIn(file, [gone.id, gone.key]).length > 0),
  ).toEqual([]);
  expect(wordsInOurFiles(stateDir, other.words).map((found) => found.split(":")[0])).toEqual(
    expect.arrayContaining([...other.words]),
  );
}

it.each(PURGE_STEPS)(
  "a purge that is killed behind the step %s is finished by the next one, named by its key",
  async (step) => {
    expect(spawnSync(process.execPath, ["--no-warnings", WORKER, stateDir, gone.id, step]).signal).toBe("SIGKILL");
    expect(await purge(gone.key)).toMatchObject({
      status: 0,
      data: { action: "purged", sessions: [gone.id], conversations: [gone.key], left: [] },
    });
    assertGone();
    expect((await purge(gone.id)).data).toMatchObject({ code: "session-missing" });
  },
);

it("a purge that is killed at any moment is finished by the next one", async () => {
  const started = performance.now();
  expect(spawnSync(process.execPath, [MAIN, "purge", gone.id, "--yes"], { env: environment() }).status).toBe(0);
  const whole = performance.now() - started;
  for (let tries = 0; tries < 5; tries++) {
    rmSync(stateDir, { recursive: true });
    cpSync(model, stateDir, { recursive: true, preserveTimestamps: true });
    const child = spawn(process.execPath, [MAIN, "purge", gone.id, "--yes"], { env: environment(), stdio: "ignore" });
    // Most of its time it starts.
    await sleep(whole * (0.5 + 0.1 * tries));
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    expect((await purge(gone.id, "--if-exists")).status).toBe(0);
    assertGone();
  }
});
