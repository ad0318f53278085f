/** The matrix as a table: release by patch point, and what was bricked for real, unpatched and patched. */
import { PATCH_POINTS, PATCH_SET } from "../../src/patching/points/index.ts";
import { markdownTable } from "../fuzz/table.ts";
import type { PointCheck, ReleaseCheck } from "./check.ts";
import { LAYOUTS } from "./layouts.ts";
import type { RealRun, Tally } from "./real.ts";
import { describeMaking } from "../measured/making.ts";

/** All that is known of one release. */
export interface Row {
  readonly check: ReleaseCheck;
  readonly real?: RealRun;
}

/** The committed report. */
export function formatReport(rows: readonly Row[], command: string): string {
  const applied = rows.filter(({ check }) => check.outcome === "applied");
  const clean = applied.filter(({ check }) => check.faults.length === 0);
  const real = rows.filter((row) => row.real !== undefined);
  const better = real.filter(({ real: run }) => run !== undefined && run.patched.bricked === 0);
  const faults = rows.flatMap(({ check, real: run }) =>
    [...check.faults, ...(run?.faults ?? [])].map((fault) => `- ${check.release}: ${fault}`),
  );
  return [
    "# Every stable release",
    "",
    `${describeMaking(command, `patch set ${PATCH_SET}`)} Of ${rows.length} releases ${applied.length} were patched, verified, parsed, and taken back ` +
      `byte for byte; in ${clean.length} of them the gates, run out of the patched package, let nothing through that a strict provider refuses ` +
      `(${Math.max(0, ...rows.map(({ check }) => check.gateRuns))} corpus histories by API each). ${real.length} releases, one or more for each way in which OpenClaw ` +
      `was bundled, were installed and run: in ${better.length} of them the patched one was bricked by no case.`,
    "",
    "A number is how many copies of the code got the line; – means that the release has no such code and needs none. Bricked: the last of two " +
      "messages got no answer. Lossy: answered, but real content did not reach the provider, or text was sent that nobody wrote.",
    "",
    table(rows),
    "",
    "## The releases that were run",
    "",
    ...real.map(
      ({ check: { release } }) =>
        `- ${release}: ${LAYOUTS.find((one) => one.release === release)?.layout ?? "named on the command line"}`,
    ),
    "",
    "## What did not hold",
    "",
    "From 2026.2.22 to 2026.9.4 OpenClaw takes calls of tools that a run does not offer out of the history, with their results; the patch sends " +
      "them in words. The runs offer the tools that a conversation used, as far as a release lets a caller do so: 2026.2.26 to 2026.3.13 take none from " +
      "this caller, and a name with a dot (`github.get_issue`, `exec.run`) can be offered to no provider.",
    "",
    ...(faults.length > 0 ? faults : ["Nothing."]),
    "",
  ].join("\n");
}

function table(rows: readonly Row[]): string {
  const head = [
    "release",
    ...PATCH_POINTS.map(({ id }) => id),
    "files",
    "engine",
    "cases run",
    "stock bricked",
    "lossy",
    "patched bricked",
    "lossy",
  ];
  const body = rows.map(({ check, real }) => [
    check.release,
    ...PATCH_POINTS.map(({ id }) => formatCell(check.points[id])),
    String(Object.keys(check.facts.files).length),
    check.outcome === "refused" ? "refused" : check.faults.length === 0 ? "applied, reverted" : "see below",
    ...(real === undefined
      ? ["", "", "", "", ""]
      : [String(real.stock.runs), ...figures(real.stock), ...figures(real.patched)]),
  ]);
  return markdownTable([head, ...body]);
}

function figures({ bricked, lossy }: Tally): readonly string[] {
  return [String(bricked), String(lossy)];
}

function formatCell(point: PointCheck | undefined): string {
  if (point === undefined || point.outcome === "not-needed") return "–";
  return point.outcome === "fits" ? String(point.copies) : `${point.outcome}: ${point.reason ?? ""}`;
}
