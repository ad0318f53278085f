/**
 * What the commands on the tree of a session share: reading the session with its timeline data, and formatting a place.
 */
import { findSummaryOrFile } from "../../store/index.ts";
import { formatMinute } from "../../base/time.ts";
import { fitted, printable, textWidth } from "../../doctor/printable.ts";
import type { TimelineNode } from "../../timetravel/index.ts";
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

/** The width of a line where there is no terminal. */
export const COLUMNS = 100;

/** Characters of an id that are looked at, and of first words that leave room for the marks. */
const [ID_LENGTH, WORDS_SHOWN] = [300, 30];

/** The columns of a place, as {@link formatCells} fills them. */
export function placeColumns({ content }: TimelineOptions): string[] {
  return ["id", "role", "time", "turn", ...(content === true ? ["first words"] : [])];
}

/** Formats a place as the cells of one row. */
export function formatCells(
  { id, role, time, turns_back, first_words }: TimelineNode,
  { content }: TimelineOptions,
): string[] {
  const turn =
    turns_back === null
      ? ""
      : turns_back === 0
        ? "this turn"
        : `${turns_back} ${turns_back === 1 ? "turn" : "turns"} back`;
  return [
    printable(id, ID_LENGTH),
    role,
    formatMinute(time),
    turn,
    ...(content === true ? [printable(first_words, WORDS_SHOWN)] : []),
  ];
}

/** Aligns rows under a heading. A column in which no row has anything is left out. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const columns = head
    .map((name, at) => ({ name, at, width: Math.max(0, ...rows.map((row) => textWidth(row[at] ?? ""))) }))
    .filter(({ width }) => width > 0);
  return [head, ...rows].map((row) =>
    columns
      .map(({ name, at, width }) => fitted(row[at] ?? "", Math.max(width, textWidth(name))))
      .join("  ")
      .trimEnd(),
  );
}
