import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { isGone, processOwner } from "./process-owner.ts";

const gone = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));
const [place] = processOwner().split("/");
const started = Date.now();

it.each([
  ["a process of this place that has ended", `${place}/${gone}/${started}/0a1b2c3d`, true],
  ["an earlier process under this id, as in a container", `${place}/${process.pid}/${started - 1}/0a1b2c3d`, true],
  ["this process", processOwner(), false],
  ["a process that runs", `${place}/${process.ppid}/${started}/0a1b2c3d`, false],
  ["a process of another machine", `elsewhere/${gone}/${started}/0a1b2c3d`, false],
  ["an owner of another form", "monday", false],
  ["a number that no process can have", `${place}/${2 ** 40}/${started}/0a1b2c3d`, false],
])("a lease of %s can be taken over or not (%s: %s)", (_what, owner, expected) => {
  expect(isGone(owner)).toBe(expected);
});
