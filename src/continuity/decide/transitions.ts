import { type Author, PROGRAM } from "../base/author.ts";
import { taskCalled } from "./find.ts";
import { continuityError } from "../base/errors.ts";
import type { Task, TaskStatus } from "../base/state.ts";

/** The allowed transitions of a task. */
export const TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  todo: ["doing"],
  doing: ["blocked", "done", "todo"],
  blocked: ["doing", "todo"],
  done: ["doing"],
};

/** Throws `invalid-transition` unless the task can change to that status. */
export function assertTransition(task: Task, to: TaskStatus, reader: Author = PROGRAM): void {
  if (TRANSITIONS[task.status].includes(to)) return;
  const from = Object.entries(TRANSITIONS)
    .filter(([, targets]) => targets.includes(to))
    .map(([status]) => status);
  throw continuityError("invalid-transition", {
    expected: `task ${taskCalled(task, reader)} to be ${from.join(" or ")} before it becomes ${to}`,
    found: `it is ${task.status}`,
    todo: `From ${task.status} it can become ${TRANSITIONS[task.status].join(" or ")}. Nothing was changed.`,
  });
}
