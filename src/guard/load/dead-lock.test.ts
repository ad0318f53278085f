import { execFileSync } from "node:child_process";
import { existsSync, openSync, closeSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { freeDeadLock } from "./dead-lock.ts";

const gone = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));
const BEFORE_THIS_PROCESS = performance.timeOrigin - 60_000;
const WITHIN_THIS_PROCESS = performance.timeOrigin + 1;
/** Longer than a lock without an id is respected by its age alone. */
const OLD_S = 60;
const HOUR_S = 3600;

afterEach(() => vi.restoreAllMocks());

function putLock(text: string, seconds: number): string {
  const lock = join(newFolder(), "sessions.json.lock");
  writeFileSync(lock, text);
  const written = new Date(Date.now() - seconds * 1000);
  utimesSync(lock, written, written);
  return lock;
}

it.each([
  ["of a process that is gone", JSON.stringify({ pid: gone }), 2, false],
  ["of a process that is gone, from before the clock was set back", JSON.stringify({ pid: gone }), -HOUR_S, false],
  [
    "of this id, but from before this process (a container starts each gateway under the same id)",
    JSON.stringify({ pid: process.pid, startedAt: BEFORE_THIS_PROCESS }),
    2,
    false,
  ],
  [
    "of this id, but from before the clock was set back",
    JSON.stringify({ pid: process.pid, startedAt: Date.now() + HOUR_S * 1000 }),
    -HOUR_S,
    false,
  ],
  ["of this process", JSON.stringify({ pid: process.pid, startedAt: WITHIN_THIS_PROCESS }), 2, true],
  ["of a process that lives", JSON.stringify({ pid: process.ppid }), OLD_S, true],
  ["that is empty for as long as OpenClaw respects it", "", OLD_S, false],
  ["that was half written for as long as OpenClaw respects it", '{"pid": 1', OLD_S, false],
])("a lock %s is removed or left where it is (%s, %d s old: stays %s)", async (_what, text, seconds, stays) => {
  const lock = putLock(text, seconds);
  await freeDeadLock(lock);
  expect(existsSync(lock)).toBe(stays);
});

it("the lock of this process stays when somebody has set the clock forward since it was taken", async () => {
  const lock = putLock(JSON.stringify({ pid: process.pid, startedAt: BEFORE_THIS_PROCESS }), 0);
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + HOUR_S * 1000);
  await freeDeadLock(lock);
  expect(existsSync(lock)).toBe(true);
});

it("a young lock of an id that is not visible here is not removed before it has been there for a second", async () => {
  const lock = putLock(JSON.stringify({ pid: gone }), 0);
  const freed = freeDeadLock(lock);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(existsSync(lock)).toBe(true);
  await freed;
  expect(existsSync(lock)).toBe(false);
});

it("an empty lock is no evidence of a killed process: that of a living one is waited for until it is released", async () => {
  const lock = putLock("", 0);
  rmSync(lock);
  const handle = openSync(lock, "wx");
  const freed = freeDeadLock(lock).then(() => "over");
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(existsSync(lock)).toBe(true);
  expect(await Promise.race([freed, "waits"])).toBe("waits");
  closeSync(handle);
  rmSync(lock);
  expect(await freed).toBe("over");
});

it("an empty lock into which a living process has written its id meanwhile is left to it", async () => {
  const lock = putLock("", 29);
  const freed = freeDeadLock(lock);
  writeFileSync(lock, JSON.stringify({ pid: process.pid, startedAt: Date.now() }));
  await freed;
  expect(existsSync(lock)).toBe(true);
});

it("no lock at all is no error", async () => {
  await freeDeadLock(join(newFolder(), "there-is-no-such.lock"));
});
