import type { Checkpoint } from "../base/state.ts";
import type { Command } from "./decision.ts";
import { requireUndoneTask } from "./find.ts";

/** Input of update_checkpoint. */
export interface NewCheckpoint {
  readonly task_id: string;
  readonly where_we_left_off: string;
  readonly next_step: string;
  readonly needed_context_refs?: readonly string[];
  readonly blockers?: readonly string[];
}

/** Replaces the task's resume handle; earlier ones stay in the ledger. The command throws when the task is done. */
export function updateCheckpoint({
  task_id,
  where_we_left_off,
  next_step,
  needed_context_refs = [],
  blockers = [],
}: NewCheckpoint): Command {
  return (state, moment) => {
    const { seq, at, author } = moment;
    requireUndoneTask(state, task_id, moment, "Start the task first, which reopens it.");
    const handle = { task_id, where_we_left_off, next_step, needed_context_refs, blockers };
    const checkpoint: Checkpoint = { ...handle, timestamp: at, seq, author };
    return {
      type: "checkpoint_updated",
      data: handle,
      state: { ...state, checkpoints: { ...state.checkpoints, [task_id]: checkpoint }, worked_at: at },
    };
  };
}
