/** What the commands on the tree of a session share: the session with what is known beside its rows, and how a place of it is shown. */
import { findSummary } from "../store/index.ts";
import { timeOf } from "../base/time.ts";
import { printable, visible } from "../doctor/printable.ts";
import { textOfNode, type HistoryNode, type TimelineNode } from "../timetravel/index.ts";
import { withStoredTimeline, type IndexUse, type StoredTimeline } from "../timetravel/stored.ts";
import { withCatalog } from "./catalog.ts";
import { runAsync, type OutputOptions, type Outcome } from "./run.ts";

/** The options that all of them have. */
export interface TimelineOptions extends OutputOptions {
  readonly agent?: string;
  readonly content?: boolean;
}

/** Runs a command on one session; what could not be read beside its rows is a warning. */
export async function withTimeline(which: string, options: TimelineOptions, use: IndexUse, work: (timeline: StoredTimeline) => Outcome): Promise<void> {
  await runAsync(options, () => withCatalog((catalog, directory) => withStoredTimeline(catalog, findSummary(catalog, which, options.agent), directory, use, (timeline) => {
    const outcome = work(timeline);
    return { ...outcome, lines: outcome.lines.map(visible), warnings: [...(outcome.warnings ?? []), ...timeline.problems] };
  })));
}

/** What a place is besides what was said there, by its node. */
export interface Marks {
  readonly refs: readonly string[];
  readonly checkpoints: readonly string[];
  /** Moves that left from here. */
  readonly departures: readonly { readonly by: string; readonly to: string | null; readonly carryoverId: string | null }[];
  /** The move that arrived with this entry. */
  readonly arrivals: readonly { readonly by: string; readonly from: string | null; readonly to: string | null }[];
}

/** The marks of all places that have any; checkpoints with the youngest first. */
export function marksOf({ history, references, checkpoints, actions }: StoredTimeline): ReadonlyMap<string, Marks> {
  const marks = new Map<string, { -readonly [Kind in keyof Marks]: Marks[Kind][number][] }>();
  const at = (id: string | null | undefined): { -readonly [Kind in keyof Marks]: Marks[Kind][number][] } | undefined => {
    const node = id === null || id === undefined ? undefined : history.node(id);
    if (!node) return undefined;
    if (!marks.has(node.id)) marks.set(node.id, { refs: [], checkpoints: [], departures: [], arrivals: [] });
    return marks.get(node.id);
  };
  for (const { name, nodeId } of references) at(nodeId)?.refs.push(name);
  for (const { id, leafEntryId } of checkpoints.toReversed()) at(leafEntryId)?.checkpoints.push(id);
  for (const { kind, from, to, carryoverId, by } of actions) {
    if (kind !== "INCARNATE") continue;
    at(from)?.departures.push({ by, to, carryoverId });
    at(carryoverId)?.arrivals.push({ by, from, to });
  }
  return marks;
}

/** Marks for a line, each in brackets. Of several checkpoints the youngest stands for all: they are the same place. */
export function markWords({ refs, checkpoints, departures, arrivals }: Marks): string[] {
  const [checkpoint, ...more] = checkpoints;
  return [
    ...arrivals.map(({ by, from }) => `[the ${by} arrived here${from === null ? "" : ` from ${from}`}]`),
    ...departures.map(({ by, carryoverId }) => `[the ${by} left from here for ${carryoverId}]`),
    ...refs.map((name) => `[ref:${name}]`),
    ...(checkpoint === undefined ? [] : [`[checkpoint:${checkpoint}${more.length > 0 ? ` and ${more.length} older` : ""}]`]),
  ];
}

/** A place on one line. */
export function lineOf({ id, role, time, turns_back, first_words }: TimelineNode, { content }: TimelineOptions, rest: readonly string[] = []): string {
  const turn = turns_back === null ? "" : turns_back === 0 ? "this turn" : `${turns_back} ${turns_back === 1 ? "turn" : "turns"} back`;
  const words = content === true ? printable(first_words, 100) : "";
  return [id, role.padEnd(10), time === null ? "" : timeOf(Date.parse(time)), turn, words, ...rest].filter((part) => part !== "").join("  ");
}

/** {@link lineOf} for a node of a history. */
export function nodeLine(node: HistoryNode, options: TimelineOptions, rest: readonly string[] = []): string {
  const { timestamp } = node.entry;
  return lineOf({ id: node.id, role: node.role, time: typeof timestamp === "string" ? timestamp : null, turns_back: null, first_words: textOfNode(node) }, options, rest);
}
