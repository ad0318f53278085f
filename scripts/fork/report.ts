/** The builds from source as a page. */
import { PATCH_SET } from "../../src/patching/points/index.ts";
import { markdownTable } from "../fuzz/table.ts";
import type { Tally } from "../matrix/real.ts";
import { describeMaking } from "../measured/making.ts";
import { withOthers } from "../sources/page.ts";
import type { ForkRun } from "./fork.ts";

/** A tree that was built, and the command that did it. */
export interface Report {
  readonly run: ForkRun;
  readonly command: string;
}

const COLUMNS = [
  "sources",
  "lines",
  "each commit builds",
  "prove",
  "cases",
  "unpatched build: bricked, lossy",
  "patched build: bricked, lossy",
] as const;

/** Whether a run shows what it has to: proven, each commit builds where that was asked, and no case is left. */
export function isGood({ proof = "", cases, series, failed }: ForkRun): boolean {
  return (
    [failed, series?.failed].every((one) => one === undefined) && proof.startsWith("proven") && !cases?.faults.length
  );
}

/**
 * The page: these trees, and those of the `previous` page that were not built now. `matrix` is the page on the published
 * releases, in which a fault of a build may be known.
 */
export function formatReport(
  reports: readonly Report[],
  { previous, matrix }: { previous: string; matrix: string },
): string {
  const entries = reports.map((report) => ({
    release: report.run.release,
    row: `| ${formatRow(report.run).join(" | ")} |`,
    section: formatSection(report, matrix).join("\n"),
  }));
  const all = withOthers(entries, previous);
  return [
    "# Built from source",
    "",
    "OpenClaw's sources with the patch applied to them (`apply --source`), type checked, built and packed by their own commands",
    "(`pnpm tsgo`, `pnpm build`, `pnpm ui:build`, `npm pack`), the package installed, and corrupt sessions run through it: `prove` in its",
    "gateway, then cases of the corpus, each on one API, with a strict provider. Each commit builds: the series of `apply --source --patch`",
    "was committed one by one, and type checked and bundled at each commit; in the end it is what `apply --source` makes of the tree.",
    "",
    [markdownTable([[...COLUMNS]]), ...all.map(({ row }) => row)].join("\n"),
    "",
    "Bricked: the last of two messages got no answer. Lossy: answered, but real content did not reach the provider, or text was sent",
    "that nobody wrote.",
    "",
    ...all.flatMap(({ section }) => [section, ""]),
  ].join("\n");
}

function formatRow({ release, points = {}, series, proof, cases, failed }: ForkRun): readonly string[] {
  return [
    release,
    String(Object.values(points).reduce((sum, count) => sum + count, 0)),
    series ? `${series.built.length} of ${series.commits}` : "not run",
    proof ?? `not reached: ${failed?.step ?? ""}`,
    cases ? String(cases.patched.runs) : "not run",
    worst(cases?.stock),
    worst(cases?.patched),
  ];
}

function formatSection({ run, command }: Report, matrix: string): readonly string[] {
  const { release, notes, series, cases, failed } = run;
  const faults = cases?.faults ?? [];
  return [
    `## ${release}`,
    "",
    `${describeMaking(command)} Patch set ${PATCH_SET}. Exit code ${isGood(run) ? 0 : 1}.`,
    "",
    ...notes.map((note) => `- Not as published: ${note}.`),
    ...(failed ? [`- **Stopped** at ${failed.step}: ${failed.reason}`] : []),
    ...(series?.built ?? []).map(({ subject }) => `- Type checks and is bundled: ${subject}`),
    ...(series?.failed ? [`- **Does not build**: ${series.failed.step}: ${series.failed.reason}`] : []),
    ...faults.map((fault) => `- Not as it has to be: ${fault}${knownIn(matrix, fault)}`),
  ];
}

/** The published releases in which the same case has the same fault. */
function knownIn(matrix: string, fault: string): string {
  const releases = matrix
    .split("\n")
    .filter((line) => line.startsWith("- ") && line.endsWith(`: ${fault}`))
    .map((line) => line.slice(2, line.indexOf(":")));
  return releases.length > 0 ? ` (so on published releases too: ${releases.join(", ")}, see [matrix](matrix.md))` : "";
}

function worst(tally: Tally | undefined): string {
  return tally === undefined ? "not run" : `${tally.bricked}, ${tally.lossy}`;
}
