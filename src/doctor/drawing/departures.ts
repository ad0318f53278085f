import type { Checkpoint } from "../../journal/index.ts";
import { examinationOf } from "../../health/index.ts";
import { contextPath, messagesIn } from "../../store/sessions/context-path.ts";
import { isObject, wordOf, type JsonObject } from "../../transcript/json/json.ts";
import { collapse } from "./collapse.ts";
import { faultCount } from "./contents.ts";
import { drawPath } from "./draw-path.ts";
import type { Departure, DrawnEntry, DrawnMove } from "./drawing.ts";
import { noteIn } from "./notes.ts";
import { momentOf } from "../../base/time.ts";
import type { EntryTree } from "../../store/sessions/entry-tree.ts";

/** Departures of departures, so deep. */
const DEEPEST = 3;
/** Lines of a path that was left. */
const ITEMS = 40;
/** How many entries behind a fork are looked at to tell why it was taken. */
const TELLING = 4;

/** What departures are drawn with. */
export interface Forks {
  readonly tree: EntryTree;
  readonly checkpoints: ReadonlyMap<string | null, readonly Checkpoint[]>;
  /** Moves by the entry that they left from. */
  readonly moves: ReadonlyMap<string, readonly DrawnMove[]>;
  readonly withWords: boolean;
  /** How many may still be drawn; counted down. */
  left: number;
  /** How many there are, counted up. */
  found: number;
}

/**
 * The line with everything that hangs on it: checkpoints, and the paths that leave it, themselves drawn likewise. Issue
 * 6, item 4.
 */
export function withForks(
  drawn: readonly DrawnEntry[],
  line: readonly JsonObject[],
  forks: Forks,
  depth = 0,
): DrawnEntry[] {
  return drawn.map((entry, at) => ({
    ...entry,
    checkpoints: forks.checkpoints.get(entry.id) ?? [],
    moves: forks.moves.get(entry.id) ?? [],
    departures: departuresAt(entry.id, line.slice(at + 1, at + 1 + TELLING), forks, depth),
  }));
}

/** The paths that leave behind an entry, or before the first one; `taken` is how the line goes on. */
export function departuresAt(id: string | null, taken: readonly JsonObject[], forks: Forks, depth = 0): Departure[] {
  const siblings = forks.tree.behind(id);
  return siblings.flatMap((first, at) => {
    if (first === taken[0]) return [];
    forks.found++;
    if (forks.left <= 0 || depth >= DEEPEST) return [];
    forks.left--;
    // It was left for what was written next there, which may itself have been left since.
    const next = siblings[at + 1];
    return [
      departure(
        first,
        next === undefined || next === taken[0] ? taken : forks.tree.lineFrom(next).slice(0, TELLING),
        forks,
        depth,
      ),
    ];
  });
}

function departure(first: JsonObject, taken: readonly JsonObject[], forks: Forks, depth: number): Departure {
  const line = forks.tree.lineFrom(first);
  const tip = line.at(-1)!;
  const entries = forks.tree.pathTo(tip.id as string);
  const messages = messagesIn(
    contextPath(entries as readonly (JsonObject & { id: string; type: string })[], (entry) => entry),
  )
    .map(({ message }) => message)
    .filter(isObject);
  const examination = examinationOf(
    { rows: [], unreadable: 0, torn: 0 },
    { rows: [], path: entries, messages, entries: [] },
  );
  const own = drawPath({ entries, messages, examination, rowFaults: new Map(), withWords: forks.withWords }).slice(
    -line.length,
  );
  const drawn = withForks(own, line, forks, depth + 1);
  return {
    tipId: wordOf(tip.id),
    ...(causeByMove(line, forks) ?? causeOf(line, taken)),
    messages: line.filter(({ type }) => type === "message").length,
    entries: line.length,
    at: line.map(({ timestamp }) => momentOf(timestamp)).findLast((at) => at !== undefined),
    faults: own.reduce((sum, entry) => sum + faultCount(entry), 0),
    items: collapse(drawn, ITEMS),
  };
}

/**
 * A move that goes sideways leaves a path at another place than it arrives at: what it says itself tells, not what lies
 * beside it.
 */
function causeByMove(left: readonly JsonObject[], { moves }: Forks): Pick<Departure, "cause" | "move"> | undefined {
  const move = left.flatMap(({ id }) => moves.get(wordOf(id)) ?? []).at(-1);
  return move && { cause: "move", move };
}

/** Why the conversation went another way. A repair says again what was said, with its times. */
function causeOf(left: readonly JsonObject[], taken: readonly JsonObject[]): Pick<Departure, "cause" | "checkpointId"> {
  const [next] = taken;
  if (next === undefined) return { cause: "elsewhere" };
  const note = noteIn(next);
  if (note?.kind === "rollback")
    return { cause: "rollback", ...(note.checkpointId !== undefined && { checkpointId: note.checkpointId }) };
  if (note?.kind === "repair") return { cause: "repair" };
  if (next.type === "branch_summary") return { cause: "summary" };
  const times = new Set(left.map(timeOf));
  return {
    cause: taken.some((entry) => entry.type === "message" && times.has(timeOf(entry))) ? "repair" : "elsewhere",
  };
}

/** A message keeps its time when it is said again. */
function timeOf({ message, timestamp }: JsonObject): unknown {
  return (isObject(message) ? message.timestamp : undefined) ?? timestamp;
}
