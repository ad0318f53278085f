/**
 * What the kernel needs of a database: a few reads and one atomic write. The names are those of the document's schemas
 * (11.7).
 */

/** A workflow is the ledger of one project. */
export interface WorkflowRow {
  readonly workflow_id: string;
  readonly project_id: string;
  readonly created_at: string;
  readonly last_event_seq: number;
  /** Checksum of the last event; null before the first. It shows an end that was cut off. */
  readonly head_checksum: string | null;
}

export interface EventRow {
  readonly event_id: string;
  readonly workflow_id: string;
  readonly event_seq: number;
  readonly event_type: string;
  /** JSON text. */
  readonly payload: string;
  readonly timestamp: string;
  readonly schema_version: string;
  readonly producer_version: string;
  readonly checksum: string;
}

export interface SnapshotRow {
  readonly snapshot_id: string;
  readonly workflow_id: string;
  readonly step_number: number;
  readonly last_event_seq: number;
  /** JSON text of a small state. */
  readonly state_inline: string | null;
  /** Name of the object that holds a large one. */
  readonly state_s3_key: string | null;
  readonly state_checksum: string;
  readonly created_at: string;
}

export interface LeaseRow {
  readonly workflow_id: string;
  readonly owner_id: string;
  readonly acquired_at: string;
  readonly lease_expires_at: string;
  readonly fencing_token: number;
  readonly heartbeat_at: string;
}

export interface StepAttemptRow {
  readonly workflow_id: string;
  readonly step_id: string;
  readonly attempt_id: number;
  readonly started_at: string;
  readonly fencing_token: number;
  readonly step_type: string;
  readonly idempotency_key: string | null;
  readonly input_checksum: string;
}

export interface CompletedStepRow {
  readonly workflow_id: string;
  readonly step_id: string;
  readonly attempt_id: number;
  readonly completed_at: string;
  readonly result_snapshot_ref: string;
  readonly result_checksum: string;
  /** Canonical JSON text of who completed it; null where that was not recorded. */
  readonly author: string | null;
}

/** A small result, by the SHA-256 of its text. */
export interface ResultRow {
  readonly checksum: string;
  readonly content: string;
}

/** What one command writes: all of it, or nothing. */
export interface Commit {
  readonly event: EventRow;
  /**
   * The lease is given to this owner if it is free at `acquired_at`; the row is kept for ever, because its token must
   * only grow.
   */
  readonly acquire?: LeaseRow;
  /** Or if it is that owner's now, who is gone. */
  readonly takeOverFrom?: string | undefined;
  /** The lease ends now. */
  readonly release?: { readonly owner_id: string; readonly fencing_token: number; readonly at: string };
  readonly attempt?: StepAttemptRow;
  readonly completion?: CompletedStepRow;
  readonly result?: ResultRow;
}

/**
 * `stale`: the ledger has gone on since the state that the command was decided on. `lease-held`: the lease is not free.
 * Nothing was written then.
 */
export type CommitOutcome = "committed" | "stale" | "lease-held";

/** A heartbeat; the lease is prolonged only if owner and token match (document 11.7.2). */
export interface Heartbeat {
  readonly workflow_id: string;
  readonly owner_id: string;
  readonly fencing_token: number;
  readonly at: string;
  readonly lease_expires_at: string;
}

/**
 * A database with the kernel's tables. Every method throws a ContinuityError: `busy` or `unavailable` when it may work
 * later. A `commit` that throws `unavailable` may have been written all the same: ask `eventById`.
 */
export interface ContinuityStore {
  /** Makes the workflow of a project unless it is there. */
  ensureWorkflow(workflow: Pick<WorkflowRow, "workflow_id" | "project_id" | "created_at">): Promise<void>;
  workflows(): Promise<WorkflowRow[]>;
  workflow(workflow_id: string): Promise<WorkflowRow | undefined>;
  /** Writes an event at the position `event.event_seq`, which must be the next one, with all that belongs to it. */
  commit(commit: Commit): Promise<CommitOutcome>;
  /** Events behind a position in the order of the ledger, at most `limit`. */
  eventsAfter(workflow_id: string, event_seq: number, limit: number): Promise<EventRow[]>;
  eventById(workflow_id: string, event_id: string): Promise<EventRow | undefined>;
  latestSnapshot(workflow_id: string): Promise<SnapshotRow | undefined>;
  snapshots(workflow_id: string): Promise<SnapshotRow[]>;
  /**
   * Adds a snapshot unless there is one of that position, and drops all but the `keep` latest; returns those that were
   * dropped.
   */
  addSnapshot(snapshot: SnapshotRow, keep: number): Promise<SnapshotRow[]>;
  removeSnapshots(workflow_id: string): Promise<void>;
  lease(workflow_id: string): Promise<LeaseRow | undefined>;
  /** Whether the lease was prolonged. */
  heartbeat(heartbeat: Heartbeat): Promise<boolean>;
  /** The latest attempt of a step. */
  latestAttempt(workflow_id: string, step_id: string): Promise<StepAttemptRow | undefined>;
  completedStep(workflow_id: string, step_id: string): Promise<CompletedStepRow | undefined>;
  completedSteps(workflow_id: string): Promise<CompletedStepRow[]>;
  result(checksum: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Objects by name, S3 or alike: for states and results that are too large for a row. */
export interface ObjectStorage {
  /** Stores bytes under a name that is made of their SHA-256; storing the same twice is the same as once. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined when there is no object of that name. */
  get(name: string): Promise<Uint8Array | undefined>;
  remove(name: string): Promise<void>;
  /** The names that begin so; where it is missing, only objects that rows name can be found. */
  list?(prefix: string): Promise<string[]>;
}
