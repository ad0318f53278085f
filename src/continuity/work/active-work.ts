import { activeGoals, type Blocker, blockersOf, nextStep, type NextStep, type ProposalRequest } from "./next-step.ts";
import type { Checkpoint, Goal, OpenStep, Task, WorkState } from "../base/state.ts";

/** What state rehydration gives (document 8.1). */
export interface ActiveWorkState {
  readonly project_id: string;
  readonly goals: readonly Goal[];
  /** All that are not done, in the order they were added. */
  readonly tasks: readonly Task[];
  readonly active_task: Task | null;
  readonly checkpoint: Checkpoint | null;
  readonly unresolved_blockers: readonly (Blocker & { readonly task_id: string })[];
  /** Steps that were begun and have no outcome: they may have run. */
  readonly open_steps: readonly OpenStep[];
  readonly next: NextStep | ProposalRequest;
  readonly worked_at: string | null;
}

/** The active work of a state, worked out from explicit facts only. */
export function activeWork(state: WorkState): ActiveWorkState {
  const tasks = Object.values(state.tasks)
    .filter(({ status }) => status !== "done")
    .toSorted((a, b) => a.created_seq - b.created_seq);
  const next = nextStep(state);
  const active_task = next.kind === "step" ? (state.tasks[next.task_id] ?? null) : null;
  return {
    project_id: state.project_id,
    goals: activeGoals(state),
    tasks,
    active_task,
    checkpoint: (active_task && state.checkpoints[active_task.task_id]) ?? null,
    unresolved_blockers: tasks.flatMap((task) =>
      blockersOf(state, task).map((blocker) => ({ task_id: task.task_id, ...blocker })),
    ),
    open_steps: Object.values(state.open_steps).toSorted((a, b) => (a.step_id < b.step_id ? -1 : 1)),
    next,
    worked_at: state.worked_at,
  };
}
