import { groupBy } from "../../base/group-by.ts";
import { toConversation, examineLoaded } from "../../health/index.ts";
import type { Checkpoint } from "../../journal/index.ts";
import type { SessionSummary, StoredRows } from "../../store/index.ts";
import { collapse } from "./collapse.ts";
import { departuresAt, faultsByMessage, withForks, type Forks } from "./departures.ts";
import { drawPath } from "./draw-path.ts";
import type { Drawing, DrawnMove } from "./drawing.ts";
import { rowFaultsIn } from "./row-faults.ts";
import { noteIn } from "./notes.ts";
import { buildActionLog } from "../../timetravel/index.ts";
import { isObject } from "../../transcript/json/json.ts";
import { buildTree } from "../../store/sessions/entry-tree.ts";

/** Maximum number of departures drawn of one session. */
const MAX_DEPARTURES = 20;

/** Options of a drawing. */
export interface DrawOptions {
  readonly checkpoints: readonly Checkpoint[];
  /** Include the first words of the messages. */
  readonly withWords: boolean;
  /** Maximum number of items of the conversation. */
  readonly limit: number;
}

/**
 * Draws a stored session: the present path with its faults, the paths that were left, and the checkpoints. Without
 * `withWords` the drawing contains no text of messages. Never throws, whatever the rows contain.
 */
export function drawSession(
  stored: StoredRows,
  session: SessionSummary,
  { checkpoints, withWords, limit }: DrawOptions,
): Drawing {
  const conversation = toConversation(stored, session);
  const examination = examineLoaded(stored, conversation);
  const { rows, path, messages, entries: found } = conversation;
  const tree = buildTree(rows);
  const byEntry = groupBy(checkpoints, ({ leafEntryId }) => leafEntryId);
  const forks: Forks = { tree, checkpoints: byEntry, moves: movesIn(rows), withWords, left: MAX_DEPARTURES, found: 0 };
  const drawn = drawPath({
    entries: path,
    messages,
    examination,
    rowFaults: rowFaultsIn(stored.rows, rows, found),
    withWords,
  });
  const faults = faultsByMessage(messages, examination.violations);
  const before = departuresAt(null, path.slice(0, 4), forks, faults);
  const line = withForks(drawn, path, forks, faults).map((entry, at) => ({ ...entry, isLeaf: at === path.length - 1 }));
  return {
    examination,
    line: collapse(line, limit),
    before,
    departures: forks.found,
    departuresDrawn: MAX_DEPARTURES - forks.left,
    lost: checkpoints.filter(({ leafEntryId }) => leafEntryId !== null && !tree.has(leafEntryId)),
    first: byEntry.get(null) ?? [],
    notes: rows.filter(isObject).flatMap((row) => noteIn(row) ?? []),
  };
}

function movesIn(rows: readonly unknown[]): ReadonlyMap<string, readonly DrawnMove[]> {
  const made = buildActionLog(rows).flatMap(({ kind, from, carryoverId, by }) =>
    kind === "INCARNATE" && from !== null && carryoverId !== null
      ? [{ from, move: { by, arrivalId: carryoverId } }]
      : [],
  );
  return new Map([...groupBy(made, ({ from }) => from)].map(([from, moves]) => [from, moves.map(({ move }) => move)]));
}
