import { execFileSync } from "node:child_process";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { freeDeadLock } from "./stale-lock.ts";

const BEFORE_THIS_PROCESS = process.uptime() + 60;
const gone = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));

it.each([
  ["of a process that is gone", JSON.stringify({ pid: gone }), 2, false],
  ["whose process was killed before it had written its id", "", 2, false],
  [
    "of this id, but from before this process (a container starts each gateway under the same id)",
    JSON.stringify({ pid: process.pid }),
    BEFORE_THIS_PROCESS,
    false,
  ],
  ["of this process", JSON.stringify({ pid: process.pid }), 0, true],
  ["of a process that lives", JSON.stringify({ pid: process.ppid }), 2, true],
  ["that is young, of whomever", JSON.stringify({ pid: gone }), 0, true],
  ["that names no process", "[]", 2, true],
  ["with an id that no process can have", '{"pid": 1.5}', 2, true],
  ["that is half written", '{"pid": 1', 2, true],
])("a lock %s is removed or left where it is (%s, %d s old: stays %s)", (_what, text, seconds, stays) => {
  const lock = join(newFolder(), "sessions.json.lock");
  writeFileSync(lock, text);
  const written = new Date(Date.now() - seconds * 1000);
  utimesSync(lock, written, written);
  freeDeadLock(lock);
  expect(existsSync(lock)).toBe(stays);
});

it("no lock at all is no error", () => {
  expect(() => freeDeadLock(join(newFolder(), "there-is-no-such.lock"))).not.toThrow();
});
