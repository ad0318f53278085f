/** The outcome of a new release as Markdown, for the reviewer. */
import { visible } from "../../../src/base/visible.ts";
import { PATCH_SET } from "../../../src/patching/points/index.ts";
import { markdownTable } from "../../fuzz/table.ts";
import { totalSeconds, type PortOutcome } from "./outcome.ts";
import { describeMaking } from "../../measured/making.ts";

const SENTENCES = {
  ported: "Every patch point fits, the patch is proven on a real installation, and the release is recorded.",
  "needs-a-hand": "**Needs a hand.** Nothing is recorded: the patch set does not know this release.",
  refused: "The release could not be had as it was published. Nothing is known about it.",
} as const;

/** Text of the release is shown as code, and can be no part of the report. */
export function formatReport(outcome: PortOutcome): string {
  const { release, verdict, reasons, integrity, node, before, points, gateRuns, proof, steps } = outcome;
  return [
    `# OpenClaw ${release}`,
    "",
    SENTENCES[verdict],
    "",
    ...(reasons.length > 0 ? ["Why:", "", ...fenced(reasons), ""] : []),
    describeMaking("npm run port -- --watch", `patch set ${PATCH_SET}`, `${totalSeconds(outcome)} s`),
    "",
    ...fenced([`integrity  ${integrity ?? "unknown"}`, `node       ${node ?? "unknown"}`]),
    "",
    "## Patch points",
    "",
    gateRuns > 0
      ? `Patched, verified, parsed and reverted; ${gateRuns} histories through the gates of the patched package.`
      : "The patch was not applied.",
    "",
    markdownTable([
      ["patch point", "copies", "outcome"],
      ...points.map(({ id, found, outcome: what }) => [id, String(found), what]),
    ]),
    "",
    "## Proof on a real installation",
    "",
    ...(proof.length > 0 ? fenced(proof) : ["It was not run."]),
    "",
    "## To review",
    "",
    `A line can fit although its meaning has changed. Against ${before ?? "no release"}:`,
    "",
    ...fenced(outcome.differences.length > 0 ? outcome.differences : ["nothing was compared"]),
    "",
    "## Time",
    "",
    markdownTable([["step", "seconds"], ...steps.map(({ name, ms }) => [name, (ms / 1000).toFixed(1)])]),
    "",
  ].join("\n");
}

/** A block that no line in it can end. */
function fenced(lines: readonly string[]): readonly string[] {
  const longest = Math.max(2, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return [fence, ...lines.map(visible), fence];
}
