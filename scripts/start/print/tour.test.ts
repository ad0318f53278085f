import { expect, test } from "vitest";
import { loadCorpus } from "../../../harness/corpus/case.ts";
import { ALL_APIS } from "../apis.ts";
import { toExitCode } from "../compare.ts";
import { timeoutLines } from "../failures.ts";
import type { Verdict } from "../judge.ts";
import type { RunRecord, Variant } from "../record.ts";
import { untilInTime } from "../release.ts";
import { tourJobs } from "../selection.ts";
import { plain } from "./paint.ts";
import { tourBars, tourBeginning, tourEnd, TourLines } from "./tour.ts";
import { textWidth } from "./width.ts";

const RELEASE = "2026.2.3";
const jobs = tourJobs(loadCorpus(), RELEASE, ALL_APIS);
const GOOD: Verdict = { answered: "both", lost: [], unwanted: [] };
const REFUSAL = "messages.302.content.1: unexpected `tool_use_id` found in `tool_result` blocks: ".repeat(3).trim();
const BRICKED: Verdict = { answered: "none", error: REFUSAL, unwanted: [] };
const TIMED_OUT: Verdict = { answered: "timed out", error: "aborted due to timeout", unwanted: [] };

function run(nth: number, variant: Variant, verdict: Verdict): RunRecord {
  const isGood = verdict.answered === "both";
  const turns = [1, 2].map((turn) => ({ answered: isGood, ms: 1, text: isGood ? `ok ${turn}` : "" }));
  const request = isGood ? { status: 200 } : { status: 400, error: REFUSAL };
  return {
    job: jobs[nth]!,
    release: RELEASE,
    variant,
    turns,
    verdict,
    requests: [request, request],
    healed: isGood ? [{ gate: "history", kind: "skipped_tool_call", count: 14 }] : [],
    failures: [],
  };
}

const all = jobs.flatMap((_, nth) => [run(nth, "stock", BRICKED), run(nth, "patched", GOOD)]);

function tour(records: readonly RunRecord[], stock = true): string[] {
  const lines = new TourLines({ release: RELEASE, stock, errors: true, paint: plain });
  lines.expect(jobs.map(({ id }) => id));
  return records.flatMap((record) => lines.take(record));
}

test("shows the headline with both replies, word for word, and a line for each other case", () => {
  const lines = tour(all);
  const text = lines.join("\n");
  expect(text).toMatch(/user +first message\n +unpatched +400 messages\.302/);
  expect(text).toMatch(/patched +"ok 1"\n\n +user +second message\n +unpatched +400 the same again\n +patched +"ok 2"/);
  expect(lines.filter((line) => /anthropic|chat|responses/.test(line) && /bricked +answered$/.test(line))).toHaveLength(
    15,
  );
});

test("shows a case as soon as both of its runs are done, in the order of the tour", () => {
  const backwards = all.toReversed();
  expect(tour(backwards)).toEqual(tour(all));
  expect(tour(all.slice(0, 1))).toEqual([]);
  expect(tour(all.slice(0, 2)).length).toBeGreaterThan(5);
  // A later case waits for the headline.
  expect(tour(all.slice(2, 4))).toEqual([]);
});

test("is nowhere wider than 80 columns", () => {
  const slow = all.map((record) => (record.variant === "patched" ? { ...record, verdict: TIMED_OUT } : record));
  const half = all.map((record, nth) => (nth % 3 === 0 ? run(Math.floor(nth / 2), record.variant, GOOD) : record));
  const lines = [all, slow, half].flatMap((records) => [
    ...tour(records),
    ...tourBars(RELEASE, records, plain),
    ...timeoutLines(records, 80, plain),
  ]);
  lines.push(...tourBeginning(plain), ...tourEnd({ cases: 157, missing: [RELEASE], ms: 58_000, paint: plain }));
  expect(lines.filter((line) => textWidth(line) > 80)).toEqual([]);
});

test("fits the summary and what its words mean on one screen", () => {
  const bars = [...tourBars(RELEASE, all, plain), ...tourBars("2026.9.6", all, plain)];
  expect([...bars, ...tourEnd({ cases: 157, missing: [RELEASE], ms: 1, paint: plain })].length).toBeLessThan(24);
  expect(bars.join("\n")).toContain("all 16 answered, nothing lost");
  expect(bars.join("\n")).toContain("16 bricked");
});

test("leaves the unpatched one out when it does not run", () => {
  const lines = tour(
    all.filter(({ variant }) => variant === "patched"),
    false,
  );
  expect(lines.join("\n")).not.toMatch(/unpatched|bricked/);
  expect(lines.at(-1)).toMatch(/answered$/);
});

test("a run that times out is tried again once, and is no failure of the patch", async () => {
  const verdicts = [TIMED_OUT, GOOD];
  expect((await untilInTime(async () => run(0, "patched", verdicts.shift()!))).verdict).toEqual(GOOD);
  let tries = 0;
  const slow = await untilInTime(async () => {
    tries++;
    return run(0, "patched", TIMED_OUT);
  });
  expect([tries, slow.verdict.answered]).toEqual([2, "timed out"]);
  expect(toExitCode([slow, run(1, "patched", GOOD)])).toBe(3);
  expect(toExitCode([slow, run(1, "patched", BRICKED)])).toBe(1);
  expect(toExitCode([run(1, "patched", GOOD)])).toBe(0);
  expect(timeoutLines([slow], 80, plain).join(" ")).toMatch(/too slow .* nothing is said about the patch/);
  expect(tourBars(RELEASE, [slow], plain).join("\n")).toContain("1 timed out");
});
