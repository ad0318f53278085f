import { joinSome } from "../../base/join-some.ts";
import { continuityError } from "../base/errors.ts";
import type { Command } from "./decision.ts";
import { taskCalled, requireUndoneTask } from "./find.ts";
import { withoutTask } from "./finished.ts";

const MAX_NAMED = 5;

/**
 * Takes a task that is not done out of the work, with its checkpoint; the event keeps its last form. Steps of the task
 * that may have run stay among the open steps until they are completed or resolved; they cannot begin again. Throws
 * while a task that is not done depends on it.
 */
export function dropTask({ task_id, reason }: { readonly task_id: string; readonly reason: string }): Command {
  return (state, moment) => {
    const { at, author } = moment;
    const task = requireUndoneTask(
      state,
      task_id,
      moment,
      "It needs no dropping: it is finished. Nothing was changed.",
    );
    const waiting = Object.values(state.tasks).filter(({ depends_on }) => depends_on.includes(task_id));
    if (waiting.length > 0)
      throw continuityError("dependencies-open", {
        expected: `no open task to depend on task ${taskCalled(task, author)}`,
        found: joinSome(
          waiting.map((one) => `${taskCalled(one, author)} depends on it`),
          MAX_NAMED,
        ),
        todo: "Edit depends_on of these tasks first, or drop them first. Nothing was changed.",
      });
    return {
      type: "task_dropped",
      data: { task_id, from: task.status, to: "dropped", reason, task },
      state: { ...withoutTask(state, task_id), worked_at: at },
    };
  };
}
