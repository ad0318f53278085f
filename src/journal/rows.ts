/**
 * Where a tool cycle stands. `pending`: the model's answer with the call is complete. `executing`: it began to be
 * carried out. `recording`: its result is known, and stored nowhere else yet. `committed`: the transcript holds the
 * result. `rolled_back`: it was taken back before anything ran.
 */
export type CycleState = "pending" | "executing" | "recording" | "committed" | "rolled_back";

/** What a checkpoint precedes. */
export type Operation = "tool_cycle" | "compaction" | "api_call" | "manual";

/** A row of `tool_cycles`. */
export interface CycleRow {
  id: number;
  session_id: string;
  call_id: string;
  tool_name: string;
  input_hash: string;
  state: CycleState;
  /** A CycleResult as JSON; null before the tool returned, and again once the transcript holds it. */
  result: string | null;
  checkpoint_id: string | null;
  /**
   * What made the call, as JSON, where the transcript gets it together with the result; null otherwise, and again once
   * it has.
   */
  call: string | null;
  pending_at: number;
  started_at: number | null;
  finished_at: number | null;
  closed_at: number | null;
}

/** A row of `checkpoints`. */
export interface CheckpointRow {
  /** The order in which they were made. */
  sequence: number;
  id: string;
  session_id: string;
  created_at: number;
  operation: Operation;
  message_index: number;
  content_hash: string;
  first_entry_id: string | null;
  leaf_entry_id: string | null;
  /** The messages as JSON, where the configuration asks for them. */
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
}

/**
 * The tables of the journal as they lie in the file, for kysely; schema.ts makes them. Times are milliseconds since
 * 1970.
 */
export interface JournalTables {
  tool_cycles: CycleRow;
  checkpoints: CheckpointRow;
  incidents: IncidentRow;
  unanswered_messages: UnansweredMessageRow;
}
