/** Commands on goals: created, paused, closed or ended. */
import { joinSome } from "../../base/join-some.ts";
import { continuityError } from "../base/errors.ts";
import { type Claimant } from "../base/holder.ts";
import { type Goal, type GoalStatus, isOver, type Task, type WorkState } from "../base/state.ts";
import { assertNotHeld } from "./claims.ts";
import type { Command, Decision, Moment } from "./decision.ts";
import { goalCalled, requireGoal, ownEntry, taskCalled } from "./find.ts";
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
    const known = Object.values(state.goals).find(({ text }) => text === fields.text);
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
export function setGoalStatus({
  goal_id,
  status,
}: {
  readonly goal_id: string;
  readonly status: Exclude<GoalStatus, "dropped" | "failed">;
}): Command {
  return (state, moment) => {
    const { author } = moment;
    const goal = goalFor(state, goal_id, moment, status);
    const open = openTasks(state, goal_id);
    if (status === "done" && open.length > 0) {
      throw continuityError("tasks-open", {
        expected: `all tasks of goal ${goalCalled(goal, author)} to be done`,
        found: joinSome(
          open.map((task) => `${taskCalled(task, author)} is ${task.status}`),
          MAX_NAMED,
        ),
        todo: "Complete these tasks first, or drop those that are not wanted, or pause the goal instead.",
      });
    }
    return withStatus(state, goal, status, moment);
  };
}

/**
 * Ends a goal that is not reached, with the reason; it leaves the state, and from then on none of its tasks can start.
 * They are dropped by events of their own. Throws when another agent does one of them, or an open task of another goal
 * depends on one of them.
 */
export function endGoal(
  {
    goal_id,
    status,
    reason,
  }: { readonly goal_id: string; readonly status: "dropped" | "failed"; readonly reason: string },
  claimant: Claimant,
): Command {
  return (state, moment) => {
    const { author } = moment;
    const goal = requireGoal(state, goal_id, moment);
    if (goal.status === status)
      throw new Unchanged(state, goal_id, {
        expected: `another status of goal ${goalCalled(goal, author)}`,
        found: `it is ${status} already`,
      });
    const open = openTasks(state, goal_id);
    for (const { task_id } of open) assertNotHeld(state, task_id, claimant, moment);
    const ids = new Set(open.map(({ task_id }) => task_id));
    const waiting = Object.values(state.tasks).filter(
      (task) => task.goal_id !== goal_id && task.depends_on.some((id) => ids.has(id)),
    );
    if (waiting.length > 0)
      throw continuityError("dependencies-open", {
        expected: `no open task of another goal to depend on one of goal ${goalCalled(goal, author)}`,
        found: joinSome(
          waiting.map((one) => `${taskCalled(one, author)} does`),
          MAX_NAMED,
        ),
        todo: "Edit depends_on of these tasks first, or drop them first. Nothing was changed.",
      });
    return withStatus(state, goal, status, moment, reason);
  };
}

/** Returns an open task of a goal that is over on which no other open one depends; undefined for none. */
export function leftTask(state: WorkState, goal_id: string): Task | undefined {
  if (ownEntry(state.goals, goal_id) !== undefined) return undefined;
  const open = openTasks(state, goal_id);
  const needed = new Set(open.flatMap(({ depends_on }) => depends_on));
  return open.find(({ task_id }) => !needed.has(task_id));
}

function openTasks(state: WorkState, goal_id: string): Task[] {
  return Object.values(state.tasks).filter((task) => task.goal_id === goal_id);
}

/** Returns the goal with that id. Throws when it has that status. */
function goalFor(state: WorkState, goal_id: string, moment: Moment, to: GoalStatus): Goal {
  const goal = requireGoal(state, goal_id, moment);
  if (goal.status !== to) return goal;
  throw continuityError("invalid-transition", {
    expected: `goal ${goalCalled(goal, moment.author)} to have another status`,
    found: `it is ${to} already`,
    todo: "Nothing has to be done.",
  });
}

function withStatus(state: WorkState, goal: Goal, status: GoalStatus, { at }: Moment, reason?: string): Decision {
  const { goal_id } = goal;
  const changed: Goal = { ...goal, status, updated_at: at };
  const { [goal_id]: _, ...goals } = state.goals;
  const isEnd = isOver(status);
  // A goal that is over has left the state.
  const isBack = ownEntry(state.goals, goal_id) === undefined;
  return {
    type: "goal_status_changed",
    data: {
      goal_id,
      from: goal.status,
      to: status,
      ...(reason === undefined ? {} : { reason }),
      ...(isEnd ? { last: { goal: changed } } : {}),
    },
    state: {
      ...state,
      goals: isEnd ? goals : { ...goals, [goal_id]: changed },
      ...(isEnd === isBack ? {} : { finished: counted(state, { goals: isEnd ? 1 : -1 }) }),
      worked_at: at,
    },
  };
}
