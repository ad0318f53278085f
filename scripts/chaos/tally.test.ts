import { expect, it } from "vitest";
import type { Check } from "./check.ts";
import type { Outcome } from "./play.ts";
import { checksTable, failureLines } from "./report.ts";
import { addTo, emptyTally, type Subject } from "./tally.ts";

const SUBJECT: Subject = { release: "2026.2.3", variant: "patched", mode: "in-process" };
const check = (more: Partial<Check>): Check => ({ answered: true, failures: [], reports: [], neverTaken: 0, ...more });
const lost: Check["failures"][number] = { fault: "result lost", detail: "exec toolu4ak0r0c0" };
const refused: Check["failures"][number] = { fault: "request refused", detail: "messages.1" };
const outcome = (checks: Check[]): Outcome => ({
  n: 4,
  kills: 2,
  conversations: [{ tag: "session-4a", turns: [], checks }],
});

it("counts what is lost once, however often it is missing, and each refused request", () => {
  const tally = emptyTally(SUBJECT);
  const reports: Check["reports"] = [{ truth: "finished", told: "unknown" }];
  addTo(tally, outcome([1, 1].map((neverTaken) => check({ failures: [lost, refused], reports, neverTaken }))));
  expect([tally.kills, tally.checks, tally.answered]).toEqual([2, 2, 2]);
  expect(Object.fromEntries(tally.faults)).toEqual({ "result lost": 1, "request refused": 2 });
  expect(tally.neverTaken).toBe(1);
  expect(tally.told.get("finished")?.get("unknown")).toBe(1);
  const [head, row] = checksTable([tally]);
  expect(row?.[head?.indexOf("result lost") ?? -1]).toBe("1");
});

it("a failed kill comes with the command that repeats it, whichever check found it", () => {
  const lines = failureLines(SUBJECT, outcome([check({ failures: [lost] }), check({})]), "77");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("session-4a: result lost: exec toolu4ak0r0c0");
  expect(lines[0]).toContain(
    "npm run trial chaos -- --release 2026.2.3 --variant patched --mode in-process --seed 77 --only 4",
  );
});
