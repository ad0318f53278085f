/** Formats an explanation for a terminal of 80 columns. */
import { Help } from "commander";
import type { ExplainedPoint, Explanation } from "../../patching/index.ts";
import { forkLines } from "./fork-text.ts";

const WIDTH = 80;
const help = new Help();

/** Returns the lines of an explanation: the outcome first, then each patch point with its purpose and its places. */
export function explanationLines(explanation: Explanation): readonly string[] {
  const { root, release, known, fork, points, leftAlone } = explanation;
  return [
    `OpenClaw ${release} in ${root}`,
    ...wrapped("", "", outcomeText(explanation)),
    ...(fork ? forkLines({ release, fork }) : []),
    ...(known || fork
      ? []
      : wrapped("", "", "This release is not among the tested ones; the patch points were searched for anyway.")),
    ...points.flatMap(pointLines),
    ...(leftAlone.length === 0
      ? []
      : ["", "left alone", ...leftAlone.flatMap(({ file, why }) => [`  ${file}`, ...wrapped("    ", "", why)])]),
  ];
}

function outcomeText({ outcome, reason, todo }: Explanation): string {
  const first = {
    patched: "It is patched.",
    fits: "The patch set fits: apply would patch it.",
    refused: "apply refuses it.",
  }[outcome];
  return [first, ...[reason, todo].map((text) => (text === undefined ? "" : sentence(text)))]
    .filter((text) => text !== "")
    .join(" ");
}

function pointLines({
  id,
  outcome,
  expected,
  found,
  reason,
  why,
  dependsOn,
  inserts,
  places,
}: ExplainedPoint): readonly string[] {
  if (outcome === "not-needed") return ["", `${id}: not needed in this release`];
  const word = { fits: "fits", "left-out": "LEFT OUT, the others work without it", refused: "REFUSED" }[outcome];
  return [
    "",
    `${id}: ${word} (${found} found, ${expected} expected)`,
    ...(reason === undefined ? [] : wrapped("  ", "reason    ", reason)),
    ...wrapped("  ", "prevents  ", why),
    ...wrapped("  ", "relies on ", dependsOn),
    ...wrapped("  ", "inserts   ", inserts),
    ...places.flatMap(({ file, line, region }, index) => [
      `  ${index === 0 ? "places    " : "          "}${file}:${line}`,
      ...(region === undefined ? [] : [`            (${region})`]),
    ]),
  ];
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Wraps a text after a label; its further lines are aligned with its first word. */
function wrapped(indent: string, label: string, text: string): readonly string[] {
  const hanging = " ".repeat(indent.length + label.length);
  const lines = help.boxWrap(text, WIDTH - hanging.length).split("\n");
  return lines.map((line, index) => `${index === 0 ? `${indent}${label}` : hanging}${line}`);
}
