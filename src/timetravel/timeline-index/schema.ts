import type { Schema } from "../../journal/index.ts";

/**
 * Schema of the timeline index (application id "octl"). `nodes` and `actions` are derived from rows and can be dropped
 * at any time; `refs` are given by users and cannot be rebuilt. A file of its own, so that a newer schema of it does
 * not lock the guard out of its journal.
 */
export const INDEX_SCHEMA: Schema = {
  name: "timeline index",
  applicationId: 0x6f63746c,
  tables: `
  CREATE TABLE nodes (
    session_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    parent_hash TEXT,
    row_hash TEXT NOT NULL,
    PRIMARY KEY (session_id, event_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX nodes_by_hash ON nodes (hash);
  CREATE TABLE actions (
    session_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('DEPARTURE', 'INCARNATE', 'ABORTED')),
    intent_id TEXT NOT NULL,
    from_id TEXT,
    to_id TEXT,
    carryover_id TEXT,
    moved_by TEXT NOT NULL CHECK (moved_by IN ('agent', 'operator')),
    time TEXT,
    reason TEXT,
    PRIMARY KEY (session_id, sequence)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE refs (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    session_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
  ) STRICT, WITHOUT ROWID;
  `,
};

/** A row of `nodes`. Its hash is valid only while its inputs are unchanged: see `KeptHashes`. */
export interface NodeRow {
  readonly session_id: string;
  readonly event_id: string;
  readonly hash: string;
  /** Hash of the parent node when this hash was made. */
  readonly parent_hash: string | null;
  /** Hash of the node's own content. */
  readonly row_hash: string;
}

/** A row of `actions`. */
export interface ActionRow {
  readonly session_id: string;
  readonly sequence: number;
  readonly kind: "DEPARTURE" | "INCARNATE" | "ABORTED";
  readonly intent_id: string;
  readonly from_id: string | null;
  readonly to_id: string | null;
  readonly carryover_id: string | null;
  readonly moved_by: "agent" | "operator";
  readonly time: string | null;
  readonly reason: string | null;
}

/** A row of `refs`. */
export interface ReferenceRow {
  /** Key of the conversation, or id of a session without a conversation. */
  readonly scope: string;
  readonly name: string;
  readonly session_id: string;
  readonly event_id: string;
  readonly hash: string;
  readonly created_at: number;
}
