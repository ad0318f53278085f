import { lstatSync, statSync } from "node:fs";
import { linkedDist, PATCH_POINTS, type Found, type Report } from "../../patching/index.ts";
import type { Outcome } from "../run.ts";

/** Formats a report: one line with release, folder and `sentence`, then the symbolic links and the patch points. */
export function show(found: Found, report: Report, sentence: string): Outcome {
  return {
    data: { ...report, ways: found.ways },
    lines: [`OpenClaw ${report.release} in ${report.root}: ${sentence}`, ...leadLines(found), ...pointLines(report)],
  };
}

/** Returns a line for each symbolic link that leads to the files, because a report shows real paths. */
export function leadLines({ root, places }: Pick<Found, "root" | "places">): readonly string[] {
  const dist = linkedDist(root);
  return [
    ...places.filter(isLinkedFolder).map((place) => `  ${place} is a link to it`),
    ...(dist === undefined ? [] : [`  its dist is a link: the files are those in ${dist}`]),
  ];
}

/** Returns whether a place is a linked folder, as pnpm and `npm link` create them. */
function isLinkedFolder(place: string): boolean {
  return (
    lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
    statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
  );
}

/** Returns one line for each thing that the patch points in place prevent. `explain` names the points. */
export function pointLines({ points }: Pick<Report, "points">): readonly string[] {
  const there = Object.entries(points).filter(([, copies]) => copies > 0);
  const prevented = new Set(there.map(([point]) => PATCH_POINTS.find(({ id }) => id === point)?.prevents ?? point));
  return prevented.size === 0 ? [] : ["  prevented now:", ...[...prevented].map((words) => `    ${words}`)];
}

/** Returns a warning if the files are in pnpm's global virtual store, which projects share. */
export function sharedWarnings({ root, shared }: Found): readonly string[] {
  if (!shared) return [];
  return [`${root} is in pnpm's global virtual store: the change affects every project that uses the same OpenClaw`];
}
