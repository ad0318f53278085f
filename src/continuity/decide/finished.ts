import type { Checkpoint, Goal, Task, WorkState } from "../base/state.ts";

/**
 * Last forms of goals and tasks that are done, by id. They are in the data of the events that finished them, not in the
 * state, so that a command costs the same however much was finished before.
 */
export interface FinishedWork {
  readonly goals: Readonly<Record<string, Goal>>;
  readonly tasks: Readonly<Record<string, Task>>;
  readonly checkpoints: Readonly<Record<string, Checkpoint>>;
}

export const NOTHING_FINISHED: FinishedWork = { goals: {}, tasks: {}, checkpoints: {} };

/** What an event that finishes a goal or a task keeps of the entry that leaves the state. */
export interface LastForm {
  readonly goal?: Goal;
  readonly task?: Task;
  readonly checkpoint?: Checkpoint;
}

/** Returns the state without a task and its checkpoint. */
export function withoutTask(state: WorkState, task_id: string): WorkState {
  const { [task_id]: _, ...tasks } = state.tasks;
  const { [task_id]: __, ...checkpoints } = state.checkpoints;
  return { ...state, tasks, checkpoints };
}

/** Returns the counter of finished work after some more, or fewer, were finished. */
export function counted(
  { finished }: WorkState,
  { goals = 0, tasks = 0 }: { readonly goals?: number; readonly tasks?: number },
): NonNullable<WorkState["finished"]> {
  return { goals: (finished?.goals ?? 0) + goals, tasks: (finished?.tasks ?? 0) + tasks };
}
