import { expect, test } from "vitest";
import { prove, proofLines } from "../../src/prove/index.ts";
import { answersWhile, stubOpenClaw } from "./stub.ts";

test("a release that answers no sound session with the guard off either is not held against the patch", async () => {
  const report = await prove(stubOpenClaw(answersWhile("false")));
  expect(report).toMatchObject({ outcome: "could-not-run", started: true, againstPatch: false, sessions: [] });
  expect(report.sentence).toContain("also with the guard off: 0 of 2 messages answered; OpenClaw said: no");
});

test("a guard that breaks sound sessions is not proven", async () => {
  const report = await prove(stubOpenClaw(answersWhile('process.env.OPENCLAW_INTEGRITY === "off"')));
  expect(report).toMatchObject({ outcome: "not-proven", againstPatch: true });
  expect(proofLines(report)[1]).toBe("  FAILED  a valid history: 0 of 2 messages answered; OpenClaw said: no");
});

test("who answers without ever being refused has proved no recovery", async () => {
  const report = await prove(stubOpenClaw(answersWhile("true")));
  expect(report).toMatchObject({ outcome: "not-proven", againstPatch: true });
  expect(report.sessions.filter(({ passed }) => !passed).map(({ id }) => id)).toEqual(["refused"]);
});
