import { execFileSync } from "node:child_process";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../temporary.ts";
import { executed, quickCall, quickResult, tracedCall } from "./traced-calls.ts";

let folder = "";
beforeEach(() => {
  folder = newFolder();
});

const run = (command: string): string => execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
const calledCommand = (call: { arguments: unknown }): string => (call.arguments as { command: string }).command;

test("tells a command that ran from one that did not", () => {
  expect(executed(folder, "trace.txt", false)).toBe("not executed");
  run(calledCommand(tracedCall("trace.txt")));
  run(calledCommand(tracedCall("trace.txt")));
  expect(executed(folder, "trace.txt", false)).toBe("executed 2 ×");
});

test("a command that is cut where the faults cut it leaves half a trace", () => {
  const text = JSON.stringify(tracedCall("trace.txt").arguments);
  const half = text.slice(0, Math.ceil(text.length / 2));
  // As OpenClaw reads arguments that are not finished.
  run((JSON.parse(`${half}"}`) as { command: string }).command);
  expect(executed(folder, "trace.txt", false)).toBe("half executed");
  expect(executed(folder, "trace.txt", true)).toBe("ended by the kill");
});

test("the quick call's result does not stand in the call", () => {
  expect(run(calledCommand(quickCall("trace.txt"))).trim()).toBe(quickResult("trace.txt"));
  expect(JSON.stringify(quickCall("trace.txt"))).not.toContain(quickResult("trace.txt"));
});
