import { changeBy, type ProjectionChange, type Allowance } from "./change.ts";
import type {
  ActiveRow,
  AppendedRow,
  ProjectionFunctions,
  ProjectionSource,
  ProjectionState,
} from "../openclaw/projection.ts";
import { logFailure } from "../base/log.ts";
import { isEnabled } from "../base/switch.ts";

/**
 * How much of a session's tree one batch of appends may read. That takes about as long as OpenClaw's own rebuild of
 * 4,000 rows, the most that OpenClaw rebuilds at once.
 */
const MAX_ROWS = 50_000;
const MAX_CHARACTERS = 32 * 1024 * 1024;
/**
 * How many rows one transaction may remove from the path. Removing 4,000 takes some 40 ms, where OpenClaw's job after
 * the commit would take a second.
 */
const MAX_REMOVED = 20_000;
/** How much one transaction may add to the path: OpenClaw's own limits for a rebuild at once. */
const MAX_CHANGED = 4_000;
const MAX_CHANGED_CHARACTERS = 4 * 1024 * 1024;

const allowances = new WeakMap<object, Allowance>();
let hasFailed = false;

/**
 * Updates a session's projection after a row was appended out of order (a branch, a leaf control, a side append), where
 * OpenClaw 2026.9.6 only marks the projection as outdated and updates it in a job after the commit: when the process is
 * killed in between, turns of the session fail. The update is made in the transaction of the append, so that a later
 * error rolls back both, and equals a full rebuild. Returns the new state; `otherwise` when OpenClaw has to proceed in
 * its own way, because the session is too long, or the guard is off or has failed. Never throws.
 */
export function indexOutOfOrder(
  otherwise: undefined,
  row: AppendedRow,
  openclaw: ProjectionFunctions,
): ProjectionState | undefined {
  if (!isEnabled()) return otherwise;
  try {
    const { db, sessionId } = row;
    if (!changed(row, openclaw) && !rebuilt(row, openclaw)) return otherwise;
    const state = openclaw.readSessionTranscriptProjectionState(db, sessionId);
    return state?.needsRebuild === false && state.indexedSeq === row.seq ? state : otherwise;
  } catch (error) {
    if (!hasFailed) logFailure("session projection", error, "OpenClaw updates it by itself");
    hasFailed = true;
    return otherwise;
  }
}

/** Writes only what the row changes. Returns false, with nothing written, when that is unknown or too much. */
function changed(row: AppendedRow, openclaw: ProjectionFunctions): boolean {
  const { db, sessionId, seq, watermark } = row;
  const source = watermark.indexedSeq === seq - 1 ? openclaw.readProjectionSource(db, sessionId) : undefined;
  const change = source && changeBy(row, source, openclaw, batchAllowance(row.batch));
  if (source === undefined || change === undefined) return false;
  const removed = messagesBehind(row, change.retained);
  const messages = messagesBefore(row, change.retained);
  const added = activeRows(change, messages, source, openclaw);
  if (removed === undefined || added === undefined) return false;
  const activeMessageCount = messages + added.filter(({ messagePosition }) => messagePosition !== null).length;
  openclaw.replaceSessionTranscriptIndexSuffixInTransaction(db, sessionId, {
    retainedActiveCount: change.retained,
    removedMessageIds: removed,
    next: { activeRows: added, activeMessageCount, indexedSeq: seq, leafEventId: change.leafEventId },
  });
  return true;
}

/** Runs OpenClaw's own rebuild, once per batch, where OpenClaw would rebuild at once. Returns whether it succeeded. */
function rebuilt({ db, sessionId, batch }: AppendedRow, openclaw: ProjectionFunctions): boolean {
  const allowance = batchAllowance(batch);
  if (allowance.rebuilds === 0 || !openclaw.shouldRebuildSessionTranscriptIndexSynchronously(db, sessionId))
    return false;
  allowance.rebuilds--;
  return openclaw.reconcileSessionTranscriptIndexInTransaction(db, sessionId);
}

/** Returns the ids of the messages that leave the path; undefined where one has no id, or there are too many. */
function messagesBehind({ db, sessionId }: AppendedRow, retained: number): string[] | undefined {
  const rows = db
    .prepare(
      `SELECT a.message_position, i.event_id FROM session_transcript_active_events a
       LEFT JOIN transcript_event_identities i ON i.session_id = a.session_id AND i.seq = a.event_seq
       WHERE a.session_id = ? AND a.active_position >= ? LIMIT ?`,
    )
    .all(sessionId, retained, MAX_REMOVED + 1) as { message_position: number | null; event_id: string | null }[];
  if (rows.length > MAX_REMOVED) return undefined;
  const ids = rows.filter(({ message_position: position }) => position !== null).map(({ event_id: id }) => id);
  return ids.every((id) => id !== null) ? ids : undefined;
}

function messagesBefore({ db, sessionId }: AppendedRow, retained: number): number {
  const last = db
    .prepare(
      "SELECT message_position FROM session_transcript_active_events WHERE session_id = ? AND active_position < " +
        "? AND message_position IS NOT NULL ORDER BY active_position DESC LIMIT 1",
    )
    .get(sessionId, retained);
  return last === undefined ? 0 : Number(last["message_position"]) + 1;
}

/**
 * Returns the rows to add to the path; undefined where OpenClaw would not put one of them there, or they are too many.
 */
function activeRows(
  { retained, added }: ProjectionChange,
  messages: number,
  source: ProjectionSource,
  openclaw: ProjectionFunctions,
): ActiveRow[] | undefined {
  if (added.length > MAX_CHANGED) return undefined;
  const rows: ActiveRow[] = [];
  let characters = 0;
  let messagePosition = messages;
  for (const eventSeq of added) {
    const row = source.row(eventSeq);
    characters += row?.event_json.length ?? 0;
    if (row === undefined || characters > MAX_CHANGED_CHARACTERS) return undefined;
    const event: unknown = JSON.parse(row.event_json);
    if (!openclaw.shouldProjectActiveEvent(event)) return undefined;
    rows.push({
      activePosition: retained + rows.length,
      contextEligible: openclaw.transcriptEventContextEligibility(event),
      eventSeq,
      messagePosition: openclaw.hasTranscriptMessage(event) ? messagePosition++ : null,
      ftsEntry: openclaw.extractTranscriptIndexEntry(event, row.created_at),
    });
  }
  return rows;
}

function batchAllowance(batch: object): Allowance {
  const allowance = allowances.get(batch) ?? { rows: MAX_ROWS, characters: MAX_CHARACTERS, rebuilds: 1 };
  allowances.set(batch, allowance);
  return allowance;
}
