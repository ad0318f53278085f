import { expect, test } from "vitest";
import { GuardLog } from "./guard-log.ts";
import { describeHealed, mergeHealed, parseGuardLine } from "./healed.ts";

const REQUEST =
  "[openclaw-integrity] healed request api=anthropic-messages session=s1 compaction history: displaced_tool_result 8, empty_message 1; body: tool id 2";

test("reads what was healed in a request", () => {
  expect(parseGuardLine(REQUEST)).toEqual({
    session: "s1",
    healed: [
      { gate: "history", kind: "displaced_tool_result", count: 8 },
      { gate: "history", kind: "empty_message", count: 1 },
      { gate: "body", kind: "tool id", count: 2 },
    ],
  });
});

test("reads it behind a time and through colours", () => {
  expect(parseGuardLine(`\u001b[33m12:00:01 ${REQUEST}\u001b[39m`)?.session).toBe("s1");
});

test("reads what was healed on load, with and without a session", () => {
  expect(parseGuardLine("[openclaw-integrity] session load session=s2 header made up")).toEqual({
    session: "s2",
    healed: [{ gate: "load", kind: "header made up", count: 1 }],
  });
  expect(
    parseGuardLine("[openclaw-integrity] session load: missing_header, foreign_row; the transcript was kept as x.bak"),
  ).toEqual({
    healed: [
      { gate: "load", kind: "missing_header", count: 1 },
      { gate: "load", kind: "foreign_row", count: 1 },
    ],
  });
});

test("takes every other line of the guard for a failure, and no other line at all", () => {
  const text = "history gate failed (TypeError at guard.mjs:1:2); the history is used unchanged";
  expect(parseGuardLine(`[openclaw-integrity] ${text}`)).toEqual({ healed: [], failure: text });
  expect(parseGuardLine("[agents/agent-command] healed request")).toBeUndefined();
});

test("counts what every request heals again only once", () => {
  const once = { gate: "history", kind: "displaced_tool_result", count: 8 };
  expect(mergeHealed([[once], [{ ...once, count: 9 }], [once]])).toEqual([{ ...once, count: 9 }]);
  expect(describeHealed([once, { gate: "body", kind: "role_order", count: 1 }])).toBe(
    "8\u00a0×\u00a0a tool result that does not follow its call; body: role order",
  );
});

test("keeps the sessions apart, and gives nameless lines to the session at hand", () => {
  const log = new GuardLog();
  log.take(REQUEST);
  log.take("[openclaw-integrity] session load: the index of the session is rebuilt");
  log.assignTo("s1");
  log.take("[openclaw-integrity] wire gate (body) failed (Error); the body is sent unchanged");
  log.assignTo("s2");
  expect(log.healed("s1").map(({ gate }) => gate)).toEqual(["history", "history", "body", "load"]);
  expect(log.failures("s1")).toEqual([]);
  expect(log.healed("s2")).toEqual([]);
  expect(log.failures("s2")).toHaveLength(1);
});
