import { isObject } from "../../transcript/json/json.ts";
import type {
  AppendedRow,
  NavigationRow,
  ProjectionFunctions,
  ProjectionSource,
  TreeEntry,
} from "../openclaw/projection.ts";

/**
 * Effect of one row on the active path: keep the first `retained` rows, then append `added` (transcript seqs).
 */
export interface ProjectionChange {
  readonly retained: number;
  readonly added: readonly number[];
  /** The row that the next one is appended behind. */
  readonly leafEventId: string | null;
}

/**
 * What a batch of appends may still cost: rows of the tree that are read and their characters, and full rebuilds.
 */
export interface Allowance {
  rows: number;
  characters: number;
  rebuilds: number;
}

const NAVIGATION = ["type", "id", "parentId", "targetId", "appendParentId", "appendMode"];

/**
 * Returns what an out-of-order row changes in a projection that was up to date before it; equal to the result of a full
 * rebuild. A side append or a plain branch takes a few indexed look-ups, any other row a read of the whole tree.
 * Returns undefined where only a full rebuild can tell, or the allowance is used up.
 */
export function changeBy(
  row: AppendedRow,
  source: ProjectionSource,
  openclaw: ProjectionFunctions,
  allowance: Allowance,
): ProjectionChange | undefined {
  return (
    sideAppend(row, source, openclaw) ?? branchOff(row, source, openclaw) ?? inTree(row, source, openclaw, allowance)
  );
}

/** Handles a side append, which leaves the path as it is. */
function sideAppend(
  row: AppendedRow,
  source: ProjectionSource,
  openclaw: ProjectionFunctions,
): ProjectionChange | undefined {
  const entry = plainEntry(row, openclaw);
  if (entry?.appendMode !== "side" || entry.leafId !== undefined) return undefined;
  return hasPath(row, source, openclaw)
    ? { retained: row.watermark.activeEventCount, added: [], leafEventId: entry.appendParentId }
    : undefined;
}

/**
 * Handles a row whose parent is on the path, in a session without resets and leaf controls, which give rows another
 * parent than the one that they name.
 */
function branchOff(
  row: AppendedRow,
  source: ProjectionSource,
  openclaw: ProjectionFunctions,
): ProjectionChange | undefined {
  const { db, sessionId } = row;
  const entry = plainEntry(row, openclaw);
  if (
    entry === undefined ||
    entry.leafId !== entry.id ||
    entry.parentId === null ||
    hasType(row, "reset") ||
    hasType(row, "leaf")
  )
    return undefined;
  const parent = db
    .prepare(
      "SELECT i.seq, a.active_position FROM transcript_event_identities i JOIN session_transcript_active_events " +
        "a ON a.session_id = i.session_id AND a.event_seq = i.seq WHERE i.session_id = ? AND i.event_id = ?",
    )
    .get(sessionId, entry.parentId) as { seq: number; active_position: number } | undefined;
  // A side row can be the row that others are appended behind, but is not their parent in the tree.
  if (
    parent === undefined ||
    entryAt(parent.seq, source, openclaw)?.leafId !== entry.parentId ||
    !isRooted(row, source, openclaw)
  )
    return undefined;
  return { retained: parent.active_position + 1, added: [row.seq], leafEventId: entry.appendParentId };
}

