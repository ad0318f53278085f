import type { Generated } from "kysely";
import type { Operation } from "./checkpoints.ts";
import type { CycleState } from "./tool-cycles.ts";

/** The tables of the journal as they lie in the file, for kysely; schema.ts makes them. Times are milliseconds since 1970. */
export interface JournalTables {
  tool_cycles: {
    id: Generated<number>;
    session_id: string;
    call_id: string;
    tool_name: string;
    input_hash: string;
    state: CycleState;
    /** A CycleResult as JSON; null before the tool returned, and again once the transcript holds it. */
    result: string | null;
    checkpoint_id: string | null;
    /** What made the call, as JSON, where the transcript gets it together with the result; null otherwise, and again once it has. */
    call: string | null;
    pending_at: number;
    started_at: number | null;
    finished_at: number | null;
    closed_at: number | null;
  };
  checkpoints: {
    /** The order in which they were made. */
    sequence: Generated<number>;
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
  };
  incidents: {
    id: Generated<number>;
    at: number;
    session_id: string | null;
    kind: string;
    /** An object as JSON. */
    details: string;
  };
}
