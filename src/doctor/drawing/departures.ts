import type { Checkpoint } from "../../journal/index.ts";
import { examineLoaded } from "../../health/index.ts";
import { contextPath, messagesIn } from "../../store/sessions/context-path.ts";
import type { Violation } from "../../transcript/violations.ts";
import { isObject, toWord, type JsonObject } from "../../transcript/json/json.ts";
import { collapse } from "./collapse.ts";
import { drawPath } from "./draw-path.ts";
import type { Departure, DrawnEntry, DrawnMove } from "./drawing.ts";
import { noteIn } from "./notes.ts";
import { toMoment } from "../../base/time.ts";
import type { EntryTree } from "../../store/sessions/entry-tree.ts";

/** Nesting depth up to which departures within departures are drawn. */
const MAX_DEPTH = 3;
/** Items that are drawn of each path that was left. */
const MAX_ITEMS = 40;
/** Number of entries behind a fork that are examined for the cause of the departure. */
const EXAMINED = 4;

/** The input and the counters that all departures of a session share. */
export interface Forks {
  readonly tree: EntryTree;
  readonly checkpoints: ReadonlyMap<string | null, readonly Checkpoint[]>;
  /** Moves by the entry that they left. */
  readonly moves: ReadonlyMap<string, readonly DrawnMove[]>;
  readonly withWords: boolean;
  /** Number of departures that may still be drawn; counted down. */
  left: number;
  /** Number of departures found so far. */
  found: number;
}

/** The faults of the messages of a path, each as its kind and place in the message. */
type FaultsOf = ReadonlyMap<unknown, ReadonlySet<string>>;

/** Returns the faults of a path by its messages: paths share the messages before their fork. */
export function faultsByMessage(messages: readonly unknown[], violations: readonly Violation[]): FaultsOf {
  const faults = new Map<unknown, Set<string>>();
  for (const violation of violations) {
    const message = messages[violation.messageIndex];
    const known = faults.get(message) ?? new Set();
    faults.set(message, known.add(describePlace(violation)));
  }
  return faults;
}

function describePlace({ kind, blockIndex, id }: Violation): string {
  return `${kind} ${blockIndex} ${id}`;
}

/** Adds to each entry of a line its checkpoints, its moves and its departures, which are drawn in the same way. */
export function withForks(
  drawn: readonly DrawnEntry[],
  line: readonly JsonObject[],
  forks: Forks,
  faults: FaultsOf,
  depth = 0,
): DrawnEntry[] {
  return drawn.map((entry, at) => ({
    ...entry,
    checkpoints: forks.checkpoints.get(entry.id) ?? [],
    moves: forks.moves.get(entry.id) ?? [],
    departures: departuresAt(entry.id, line.slice(at + 1, at + 1 + EXAMINED), forks, faults, depth),
  }));
}

/**
 * Returns the paths that leave after the entry `id`, or before the first entry when `id` is null. `taken` holds the
 * next entries of the line itself, `faults` its faults.
 */
export function departuresAt(
  id: string | null,
  taken: readonly JsonObject[],
  forks: Forks,
  faults: FaultsOf,
  depth = 0,
): Departure[] {
  const siblings = forks.tree.behind(id);
  return siblings.flatMap((first, at) => {
    if (first === taken[0]) return [];
    forks.found++;
    if (forks.left <= 0 || depth >= MAX_DEPTH) return [];
    forks.left--;
    // The path was left for the sibling that was written next, which may itself have been left since.
    const next = siblings[at + 1];
    return [
      departure(
        first,
        next === undefined || next === taken[0] ? taken : forks.tree.lineFrom(next).slice(0, EXAMINED),
        forks,
        faults,
        depth,
      ),
    ];
  });
}

function departure(
  first: JsonObject,
  taken: readonly JsonObject[],
  forks: Forks,
  faultsOfLine: FaultsOf,
  depth: number,
): Departure {
  const line = forks.tree.lineFrom(first);
  const tip = line.at(-1)!;
  const entries = forks.tree.pathTo(tip.id as string);
  const messages = messagesIn(
    contextPath(entries as readonly (JsonObject & { id: string; type: string })[], (entry) => entry),
  )
    .map(({ message }) => message)
    .filter(isObject);
  const examination = examineLoaded({ rows: [], unreadable: 0, torn: 0 }, { messages, entries: [], isFile: false });
  const ownRows = drawPath({ entries, messages, examination, rowFaults: new Map(), withWords: forks.withWords }).slice(
    -line.length,
  );
  const drawn = withForks(ownRows, line, forks, faultsByMessage(messages, examination.violations), depth + 1);
  return {
    tipId: toWord(tip.id),
    ...(causeByMove(line, forks) ?? whyLeft(line, taken)),
    messages: line.filter(({ type }) => type === "message").length,
    entries: line.length,
    at: line.map(({ timestamp }) => toMoment(timestamp)).findLast((at) => at !== undefined),
    // Also those of a call before the fork whose result the other path has got.
    faults: examination.violations.filter(
      (violation) => faultsOfLine.get(messages[violation.messageIndex])?.has(describePlace(violation)) !== true,
    ).length,
    items: collapse(drawn, MAX_ITEMS),
  };
}

/**
 * Returns the last move that left this path. A move to another branch arrives elsewhere, so the entries beside the fork
 * do not show the cause.
 */
function causeByMove(left: readonly JsonObject[], { moves }: Forks): Pick<Departure, "cause" | "move"> | undefined {
  const move = left.flatMap(({ id }) => moves.get(toWord(id)) ?? []).at(-1);
  return move && { cause: "move", move };
}

/**
 * Returns why the conversation left a path. A repair copies messages with their times, so equal times mean a repair.
 */
function whyLeft(left: readonly JsonObject[], taken: readonly JsonObject[]): Pick<Departure, "cause" | "checkpointId"> {
  const [next] = taken;
  if (next === undefined) return { cause: "elsewhere" };
  const note = noteIn(next);
  if (note?.kind === "rollback")
    return { cause: "rollback", ...(note.checkpointId !== undefined && { checkpointId: note.checkpointId }) };
  if (note?.kind === "repair") return { cause: "repair" };
  if (next.type === "branch_summary") return { cause: "summary" };
  const times = new Set(left.map(messageTime));
  return {
    cause: taken.some((entry) => entry.type === "message" && times.has(messageTime(entry))) ? "repair" : "elsewhere",
  };
}

/** Returns the time of a message, which its copies keep. */
function messageTime({ message, timestamp }: JsonObject): unknown {
  return (isObject(message) ? message.timestamp : undefined) ?? timestamp;
}