/** Handles any row, by OpenClaw's own functions on the whole tree, without the rows' content. */
function inTree(
  { db, sessionId, seq }: AppendedRow,
  source: ProjectionSource,
  openclaw: ProjectionFunctions,
  allowance: Allowance,
): ProjectionChange | undefined {
  const rows: NavigationRow[] = [];
  for (const row of source.rows(true)) {
    allowance.rows--;
    allowance.characters -= row.event_json.length;
    if (allowance.rows < 0 || allowance.characters < 0) return undefined;
    rows.push(toNavigation(row.seq, JSON.parse(row.event_json) as unknown));
  }
  if (rows.at(-1)?.seq !== seq) return undefined;
  const tree = openclaw.scanSessionTranscriptTree(rows);
  const path = openclaw.selectSessionTranscriptTreePathNodes(tree, tree.leafId).map(({ entry }) => entry.seq);
  // Without a path OpenClaw takes all rows as active, unless a leaf control has made the path empty.
  if (path.length === 0 && !tree.hasLeafControl) return undefined;
  const active = db
    .prepare("SELECT event_seq FROM session_transcript_active_events WHERE session_id = ? ORDER BY active_position")
    .all(sessionId) as { event_seq: number }[];
  const differs = path.findIndex((place, at) => active[at]?.event_seq !== place);
  const retained = differs < 0 ? path.length : differs;
  return { retained, added: path.slice(retained), leafEventId: tree.appendParentId };
}

/**
 * Returns the row as a node of the tree, when it affects no other row: it is no reset, and no earlier row names it as
 * parent. Undefined otherwise.
 */
function plainEntry({ db, sessionId, event }: AppendedRow, openclaw: ProjectionFunctions): TreeEntry | undefined {
  if (!isObject(event) || event.type === "reset" || !openclaw.isCanonicalSessionTranscriptEntry(event))
    return undefined;
  const entry = openclaw.parseSessionTranscriptTreeEntry(event);
  const isAwaited =
    entry !== undefined &&
    db
      .prepare("SELECT 1 FROM transcript_event_identities WHERE session_id = ? AND parent_id = ? LIMIT 1")
      .get(sessionId, entry.id) !== undefined;
  return isAwaited ? undefined : entry;
}

/** True when the active rows are a path, false when they are all rows of a transcript without a path. */
function hasPath(row: AppendedRow, source: ProjectionSource, openclaw: ProjectionFunctions): boolean {
  // Side rows alone are a path only after a leaf control has selected them; then there are rows beside the path.
  return (
    isRooted(row, source, openclaw) ||
    (hasType(row, "leaf") && countEntries(row, openclaw) > row.watermark.activeEventCount)
  );
}

/**
 * True when the first active row has no parent and became the leaf when it was appended: a path exists since then.
 */
function isRooted(row: AppendedRow, source: ProjectionSource, openclaw: ProjectionFunctions): boolean {
  const first = row.db
    .prepare("SELECT event_seq FROM session_transcript_active_events WHERE session_id = ? AND active_position = 0")
    .get(row.sessionId);
  const entry = first && entryAt(Number(first["event_seq"]), source, openclaw);
  return entry?.parentId === null && entry.leafId === entry.id;
}

/** Counts the entries of a session; all of them are active where there is no path. */
function countEntries({ db, sessionId }: AppendedRow, openclaw: ProjectionFunctions): number {
  const counts = db
    .prepare(
      "SELECT event_type AS type, count(*) AS entries FROM transcript_event_identities WHERE session_id = ? " +
        "GROUP BY event_type",
    )
    .all(sessionId) as { type: string | null; entries: number }[];
  return counts.reduce(
    (sum, { type, entries }) => (openclaw.isCanonicalSessionTranscriptEntry({ type }) ? sum + entries : sum),
    0,
  );
}

function entryAt(seq: number, source: ProjectionSource, openclaw: ProjectionFunctions): TreeEntry | undefined {
  const row = source.row(seq);
  return row && openclaw.parseSessionTranscriptTreeEntry(JSON.parse(row.event_json));
}

function hasType({ db, sessionId }: AppendedRow, type: string): boolean {
  return (
    db
      .prepare("SELECT 1 FROM transcript_event_identities WHERE session_id = ? AND event_type = ? LIMIT 1")
      .get(sessionId, type) !== undefined
  );
}

function toNavigation(seq: number, event: unknown): NavigationRow {
  const row: Record<string, unknown> & { seq: number } = { seq };
  if (isObject(event)) for (const key of NAVIGATION) if (Object.hasOwn(event, key)) row[key] = event[key];
  return row;
}
