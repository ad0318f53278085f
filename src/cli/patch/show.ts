import { lstatSync, statSync } from "node:fs";
import { linkedDist, type Found, type Report } from "../../patching/index.ts";
import type { Outcome } from "../run.ts";

/** A report under a sentence that says what it means, with the patch points that are in place. */
export function show(found: Found, report: Report, sentence: string): Outcome {
  return {
    data: { ...report, ways: found.ways },
    lines: [`OpenClaw ${report.release} in ${report.root}: ${sentence}`, ...leadLines(found), ...pointLines(report)],
  };
}

/** What is a symbolic link on the way to the files: they are named by where they really are. */
export function leadLines({ root, places }: Pick<Found, "root" | "places">): readonly string[] {
  const dist = linkedDist(root);
  return [
    ...places.filter(isLinkedFolder).map((place) => `  ${place} is a link to it`),
    ...(dist === undefined ? [] : [`  its dist is a link: the files are those in ${dist}`]),
  ];
}

/** As pnpm and `npm link` lay packages out. */
function isLinkedFolder(place: string): boolean {
  return (
    lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
    statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
  );
}

/** One line for each patch point that is in place. */
export function pointLines({ points }: Report): readonly string[] {
  return Object.entries(points)
    .filter(([, copies]) => copies > 0)
    .map(([point, copies]) => `  ${point} (${copies} ${copies === 1 ? "copy" : "copies"})`);
}

/** What somebody who changes files there should know. */
export function sharedWarnings({ root, shared }: Found): readonly string[] {
  if (!shared) return [];
  return [
    `${root} lies in pnpm's global virtual store: every project with the same OpenClaw uses these files, and was changed with it`,
  ];
}
