import { expect, test } from "vitest";
import { prove, proofLines } from "../../src/prove/index.ts";
import { answersWhile, stubOpenClaw, WORKS } from "./stub.ts";

/** Whoever is too slow for it is not held against the patch either. */
const LIMIT_MS = 2_000;
const IS_OFF = 'process.env.OPENCLAW_INTEGRITY === "off"';

test("a release that answers no sound session with the guard off either is not held against the patch", async () => {
  const report = await prove(stubOpenClaw(answersWhile("false")));
  expect(report).toMatchObject({ verdict: "release", sessions: [] });
  expect(report.sentence).toContain('also with the guard off: 0 of 2 messages answered; OpenClaw said: "no"');
});

test("a guard that breaks sound sessions is not proven", async () => {
  const report = await prove(stubOpenClaw(answersWhile(IS_OFF)));
  expect(report).toMatchObject({ verdict: "patch" });
  expect(proofLines(report)[1]).toBe('  FAILED  a valid history: 0 of 2 messages answered; OpenClaw said: "no"');
});

test("a guard with which OpenClaw ends at its start is not proven", async () => {
  const report = await prove(stubOpenClaw(`if (!(${IS_OFF})) process.exit(1);${answersWhile("true")}`));
  expect(report).toMatchObject({ verdict: "patch", sessions: [] });
});

test("who answers without ever being refused has proved no recovery", async () => {
  const report = await prove(stubOpenClaw(answersWhile("true")));
  expect(report).toMatchObject({ verdict: "patch" });
  expect(report.sessions.filter(({ passed }) => !passed).map(({ id }) => id)).toEqual(["refused"]);
});

test("what fails once only is not held against the patch", async () => {
  const root = stubOpenClaw(`
const { existsSync, writeFileSync } = await import("node:fs");
const mark = import.meta.dirname + "/failed";
if (!existsSync(mark)) { writeFileSync(mark, ""); process.exit(1); }
${WORKS}`);
  const report = await prove(root);
  expect(report.verdict).toBe("environment");
  expect(report.sentence).toContain("it failed the first time only: OpenClaw ended (1)");
  expect(await prove(root)).toMatchObject({ verdict: "proven" });
});

test.each([
  ["a full disk", 'console.error("Error: ENOSPC: no space left on device, write"); process.exit(1);'],
  ["too many open files", 'console.error("Error: EMFILE: too many open files"); process.exit(1);'],
  ["a start that takes too long", "await new Promise((resolve) => setTimeout(resolve, 60_000));"],
  ["a process that is stopped", 'process.kill(process.pid, "SIGSTOP");'],
  ["another user's folder in its way", 'console.error("the directory belongs to another user"); process.exit(78);'],
  ["a kill", 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);'],
])("%s with the patch only is not held against the patch", async (_, code) => {
  const report = await prove(stubOpenClaw(`if (!(${IS_OFF})) { ${code} }${WORKS}`), { timeoutMs: LIMIT_MS });
  expect(report).toMatchObject({ verdict: "environment", sessions: [] });
});

test("limits of time that nothing can keep say nothing against the patch", async () => {
  const root = stubOpenClaw(WORKS);
  for (const timeoutMs of [1, 20, 100])
    expect(await prove(root, { timeoutMs })).toMatchObject({ verdict: "environment" });
});
