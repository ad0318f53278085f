/**
 * What the commands on the tree of a session share: reading the session with its timeline data, and formatting a place.
 */
import { findSummaryOrFile } from "../../store/index.ts";
import { isoOf, timeOf } from "../../base/time.ts";
import { printable } from "../../doctor/printable.ts";
import { textOfNode, type HistoryNode, type TimelineNode } from "../../timetravel/index.ts";
import { withStoredTimeline, type IndexUse, type StoredTimeline } from "../../timetravel/stored.ts";
import { withCatalog } from "../sessions/catalog.ts";
import { runAsync, type OutputOptions, type Outcome } from "../run.ts";

/** The options of all these commands. */
export interface TimelineOptions extends OutputOptions {
  readonly agent?: string;
  readonly content?: boolean;
}

/** Runs a command on one session. What could not be read besides its rows is a warning. */
export async function withTimeline(
  which: string,
  options: TimelineOptions,
  use: IndexUse,
  work: (timeline: StoredTimeline) => Outcome,
): Promise<void> {
  await runAsync(options, () =>
    withCatalog(
      (catalog, directory) =>
        withStoredTimeline(catalog, findSummaryOrFile(catalog, which, options.agent), directory, use, (timeline) => {
          const outcome = work(timeline);
          return { ...outcome, warnings: [...(outcome.warnings ?? []), ...timeline.problems] };
        }),
      options.agent,
    ),
  );
}

/** Formats a place on one line. */
export function lineOf(
  { id, role, time, turns_back, first_words }: TimelineNode,
  { content }: TimelineOptions,
  rest: readonly string[] = [],
): string {
  const turn =
    turns_back === null
      ? ""
      : turns_back === 0
        ? "this turn"
        : `${turns_back} ${turns_back === 1 ? "turn" : "turns"} back`;
  const words = content === true ? printable(first_words, 100) : "";
  return [id, role.padEnd(10), timeOf(time), turn, words, ...rest].filter((part) => part !== "").join("  ");
}

/** {@link lineOf} for a node of a history. */
export function nodeLine(node: HistoryNode, options: TimelineOptions, rest: readonly string[] = []): string {
  const { timestamp } = node.entry;
  return lineOf(
    { id: node.id, role: node.role, time: isoOf(timestamp) ?? null, turns_back: null, first_words: textOfNode(node) },
    options,
    rest,
  );
}
