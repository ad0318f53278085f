/** The builds from source as a page. */
import { PATCH_SET } from "../../src/patching/points/index.ts";
import { markdownTable } from "../fuzz/table.ts";
import type { Tally } from "../matrix/real.ts";
import type { ForkRun } from "./fork.ts";

/** What the page says of its making. */
export interface Making {
  readonly command: string;
  readonly date: string;
  readonly node: string;
}

/** The page. */
export function reportOf(runs: readonly ForkRun[], { command, date, node }: Making): string {
  return [
    "# Built from source",
    "",
    `\`${command}\`, ${date}, Node ${node}, patch set ${PATCH_SET}. OpenClaw's sources with the patch applied to them (\`apply --source\`), type`,
    "checked, built and packed by their own commands (`pnpm tsgo`, `pnpm build`, `pnpm ui:build`, `npm pack`), the package installed, and",
    "corrupt sessions run through it: `prove` in its gateway, then cases of the corpus, each on one API, with a strict provider.",
    "",
    markdownTable([
      [
        "sources",
        "lines",
        "each commit builds",
        "prove",
        "cases",
        "unpatched build: bricked, lossy",
        "patched build: bricked, lossy",
      ],
      ...runs.map(({ release, points = {}, commits, proof, cases, failed }) => [
        release,
        String(Object.values(points).reduce((sum, count) => sum + count, 0)),
        commits ? `${commits.length} of ${commits.length}` : "not run",
        proof ?? `not reached: ${failed?.step ?? ""}`,
        String(cases?.patched.runs ?? 0),
        worst(cases?.stock),
        worst(cases?.patched),
      ]),
    ]),
    "",
    "Bricked: the last of two messages got no answer. Lossy: answered, but real content did not reach the provider, or text was sent",
    "that nobody wrote.",
    "",
    ...runs.flatMap(sectionOf),
  ].join("\n");
}

function sectionOf({ release, notes, commits = [], cases, failed }: ForkRun): readonly string[] {
  const lines = [
    ...notes.map((note) => `- Not as published: ${note}.`),
    ...(failed ? [`- **Stopped** at ${failed.step}: ${failed.reason}`] : []),
    ...commits.map(({ subject }) => `- Type checks and builds: ${subject}`),
    ...(cases?.faults ?? []).map((fault) => `- Not as it has to be: ${fault}`),
  ];
  return [`## ${release}`, "", ...(lines.length > 0 ? lines : ["Nothing to say."]), ""];
}

function worst(tally: Tally | undefined): string {
  return tally === undefined ? "not run" : `${tally.bricked}, ${tally.lossy}`;
}
