import { someOf } from "../../base/some-of.ts";
import { continuityError } from "../errors.ts";
import type { Goal, Task, WorkState } from "../state.ts";

/** The goal of that id in this project. Throws `not-found`; a goal of another project is not found either. */
export function goalOf(state: WorkState, goal_id: string): Goal {
  return ownEntry(state.goals, goal_id) ?? missing(state, "goal", goal_id, Object.values(state.goals).filter(({ status }) => status === "active").map((goal) => `${goal.goal_id} (${goal.text.slice(0, 40)})`));
}

/** The task of that id in this project. Throws `not-found`; a task of another project is not found either. */
export function taskOf(state: WorkState, task_id: string): Task {
  return ownEntry(state.tasks, task_id) ?? missing(state, "task", task_id, Object.values(state.tasks).filter(({ status }) => status !== "done").map((task) => `${task.task_id} (${task.title.slice(0, 40)})`));
}

/** The entry of that name; what every object has by its prototype ("constructor") is none. */
export function ownEntry<Entry>(record: Readonly<Record<string, Entry>>, id: string): Entry | undefined {
  return Object.hasOwn(record, id) ? record[id] : undefined;
}

const MOST_NAMED = 5;

function missing(state: WorkState, kind: string, id: string, open: readonly string[]): never {
  throw continuityError("not-found", {
    expected: `the id of a ${kind} of project ${state.project_id}`, found: JSON.stringify(id),
    todo: open.length === 0 ? `This project has no open ${kind}.` : `Open ones: ${someOf(open, MOST_NAMED)}.`,
  });
}
