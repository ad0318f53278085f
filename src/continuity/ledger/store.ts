/** What the kernel needs of a database: a few reads and one atomic write. */
import type { Anchor } from "./anchor.ts";

/** A workflow is the ledger of one project. */
export interface WorkflowRow {
  readonly workflow_id: string;
  readonly project_id: string;
  readonly created_at: string;
  readonly last_event_seq: number;
  /** Checksum of the last event; null before the first. Shows when the end of the ledger is missing. */
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
  /** Name of the object with a large state. */
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
}

/** What the tables have of a step at one moment. */
export interface StepRows {
  /** The latest attempt. */
  readonly attempt: StepAttemptRow | undefined;
  readonly completion: CompletedStepRow | undefined;
  /** The events of the step, the last one first; the payload says which attempt each is of. */
  readonly events: readonly EventRow[];
}

/** A small result, with the SHA-256 of its text as key. */
export interface ResultRow {
  readonly checksum: string;
  readonly content: string;
}

/**
 * Whose clock decides when a lease ends: that of the process that calls, or that of the database, which then replaces
 * the times of leases by its own and keeps only how long they hold.
 */
export type LeaseClock = "caller" | "database";

/** The writes of one command: all of them, or none. */
export interface Commit {
  readonly event: EventRow;
  /**
   * Gives the lease to this owner if it is free at `acquired_at`, or now by the database's clock. Only the removal of
   * the project deletes the row, so that the token can only grow.
   */
  readonly acquire?: LeaseRow;
  /** Gives the lease also if this owner, who is gone, holds it now. */
  readonly takeOverFrom?: string | undefined;
  /** Releases the lease at `at`. */
  readonly release?: { readonly owner_id: string; readonly fencing_token: number; readonly at: string };
  readonly attempt?: StepAttemptRow;
  readonly completion?: CompletedStepRow;
  readonly result?: ResultRow;
}

/**
 * `stale`: the ledger does not end with the event that this one follows, or has an event of that id already.
 * `lease-held`: the lease is not free. Nothing is written in either case.
 */
export type CommitOutcome = "committed" | "stale" | "lease-held";

/** A heartbeat, which prolongs the lease only if owner and token match. */
export interface Heartbeat {
  readonly workflow_id: string;
  readonly owner_id: string;
  readonly fencing_token: number;
  readonly at: string;
  readonly lease_expires_at: string;
}

/** Rows of a project that is written as a whole. Attempts come with, or before, the completions that refer to them. */
export interface ProjectRows {
  readonly events: readonly EventRow[];
  readonly attempts: readonly StepAttemptRow[];
  readonly completions: readonly CompletedStepRow[];
  readonly results: readonly ResultRow[];
  readonly lease?: LeaseRow;
}

/**
 * A database with the kernel's tables. Every method throws a ContinuityError: `busy` or `unavailable` when a retry may
 * succeed. Reads wait for a database that is away until the deadline of their call. A `commit` that throws
 * `unavailable` may have been written: check with `eventById`.
 */
export interface ContinuityStore {
  leaseClock(): LeaseClock;
  /** Returns the database's time, in milliseconds since 1970, where its clock decides. */
  time(): Promise<number>;
  /** Does work whose requests have one deadline together. */
  patiently<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Waits before what failed as `unavailable` is repeated; resolves to false when the time of the call that `patiently`
   * began is over. `tries` is how many have failed.
   */
  mayRepeat(tries: number): Promise<boolean>;
  /**
   * Does work while no other process commits to the workflow, in a database that can hold others back; elsewhere just
   * does the work. What it wrote is written when the promise is fulfilled, or nothing of it. Throws `unavailable` as a
   * `commit` does. `page` is what the work reads first, with `eventsAfter`.
   */
  exclusively<T>(
    workflow_id: string,
    page: { readonly after: number; readonly limit: number },
    work: () => Promise<T>,
  ): Promise<T>;
  /** Creates the workflow of a project unless it exists. */
  ensureWorkflow(workflow: Pick<WorkflowRow, "workflow_id" | "project_id" | "created_at">): Promise<void>;
  workflows(): Promise<WorkflowRow[]>;
  workflow(workflow_id: string): Promise<WorkflowRow | undefined>;
  /** Returns the ids of which some table has rows and `workflows` has none, each with the number of its events. */
  workflowsWithoutRow(): Promise<{ readonly workflow_id: string; readonly events: number }[]>;
  /**
   * Writes an event at the position `event.event_seq`, which must be the next one, with everything that belongs to it.
   */
  commit(commit: Commit): Promise<CommitOutcome>;
  /** Returns at most `limit` events after a position, in the order of the ledger. */
  eventsAfter(workflow_id: string, event_seq: number, limit: number): Promise<EventRow[]>;
  eventById(workflow_id: string, event_id: string): Promise<EventRow | undefined>;
  latestSnapshot(workflow_id: string): Promise<SnapshotRow | undefined>;
  snapshots(workflow_id: string): Promise<SnapshotRow[]>;
  /** Adds a snapshot unless that position has one, and drops all but the `keep` latest; returns the dropped ones. */
  addSnapshot(snapshot: SnapshotRow, keep: number): Promise<SnapshotRow[]>;
  removeSnapshots(workflow_id: string): Promise<void>;
  lease(workflow_id: string): Promise<LeaseRow | undefined>;
  /** Returns whether the lease was prolonged. */
  heartbeat(heartbeat: Heartbeat): Promise<boolean>;
  /** Returns what the tables have of a step, by one request, with its latest `limit` events. */
  step(workflow_id: string, step_id: string, limit: number): Promise<StepRows>;
  /**
   * Returns the step with this idempotency key, of which its rows or its events tell: a non_idempotent one, or else,
   * with `alsoHarmless`, one of another type.
   */
  stepOfKey(workflow_id: string, idempotency_key: string, alsoHarmless: boolean): Promise<string | undefined>;
  completedSteps(workflow_id: string): Promise<CompletedStepRow[]>;
  completedCount(workflow_id: string): Promise<number>;
  /** Returns the attempts of one step, or of all steps. */
  attempts(workflow_id: string, step_id?: string): Promise<StepAttemptRow[]>;
  /** Returns the latest event that changed a goal or a task itself, not its checkpoint. */
  latestWorkEvent(workflow_id: string, id: string): Promise<EventRow | undefined>;
  /** Returns what the database itself finds wrong in its file; nothing for a database without such a check. */
  faults(): Promise<string[]>;
  result(checksum: string): Promise<string | undefined>;
  /**
   * Writes a project that has no event yet in one transaction, with the last event as its head. Returns `exists` and
   * writes nothing when the project has events. `rows` is called again when the database was busy.
   */
  createProject(
    workflow: Pick<WorkflowRow, "workflow_id" | "project_id" | "created_at">,
    rows: () => AsyncIterable<ProjectRows>,
  ): Promise<"created" | "exists">;
  /** What is known of the ledgers outside of the database; undefined for a store without an anchor. */
  readonly anchor?: Anchor | undefined;
  close(): Promise<void>;
}

/** Objects by name (S3 or similar), for states and results that are too large for a row. */
export interface ObjectStorage {
  /** Stores bytes under a name that is made of their SHA-256; storing the same bytes again changes nothing. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Returns undefined when there is no object of that name. */
  get(name: string): Promise<Uint8Array | undefined>;
  remove(name: string): Promise<void>;
  /** Returns the names with this prefix. Without this method, only objects that rows name can be found. */
  list?(prefix: string): Promise<string[]>;
}
