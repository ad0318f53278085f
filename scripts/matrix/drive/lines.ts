import { median } from "../../bench/measure.ts";
import { isBricked } from "../../start/judge.ts";
import type { RunRecord } from "../../start/record.ts";
import type { DriveReport } from "./drive.ts";
import type { tally } from "./sample.ts";

const ERROR_LENGTH = 70;

/**
 * `2026.3.8  extensionAPI.js, JSONL  5 APIs  start 4.3 s  turn 0.08 s  healthy refusal limit  orphan bricked:
 * messages.0…`
 */
export function describeDrive(report: DriveReport, orphan: RunRecord | undefined): string {
  const { release, adapter, apis, startMs, turnsMs } = report;
  const held = Object.entries(report.findings).map(([name, wrong]) =>
    wrong === undefined ? name : `${name} FAILED (${wrong})`,
  );
  const judged = orphan === undefined ? [] : [`orphan ${describeVerdict(orphan)}`];
  return [
    release.padEnd(11),
    adapter.padEnd(29),
    `${apis} APIs`,
    `start ${seconds(startMs)} s`,
    `turn ${seconds(median(turnsMs))} s`,
    held.join(" "),
    ...judged,
  ].join("  ");
}

/** Counts, and what they are made of. */
export function describeSample({ bricked, worse, good }: ReturnType<typeof tally>): string {
  const all = bricked.length + worse.length + good.length;
  const lines = [
    `  of ${all} cases ${bricked.length} bricked, ${worse.length} answered with content lost or invented, ${good.length} answered`,
  ];
  if (bricked.length > 0) lines.push(`    bricked: ${joinIds(bricked)}`);
  if (worse.length > 0) lines.push(`    lost: ${joinIds(worse)}`);
  return lines.join("\n");
}

function joinIds(records: readonly RunRecord[]): string {
  return records.map(({ job }) => job.id).join(" ");
}

function describeVerdict({ verdict }: RunRecord): string {
  const error = verdict.error ?? "";
  return isBricked(verdict)
    ? `bricked: ${error.length > ERROR_LENGTH ? `${error.slice(0, ERROR_LENGTH - 1)}…` : error}`
    : "answered";
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}
