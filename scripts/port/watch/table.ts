/** results/port-watch.md: known releases as if each were new. */
import { PATCH_SET } from "../../../src/patching/points/index.ts";
import { markdownTable } from "../../fuzz/table.ts";
import { totalSeconds } from "./outcome.ts";
import type { Watched } from "./watch.ts";
import { describeMaking } from "../../measured/making.ts";

/** The page. */
export function formatPage(results: readonly Watched[], command: string): string {
  const ported = results.filter(({ outcome }) => outcome.verdict === "ported");
  const again = ported.filter(({ isFoundAgain }) => isFoundAgain === true);
  return [
    "# Known releases as if each were new",
    "",
    describeMaking(command, `patch set ${PATCH_SET}`),
    "",
    `Of ${results.length} stable releases ${ported.length} went through without a person. In ${again.length} of these the port wrote the records ` +
      "and the patch file that were there before it, byte for byte.",
    "",
    "Each was taken out of the records in a clone of the repository and then ported as `npm run port -- --watch` ports a new one: downloaded, " +
      "patched, its gates run, compared with the release before it, installed (with the dependencies that npm chooses today), proven, recorded, committed. " +
      "A base release was installed without its pins.",
    "",
    "What this does not show: the patch points were written by people who knew these releases. A release that moves the code of a patch point needs a hand, " +
      "and the watch says so instead of recording it.",
    "",
    markdownTable([
      [
        "release",
        "against",
        "verdict",
        "copies",
        "histories through the gates",
        "proof",
        "to review",
        "records as before",
        "seconds",
      ],
      ...results.map(({ outcome, isFoundAgain }) => [
        outcome.release,
        outcome.before ?? "",
        outcome.verdict.replaceAll("-", " "),
        outcome.points.map(({ found }) => found).join("+"),
        String(outcome.gateRuns),
        describeProof(outcome.proof),
        `${outcome.differences.length} lines`,
        isFoundAgain === undefined ? "" : isFoundAgain ? "yes" : "no",
        String(totalSeconds(outcome)),
      ]),
    ]),
    "",
    ...reasonLines(results),
    "## Time of each step, in seconds",
    "",
    ...results.map(
      ({ outcome }) =>
        `- ${outcome.release}: ${outcome.steps.map(({ name, ms }) => `${name} ${(ms / 1000).toFixed(0)}`).join(", ")}`,
    ),
    "",
  ].join("\n");
}

function describeProof([first]: readonly string[]): string {
  return first === undefined ? "not run" : (first.split(": ").at(-1) ?? first);
}

function reasonLines(results: readonly Watched[]): readonly string[] {
  const lines = results.flatMap(({ outcome }) => outcome.reasons.map((reason) => `- ${outcome.release}: ${reason}`));
  return lines.length === 0 ? [] : ["## Why not", "", ...lines, ""];
}
