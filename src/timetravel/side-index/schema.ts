import type { Schema } from "../../journal/index.ts";

/**
 * The index beside OpenClaw's rows ("octl"). `nodes` and `actions` are made from rows and can be dropped at any time;
 * `refs` are a person's own and cannot be made again. A file of its own: a newer version of it must not shut the guard
 * out of its journal.
 */
export const INDEX_SCHEMA: Schema = {
  name: "timeline index",
  applicationId: 0x6f63746c,
  steps: [
    `
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
  ],
};

/**
 * A row of `nodes`. A hash is worth something only as long as what it was made of is the same: see {@link hashesOf}.
 */
export interface NodeRow {
  readonly session_id: string;
  readonly event_id: string;
  readonly hash: string;
  /** The hash of the node before it when it was made. */
  readonly parent_hash: string | null;
  /** Of what the node itself says. */
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
  /** The key of the conversation, or the id of a session that is no conversation's. */
  readonly scope: string;
  readonly name: string;
  readonly session_id: string;
  readonly event_id: string;
  readonly hash: string;
  readonly created_at: number;
}
