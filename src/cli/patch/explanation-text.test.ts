import { expect, test } from "vitest";
import type { Explanation } from "../../patching/index.ts";
import { explanationLines } from "./explanation-text.ts";

const LONG =
  "the statement behind limitHistoryTurns that hands its outcome to the agent of the session, wherever the release keeps that agent";

const refused: Explanation = {
  root: "/home/user/project/node_modules/openclaw",
  release: "2027.1.0",
  known: false,
  outcome: "refused",
  reason: "expected 1 copy of attempt-history-gate; found 0",
  todo: "Wait for a newer openclaw-integrity",
  points: [
    {
      id: "session-index",
      why: LONG,
      dependsOn: LONG,
      inserts: LONG,
      expected: "0",
      found: 0,
      outcome: "not-needed",
      places: [],
    },
    {
      id: "attempt-history-gate",
      why: LONG,
      dependsOn: LONG,
      inserts: LONG,
      expected: "1",
      found: 0,
      outcome: "refused",
      reason: LONG,
      places: [],
    },
    {
      id: "session-load",
      why: LONG,
      dependsOn: LONG,
      inserts: LONG,
      expected: "0 to 2",
      found: 1,
      outcome: "left-out",
      reason: LONG,
      places: [
        { file: "dist/reply-5K4M-ATj.js", line: 123, region: "src/agents/session-load.ts" },
        { file: "dist/compact.js", line: 7 },
      ],
    },
  ],
  leftAlone: [{ file: "dist/worker/worker.mjs", why: LONG }],
};

test("every line fits a terminal of 80 columns, and no word is lost in wrapping", () => {
  const lines = explanationLines(refused);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const words = lines.join(" ").replaceAll(/\s+/g, " ");
  expect(words.split(LONG)).toHaveLength(10);
});

test("says first what happens, why and what to do, then each point with its places", () => {
  const text = explanationLines(refused).join("\n");
  expect(text).toMatch(
    /^OpenClaw 2027\.1\.0 in .*\napply refuses it\. expected 1 copy of attempt-history-gate; found 0\. Wait for a\nnewer openclaw-integrity\.\nThis release is not among the tested ones/,
  );
  expect(text).toContain(
    "\n\nsession-index: not needed in this release\n\nattempt-history-gate: REFUSED (0 found, 1 expected)\n  reason    the statement",
  );
  expect(text).toContain(
    "\n  places    dist/reply-5K4M-ATj.js:123\n            (src/agents/session-load.ts)\n            dist/compact.js:7\n",
  );
});

test.each([
  ["patched", "It is patched."],
  ["fits", "The patch set fits: apply would patch it."],
] as const)("an outcome without a reason: %s", (outcome, sentence) => {
  const lines = explanationLines({
    root: "/openclaw",
    release: "2026.9.6",
    known: true,
    outcome,
    points: [],
    leftAlone: [],
  });
  expect(lines).toEqual(["OpenClaw 2026.9.6 in /openclaw", sentence]);
});
