import { expect, test } from "vitest";
import type { Measurement } from "./measure.ts";
import { formatCounts, formatLine, formatReport, survived } from "./report.ts";

const MEASURED: Measurement = {
  release: "2026.2.3",
  variant: "stock",
  mode: "embedded",
  id: "1",
  title: "a fault",
  api: "anthropic-messages",
  shown: { text: "LLM | failed\nfor good", ms: 1_234 },
  requests: 4,
  sameTwice: true,
  resumed: 0,
  next: [true, false, true].map((answered) => ({ answered, text: "", requests: 1 })),
  executed: "half executed",
  places: [
    ["a question", "lost"],
    ["a result", "request"],
  ],
};
const WELL: Measurement = {
  ...MEASURED,
  variant: "patched",
  executed: "not executed",
  next: [{ answered: true, text: "", requests: 1 }],
  places: [["a question", "archive"]],
};

test("a conversation has not survived when a message was not answered, something was lost, or it was not measured", () => {
  expect(survived(WELL)).toBe(true);
  expect(survived({ ...WELL, next: MEASURED.next })).toBe(false);
  expect(survived({ ...WELL, places: MEASURED.places })).toBe(false);
  expect(survived({ ...WELL, failed: "the gateway did not start" })).toBe(false);
});

test("a row says what was seen, in one line, and what is wrong", () => {
  const line = formatLine(MEASURED);
  for (const part of [
    "LLM \\| failed for good",
    "4, the same again",
    "1.2",
    "yes, **no**, yes",
    "**half executed**",
    "**lost**: a question",
  ])
    expect(line).toContain(part);
  expect(formatLine({ ...MEASURED, shown: { text: " ", ms: 0 } })).toContain("(nothing)");
  expect(formatLine({ ...MEASURED, failed: "why" })).toContain("not measured: why");
});

test("the report has stock beside patched, whatever the order in which they were measured", () => {
  const other = { ...MEASURED, id: "2", title: "another" };
  const text = formatReport([MEASURED, other, WELL, { ...other, ...WELL, id: "2" }], "npm run trial recovery");
  const rows = text.split("\n").filter((line) => line.startsWith("| anthropic-messages"));
  expect(rows.map((row) => row.split(" | ").slice(1, 3).join(" "))).toEqual([
    "1: a fault stock",
    "1: a fault patched",
    "2: another stock",
    "2: a fault patched",
  ]);
  expect(formatCounts([MEASURED, WELL])).toContain(
    "| 2026.2.3 | embedded | stock | 0 of 1 | 0 of 1 | 0 of 1 | 1 of 1 | 4 |",
  );
});
