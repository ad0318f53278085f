/** The kernel's state: plain JSON. Times are ISO 8601 in UTC. */
import type { Author } from "./author.ts";

/**
 * `dropped`: not wanted any more. `failed`: it cannot be reached. As `done`, they are the end of a goal, which leaves
 * the state.
 */
export type GoalStatus = "active" | "paused" | "done" | "dropped" | "failed";

/** Returns whether a goal of that status is over. */
export function isOver(status: GoalStatus): boolean {
  return status !== "active" && status !== "paused";
}

/** Why work is being done. */
export interface Goal {
  readonly goal_id: string;
  readonly text: string;
  /** Higher is more important. */
  readonly priority: number;
  readonly status: GoalStatus;
  readonly created_at: string;
  /** Position in the ledger. Ties are broken by position, never by time. */
  readonly created_seq: number;
  readonly updated_at: string;
  /** Author of the text. */
  readonly author: Author;
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
  /** What the task waits for; empty unless the task is blocked. */
  readonly blockers: readonly string[];
  /** Higher is more important; that of its goal when missing. */
  readonly priority?: number;
  /** When it has to be done, ISO 8601 in UTC; missing for no such time. */
  readonly due?: string;
  /** How often it can be started again after a failure; the failure after that blocks it. Missing for none. */
  readonly retries?: number;
  /** How often it has failed since it was added, or reopened; missing for never. */
  readonly failures?: number;
  readonly pause_reason: string | null;
  readonly evidence: string | null;
  readonly created_seq: number;
  /** Position of the event that set the status. */
  readonly status_seq: number;
  readonly updated_at: string;
  /** Author of the title, and of the acceptance criteria unless `criteria_author` is there. */
  readonly author: Author;
  /** Author of the acceptance criteria, where an edit has made it another one. */
  readonly criteria_author?: Author;
  /** Author of the status, and of the blockers, the reason or the evidence. */
  readonly status_author: Author;
}

/** The latest resume handle of a task: where it was left off and its next step. */
export interface Checkpoint {
  readonly task_id: string;
  readonly where_we_left_off: string;
  /** The one action that comes next, in words. */
  readonly next_step: string;
  readonly needed_context_refs: readonly string[];
  readonly blockers: readonly string[];
  readonly timestamp: string;
  readonly seq: number;
  readonly author: Author;
}

/** An agent or a person that works on tasks. */
export interface Holder {
  readonly author: Author;
  /** Tells agents apart that give themselves one name, for instance by their process; null where the name is enough. */
  readonly session: string | null;
}

/** The right of one holder to do a task. */
export interface Claim {
  readonly holder: Holder;
  /** The position of the event that gave the claim: every later claim of the ledger has a higher one. */
  readonly fencing_token: number;
  readonly claimed_at: string;
  readonly used_at: string;
  /** When the claim ends unless its holder makes a call before, by the store's clock; null for one without an end. */
  readonly until: string | null;
}

/** The end of a claim that its holder did not end itself, until those whom it concerns were told. */
export interface ClaimEnd {
  readonly task_id: string;
  readonly from: Holder;
  /** Who holds the task since; null for nobody. */
  readonly to: Holder | null;
  /**
   * `unused`: its time was over. `person`: somebody at the command line decided it. `copy`: the ledger goes on from a
   * copy.
   */
  readonly why: "unused" | "person" | "copy";
  readonly at: string;
  readonly untold: readonly Holder[];
}

/** The executor that may run steps. The expiry is in the lease row, because heartbeats change it without an event. */
export interface LeaseState {
  /** Null after a release. */
  readonly owner_id: string | null;
  /** The highest token of this ledger; 0 before the first lease. */
  readonly fencing_token: number;
}

export type StepType = "pure" | "idempotent" | "non_idempotent";

/** An attempt without a known outcome: it is being executed, or it may have acted. */
export interface OpenStep {
  readonly step_id: string;
  readonly step_type: StepType;
  readonly attempt_id: number;
  readonly fencing_token: number;
  readonly idempotency_key: string | null;
  readonly input_checksum: string;
  readonly task_id: string | null;
  /** The tool call that began it, by the id that the host's journal of tool calls knows it by; missing without one. */
  readonly call_id?: string;
  /**
   * The input as canonical JSON, its first 4,096 characters when it is longer; `input_checksum` is that of all of it.
   */
  readonly input_text: string;
  /** The length of the whole input, when only its beginning is recorded. */
  readonly input_length?: number;
  /** Why the attempt failed, after it may have acted. Only of non_idempotent steps: others begin again. */
  readonly error?: string;
  /** Author of the error, when another one than that of the step. */
  readonly error_author?: Author;
  /** The event of a restoration: the step may have happened between the copy and that, whatever this attempt does. */
  readonly unknown_since?: number;
  /** The attempt only records that the step was asked for, because of `unknown_since`: nothing was to be done. */
  readonly not_begun?: true;
  /** Why the attempt was given up: nobody knows whether it acted, and the step does not begin again. */
  readonly given_up?: string;
  readonly started_at: string;
  readonly author: Author;
}

/** The latest open attempt of a step, with the earlier ones whose outcome is unknown too. */
export interface OpenAttempts extends OpenStep {
  /**
   * Earlier attempts without an outcome, the oldest first. Only of non_idempotent steps: others are replaced when they
   * begin again.
   */
  readonly earlier?: readonly OpenStep[];
}

/** The event behind which steps may have happened that the ledger does not know of: it goes on from an older copy. */
export interface UnknownSince {
  readonly event_seq: number;
  readonly at: string;
}

/** The state that a replay of a workflow's ledger returns. */
export interface WorkState {
  readonly workflow_id: string;
  readonly project_id: string;
  /** Goals that are not done. */
  readonly goals: Readonly<Record<string, Goal>>;
  /** Tasks that are not done. */
  readonly tasks: Readonly<Record<string, Task>>;
  readonly checkpoints: Readonly<Record<string, Checkpoint>>;
  readonly open_steps: Readonly<Record<string, OpenAttempts>>;
  readonly lease: LeaseState;
  readonly completed_steps: number;
  /**
   * Numbers of goals and tasks that were done and left the state; their last forms are in the ledger. Missing before
   * the first of them.
   */
  readonly finished?: { readonly goals: number; readonly tasks: number };
  /** The claims of tasks, by task; missing when there is none. */
  readonly claims?: Readonly<Record<string, Claim>>;
  /** Ends of claims that their holders have yet to be told, the oldest first; missing when everybody was told. */
  readonly claim_ends?: readonly ClaimEnd[];
  /** Missing in a ledger that is no copy, and once somebody has confirmed what happened. */
  readonly unknown_since?: UnknownSince;
  /** Time of the last change of work; leases do not count. Null before the first event. */
  readonly worked_at: string | null;
}

/** Returns the state before the first event. */
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
