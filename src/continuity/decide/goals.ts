import { someOf } from "../../base/some-of.ts";
import { continuityError } from "../base/errors.ts";
import type { Goal, GoalStatus } from "../base/state.ts";
import type { Command } from "./decision.ts";
import { goalCalled, goalOf, ownEntry, taskCalled } from "./find.ts";
import { counted } from "./finished.ts";
import { Unchanged } from "./unchanged.ts";

const MAX_NAMED = 5;

/** Creates an active goal. */
export function createGoal(
  goal_id: string,
  { text, priority = 0 }: { readonly text: string; readonly priority?: number },
): Command {
  return (state, { seq, at, author }) => {
    const goal: Goal = {
      goal_id,
      text,
      priority,
      status: "active",
      created_at: at,
      created_seq: seq,
      updated_at: at,
      author,
    };
    return {
      type: "goal_created",
      data: { goal_id, text, priority },
      state: { ...state, goals: { ...state.goals, [goal_id]: goal }, worked_at: at },
    };
  };
}

/** Creates a goal, unless one that is not done has the same text: then it throws {@link Unchanged}. */
export function ensureGoal(goal_id: string, fields: { readonly text: string; readonly priority?: number }): Command {
  return (state, moment) => {
    const known = Object.values(state.goals).find(({ status, text }) => status !== "done" && text === fields.text);
    if (known)
      throw new Unchanged(state, known.goal_id, {
        expected: "a goal that is not recorded yet",
        found: `goal ${goalCalled(known, moment.author)} is ${known.status}`,
      });
    return createGoal(goal_id, fields)(state, moment);
  };
}

/**
 * Pauses, reactivates or closes a goal. A goal can be closed only when all its tasks are done, so that no unfinished
 * task is hidden; it leaves the state, and its last form is in the event.
 */
export function setGoalStatus({ goal_id, status }: { readonly goal_id: string; readonly status: GoalStatus }): Command {
  return (state, moment) => {
    const { at, author } = moment;
    const goal = goalOf(state, goal_id, moment);
    if (goal.status === status) {
      throw continuityError("invalid-transition", {
        expected: `goal ${goalCalled(goal, author)} to have another status`,
        found: `it is ${status} already`,
        todo: "Nothing has to be done.",
      });
    }
    const open = Object.values(state.tasks).filter((task) => task.goal_id === goal_id && task.status !== "done");
    if (status === "done" && open.length > 0) {
      throw continuityError("tasks-open", {
        expected: `all tasks of goal ${goalCalled(goal, author)} to be done`,
        found: someOf(
          open.map((task) => `${taskCalled(task, author)} is ${task.status}`),
          MAX_NAMED,
        ),
        todo: "Complete these tasks first, or drop those that are not wanted, or pause the goal instead.",
      });
    }
    const changed: Goal = { ...goal, status, updated_at: at };
    const { [goal_id]: _, ...goals } = state.goals;
    const isDone = status === "done";
    // A goal of a ledger from before finished goals left the state is still in there.
    const isBack = ownEntry(state.goals, goal_id) === undefined;
    return {
      type: "goal_status_changed",
      data: { goal_id, from: goal.status, to: status, ...(isDone ? { last: { goal: changed } } : {}) },
      state: {
        ...state,
        goals: isDone ? goals : { ...goals, [goal_id]: changed },
        ...(isDone ? { finished: counted(state, { goals: 1 }) } : {}),
        ...(isBack ? { finished: counted(state, { goals: -1 }) } : {}),
        worked_at: at,
      },
    };
  };
}
