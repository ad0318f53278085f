import type { Author } from "./author.ts";

/**
 * The kernel's state: plain JSON with the names of the AI Continuity Layer document (seeds/ai-continuity-layer.md,
 * section 6). Times are ISO 8601 in UTC.
 */

export type GoalStatus = "active" | "paused" | "done";

/** Why work is being done. */
export interface Goal {
  readonly goal_id: string;
  readonly text: string;
  /** Higher is more important. */
  readonly priority: number;
  readonly status: GoalStatus;
  readonly created_at: string;
  /** Position in the ledger; it breaks ties, times never do. */
  readonly created_seq: number;
  readonly updated_at: string;
  /** Of the text. Missing here and below: it was written before authors were recorded. */
  readonly author?: Author;
}

export type TaskStatus = "todo" | "doing" | "blocked" | "done";

/** A unit of work. */
export interface Task {
  readonly task_id: string;
  readonly goal_id: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly acceptance_criteria: readonly string[];
  readonly depends_on: readonly string[];
  /** What keeps it from going on; empty unless it is blocked. */
  readonly blockers: readonly string[];
  readonly pause_reason: string | null;
  readonly evidence: string | null;
  readonly created_seq: number;
  /** The event that gave it its status. */
  readonly status_seq: number;
  readonly updated_at: string;
  /** Of the title, the acceptance criteria and what it depends on. */
  readonly author?: Author;
  /** Who gave it its status, with the blockers, the reason or the evidence. */
  readonly status_author?: Author;
}

/** A precise resume handle: the latest one of a task. */
export interface Checkpoint {
  readonly task_id: string;
  readonly where_we_left_off: string;
  /** One single action. */
  readonly next_step: string;
  readonly needed_context_refs: readonly string[];
  readonly blockers: readonly string[];
  readonly timestamp: string;
  readonly seq: number;
  readonly author?: Author;
}

/** The executor that may run steps; the expiry is in the lease row, because it changes without an event. */
export interface LeaseState {
  /** Null once it was given back. */
  readonly owner_id: string | null;
  /** The highest that was ever given; 0 before the first. */
  readonly fencing_token: number;
}

export type StepType = "pure" | "idempotent" | "non_idempotent";

/** A step that was started and has no outcome yet. */
export interface OpenStep {
  readonly step_id: string;
  readonly step_type: StepType;
  readonly attempt_id: number;
  readonly fencing_token: number;
  readonly idempotency_key: string | null;
  readonly input_checksum: string;
  readonly task_id: string | null;
  readonly started_at: string;
  readonly author?: Author;
}

/** Everything that replaying a workflow's ledger gives. */
export interface WorkState {
  readonly workflow_id: string;
  readonly project_id: string;
  readonly goals: Readonly<Record<string, Goal>>;
  readonly tasks: Readonly<Record<string, Task>>;
  readonly checkpoints: Readonly<Record<string, Checkpoint>>;
  readonly open_steps: Readonly<Record<string, OpenStep>>;
  readonly lease: LeaseState;
  readonly completed_steps: number;
  /** When work last went on; leases do not count. Null before the first event. */
  readonly worked_at: string | null;
}

/** The state before the first event. */
export function emptyState(workflow_id: string, project_id: string): WorkState {
  return {
    workflow_id,
    project_id,
    goals: {},
    tasks: {},
    checkpoints: {},
    open_steps: {},
    lease: { owner_id: null, fencing_token: 0 },
    completed_steps: 0,
    worked_at: null,
  };
}

/** The parts of the state that are records by id; each entry is replaced as a whole and never changed in place. */
export const RECORDS = ["goals", "tasks", "checkpoints", "open_steps"] as const;
export type RecordName = (typeof RECORDS)[number];
