import type { Author } from "../base/author.ts";
import type { WorkState } from "../base/state.ts";

/** The types of events (document 6.4); "Every transition emits an event". */
export type EventType =
  | "goal_created"
  | "goal_status_changed"
  | "task_added"
  | "task_started"
  | "task_paused"
  | "task_blocked"
  | "task_completed"
  | "checkpoint_updated"
  | "step_started"
  | "step_completed"
  | "step_failed"
  | "lease_acquired"
  | "lease_released";

/** The place of an event in the ledger, its time, and who gives the command. */
export interface Moment {
  readonly seq: number;
  readonly at: string;
  readonly author: Author;
}

/** What a command comes to: the event, what it says, and the state behind it. */
export interface Decision {
  readonly type: EventType;
  readonly data: object;
  readonly state: WorkState;
}

/**
 * A command, given all it needs but the state. Pure: it is asked again when another process was faster. Throws a
 * ContinuityError when it is refused.
 */
export type Command = (state: WorkState, moment: Moment) => Decision;
