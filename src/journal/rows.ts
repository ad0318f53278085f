/**
 * The state of a tool cycle. `pending`: the model's answer with the call is complete. `executing`: the tool was
 * started. `recording`: the result is in the journal only. `committed`: the transcript holds the result. `rolled_back`:
 * the call was withdrawn before its tool ran.
 */
export type CycleState = "pending" | "executing" | "recording" | "committed" | "rolled_back";

/** The operation that a checkpoint precedes. */
export type Operation = (typeof OPERATIONS)[number];

/** {@link Operation} as a list. */
export const OPERATIONS = ["tool_cycle", "compaction", "api_call", "manual"] as const;

/** A row of `tool_cycles`. */
export interface CycleRow {
  id: number;
  session_id: string;
  call_id: string;
  tool_name: string;
  input_hash: string;
  state: CycleState;
  /** A CycleResult as JSON; null before the tool returned, and null again when the transcript holds the result. */
  result: string | null;
  checkpoint_id: string | null;
  /**
   * The call block or the assistant message with the call, as JSON, when the transcript gets it only together with the
   * result; null otherwise, and null again when the transcript holds it.
   */
  call: string | null;
  pending_at: number;
  started_at: number | null;
  finished_at: number | null;
  closed_at: number | null;
}

/** A row of `checkpoints`. */
export interface CheckpointRow {
  /** Order of creation. */
  sequence: number;
  id: string;
  session_id: string;
  created_at: number;
  operation: Operation;
  message_index: number;
  content_hash: string;
  first_entry_id: string | null;
  leaf_entry_id: string | null;
  /** Null without a snapshot; an empty text for one, which is in `snapshot_messages`. */
  snapshot: string | null;
  committed_at: number | null;
  rolled_back_at: number | null;
}

/** A row of `incidents`. */
export interface IncidentRow {
  id: number;
  at: number;
  session_id: string | null;
  kind: string;
  /** An object as JSON. */
  details: string;
}

/** A row of `unanswered_messages`. */
export interface UnansweredMessageRow {
  session_id: string;
  entry_id: string;
  parent_id: string | null;
  /** The message as JSON. */
  message: string;
  at: number;
  place: number;
}

/** What a row of `learned` is about: a route, by its name, or a session, by its id. */
export type LearnedScope = "route" | "session";

/** A row of `learned`. */
export interface LearnedRow {
  scope: LearnedScope;
  name: string;
  what: string;
  /** JSON. */
  value: string;
  learned_at: number;
}
