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
 * What one batch of appends may read of a session's tree: about as long as OpenClaw's own rebuild of the 4,000 rows
 * that it does at once.
 */
const MOST_ROWS = 50_000;
const MOST_CHARACTERS = 32 * 1024 * 1024;
/**
 * What may leave the path in one transaction: taking away 4,000 takes some 40 ms, where OpenClaw's job behind the
 * commit would take a second.
 */
const MOST_REMOVED = 20_000;
/** What may come onto it; OpenClaw's own limits for what it does at once. */
const MOST_CHANGED = 4_000;
const MOST_CHANGED_CHARACTERS = 4 * 1024 * 1024;

const allowances = new WeakMap<object, Allowance>();
let hasFailed = false;

/**
 * Stands where OpenClaw 2026.9.6 marks a session's projection as outdated because a row was appended out of order (a
 * branch, a leaf control, a row aside), and leaves it to a job behind the commit to bring it up to date: when the
 * process is killed in between, turns of the session fail. This brings it up to date in the transaction of the append,
 * to exactly what a full rebuild gives, and returns the new state; so a later error takes back both. `otherwise` comes
 * back when OpenClaw has to do it its own way: the session is too long, the guard is off or has failed. Never throws.
 * Issue 8.
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
    if (!hasFailed) logFailure("session projection", error, "OpenClaw brings it up to date by itself");
    hasFailed = true;
    return otherwise;
  }
}

/** Only what the row changes; false when that cannot be told, or is too much. Nothing is written then. */
function changed(row: AppendedRow, openclaw: ProjectionFunctions): boolean {
  const { db, sessionId, seq, watermark } = row;
  const source = watermark.indexedSeq === seq - 1 ? openclaw.readProjectionSource(db, sessionId) : undefined;
  const change = source && changeBy(row, source, openclaw, allowanceOf(row.batch));
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

/** OpenClaw's own rebuild, where it would do it at once itself; once per batch. */
function rebuilt({ db, sessionId, batch }: AppendedRow, openclaw: ProjectionFunctions): boolean {
  const allowance = allowanceOf(batch);
  if (allowance.rebuilds === 0 || !openclaw.shouldRebuildSessionTranscriptIndexSynchronously(db, sessionId))
    return false;
  allowance.rebuilds--;
  return openclaw.reconcileSessionTranscriptIndexInTransaction(db, sessionId);
}

/** The ids of the messages that leave the path; undefined where one is not known by its id, or there are too many. */
function messagesBehind({ db, sessionId }: AppendedRow, retained: number): string[] | undefined {
  const rows = db
    .prepare(
      `SELECT a.message_position, i.event_id FROM session_transcript_active_events a LEFT JOIN transcript_event_identities i ON i.session_id = a.session_id AND i.seq = a.event_seq
       WHERE a.session_id = ? AND a.active_position >= ? LIMIT ?`,
    )
    .all(sessionId, retained, MOST_REMOVED + 1) as { message_position: number | null; event_id: string | null }[];
  if (rows.length > MOST_REMOVED) return undefined;
  const ids = rows.filter(({ message_position: position }) => position !== null).map(({ event_id: id }) => id);
  return ids.every((id) => id !== null) ? ids : undefined;
}

function messagesBefore({ db, sessionId }: AppendedRow, retained: number): number {
  const last = db
    .prepare(
      "SELECT message_position FROM session_transcript_active_events WHERE session_id = ? AND active_position < ? AND message_position IS NOT NULL ORDER BY active_position DESC LIMIT 1",
    )
    .get(sessionId, retained);
  return last === undefined ? 0 : Number(last["message_position"]) + 1;
}

/**
 * The rows that come onto the path; undefined where one is none that OpenClaw would put there, or they are too much.
 */
function activeRows(
  { retained, added }: ProjectionChange,
  messages: number,
  source: ProjectionSource,
  openclaw: ProjectionFunctions,
): ActiveRow[] | undefined {
  if (added.length > MOST_CHANGED) return undefined;
  const rows: ActiveRow[] = [];
  let characters = 0;
  let messagePosition = messages;
  for (const eventSeq of added) {
    const row = source.row(eventSeq);
    characters += row?.event_json.length ?? 0;
    if (row === undefined || characters > MOST_CHANGED_CHARACTERS) return undefined;
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

function allowanceOf(batch: object): Allowance {
  const allowance = allowances.get(batch) ?? { rows: MOST_ROWS, characters: MOST_CHARACTERS, rebuilds: 1 };
  allowances.set(batch, allowance);
  return allowance;
}
