import type { FinishedWork } from "./finished.ts";
import type { Author } from "../base/author.ts";
import type { WorkState } from "../base/state.ts";

/** The types of events; every transition writes one. */
export type EventType =
  | "goal_created"
  | "goal_status_changed"
  | "goal_edited"
  | "goal_updated"
  | "task_added"
  | "task_edited"
  | "task_updated"
  | "task_started"
  | "task_paused"
  | "task_blocked"
  | "task_failed"
  | "task_completed"
  | "task_dropped"
  | "task_claimed"
  | "claim_given"
  | "claim_released"
  | "claims_renewed"
  | "claim_ends_told"
  | "checkpoint_updated"
  | "step_started"
  | "step_completed"
  | "step_failed"
  | "step_resolved"
  | "lease_acquired"
  | "lease_released"
  | "project_restored"
  | "copy_confirmed";

/** The position of an event in the ledger, its time, and the author of the command. */
export interface Moment {
  readonly seq: number;
  readonly at: string;
  readonly author: Author;
  /** The time by which claims end, in milliseconds since 1970, by the store's clock. */
  readonly clock: number;
  /** The last forms of finished goals and tasks that the command names. */
  readonly finished: FinishedWork;
}

/** The outcome of a command: the event, its data, and the state after it. */
export interface Decision {
  readonly type: EventType;
  readonly data: object;
  readonly state: WorkState;
}

/**
 * A command with all its arguments but the state. Pure: it is called again when another process has written first.
 * Throws a ContinuityError when the command is refused.
 */
export type Command = (state: WorkState, moment: Moment) => Decision;
