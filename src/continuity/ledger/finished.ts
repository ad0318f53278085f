import { ownEntry } from "../decide/find.ts";
import type { FinishedWork, LastForm } from "../decide/finished.ts";
import { readLoneEvent } from "./events.ts";
import type { Position } from "./position.ts";
import type { ContinuityStore } from "./store.ts";

/**
 * Reads the last forms of those of the named goals and tasks that are finished and not in the state, and of the goals
 * of named tasks. Ids of nothing are left out. Returns `stale` when the ledger goes on behind the position in a way
 * that concerns them. Throws `damaged`, and `newer`.
 */
export async function finishedWork(
  store: ContinuityStore,
  { state, event_seq }: Position,
  ids: readonly string[],
): Promise<FinishedWork | "stale"> {
  const goals: Record<string, NonNullable<LastForm["goal"]>> = {};
  const tasks: Record<string, NonNullable<LastForm["task"]>> = {};
  const checkpoints: Record<string, NonNullable<LastForm["checkpoint"]>> = {};
  const open = new Set(ids);
  // A Set that grows in the loop: the goal of a task comes after the task.
  for (const id of open) {
    const inWork = ownEntry(state.tasks, id);
    // Its goal may be over, while the end of that goal has not come to this task yet.
    if (inWork && !ownEntry(state.goals, inWork.goal_id)) open.add(inWork.goal_id);
    if (inWork ?? ownEntry(state.goals, id)) continue;
    const row = await store.latestWorkEvent(state.workflow_id, id);
    if (!row) continue;
    if (row.event_seq > event_seq) return "stale";
    const { goal, task, checkpoint } = (readLoneEvent(row).data["last"] ?? {}) as LastForm;
    if (goal?.goal_id === id) goals[id] = goal;
    if (task?.task_id !== id) continue;
    tasks[id] = task;
    if (checkpoint) checkpoints[id] = checkpoint;
    open.add(task.goal_id);
  }
  return { goals, tasks, checkpoints };
}
