/**
 * What differs between two releases around the patch points, for the person who has to judge whether the points still
 * mean the same.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readChunks } from "../../src/patching/locate/survey.ts";
import type { ExplainedPoint, Explanation } from "../../src/patching/explain.ts";

/** An unpacked release and what was found in it. */
export interface Side {
  readonly root: string;
  readonly explanation: Explanation;
}

/** Functions around which faults were found before; a new caller or a vanished one is worth a look. */
const WATCHED = [
  "assertCurrentSessionTranscriptHeader",
  "sanitizeSessionHistory",
  "limitHistoryTurns",
  "repairSessionFileIfNeeded",
  "setLoadedSessionTarget",
  "streamFn",
];
/** Lines above and below a patch point that are compared. */
const SURROUNDINGS = 12;

/** One line for each difference; a line that says so when there is none. */
export function differences(old: Side, now: Side): readonly string[] {
  const points = now.explanation.points.flatMap((point) => pointDifferences(old, now, point));
  const [before, after] = [callsIn(old.root), callsIn(now.root)];
  const calls = WATCHED.flatMap((name) =>
    before[name] === after[name]
      ? []
      : [
          `${name} is written ${after[name]} times in the chunks that matter, ${before[name]} times before: is there a new way in?`,
        ],
  );
  const all = [...points, ...calls];
  return all.length > 0 ? all : ["nothing: the code around every patch point is the same"];
}

function pointDifferences(old: Side, now: Side, point: ExplainedPoint): readonly string[] {
  const former = old.explanation.points.find(({ id }) => id === point.id);
  if (former === undefined) return [`${point.id} is new`];
  if (former.found !== point.found) return [`${point.id}: ${point.found} copies, ${former.found} before`];
  const known = new Set(former.places.map((place) => surroundings(old.root, place)));
  return point.places.flatMap((place) =>
    known.has(surroundings(now.root, place))
      ? []
      : [
          `${point.id}: the code around ${place.file}:${place.line} is not what it was; does the line still stand in the right place?`,
        ],
  );
}

function surroundings(root: string, { file, line }: ExplainedPoint["places"][number]): string {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  // A bundler's $1 and what it calls an imported module are not the author's.
  return lines
    .slice(Math.max(0, line - 1 - SURROUNDINGS), line + SURROUNDINGS)
    .join("\n")
    .replaceAll(/\$\d+/g, "");
}

function callsIn(root: string): Readonly<Record<string, number>> {
  const texts = readChunks(root).map(({ original }) => original);
  return Object.fromEntries(
    WATCHED.map((name) => [
      name,
      texts.reduce((sum, text) => sum + text.split(new RegExp(String.raw`\b${name}\b`)).length - 1, 0),
    ]),
  );
}
