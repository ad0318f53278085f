/** Commands on tasks: added, started, paused, blocked, failed or done. */
import { joinSome } from "../../base/join-some.ts";
import { continuityError } from "../base/errors.ts";
import { canonicalText } from "../base/json.ts";
import { valueInline } from "../../base/quoted.ts";
import { isOver, type Task, type TaskStatus, type WorkState } from "../base/state.ts";
import { assertTransition } from "./transitions.ts";
import type { Command, EventType, Moment } from "./decision.ts";
import { goalCalled, requireGoal, ownEntry, taskCalled, requireTask } from "./find.ts";
import { counted, type LastForm, withoutTask } from "./finished.ts";
import { Unchanged } from "./unchanged.ts";

/** Input of add_task. */
export interface NewTask {
  readonly goal_id: string;
  readonly title: string;
  readonly acceptance_criteria?: readonly string[];
  /** Tasks that must be done before this one can start. They must exist already, so that no cycle is possible. */
  readonly depends_on?: readonly string[];
  readonly priority?: number;
  /** A time with its zone, or a day. */
  readonly due?: string;
  readonly retries?: number;
}

/** Adds a task with status todo. Throws when the goal is done, or when a dependency is not a task of this project. */
export function addTask(
  task_id: string,
  { goal_id, title, acceptance_criteria = [], depends_on = [], priority, due, retries }: NewTask,
): Command {
  return (state, moment) => {
    const { seq, at, author } = moment;
    const goal = requireGoal(state, goal_id, moment);
    if (isOver(goal.status)) {
      throw continuityError("goal-not-active", {
        expected: "a goal that is not over",
        found: `goal ${goalCalled(goal, author)} is ${goal.status}`,
        todo: "Set it active again first, or create another goal.",
      });
    }
    const dependencies = [...new Set(depends_on)];
    for (const id of dependencies) requireTask(state, id, moment);
    const plan = {
      ...(priority === undefined ? {} : { priority }),
      ...(due === undefined ? {} : { due: dueTime(due) }),
      ...(retries === undefined ? {} : { retries }),
    };
    const task: Task = {
      task_id,
      goal_id,
      title,
      status: "todo",
      ...plan,
      acceptance_criteria,
      depends_on: dependencies,
      blockers: [],
      pause_reason: null,
      evidence: null,
      created_seq: seq,
      status_seq: seq,
      updated_at: at,
      author,
      status_author: author,
    };
    return {
      type: "task_added",
      data: { task_id, goal_id, title, acceptance_criteria, depends_on: dependencies, ...plan },
      state: withTask(state, task, at),
    };
  };
}

/**
 * Adds a task, unless its goal has one that is not done with the same title, criteria and dependencies: then it throws
 * {@link Unchanged}. The same title with other criteria or dependencies is another task.
 */
export function ensureTask(task_id: string, fields: NewTask): Command {
  return (state, moment) => {
    const ownLikeness = likeness(fields);
    const known = Object.values(state.tasks).find((task) => likeness(task) === ownLikeness);
    if (known)
      throw new Unchanged(state, known.task_id, {
        expected: "a task that is not recorded yet",
        found: `task ${taskCalled(known, moment.author)} is ${known.status}`,
      });
    return addTask(task_id, fields)(state, moment);
  };
}

/** Returns what two tasks have in common that are the same work. */
export function likeness({ goal_id, title, acceptance_criteria = [], depends_on = [] }: NewTask): string {
  return canonicalText([goal_id, title, acceptance_criteria, [...new Set(depends_on)].toSorted()]);
}

/**
 * Moves a task to doing: from todo, from blocked (which removes its blockers) or from done (which reopens it). Throws
 * while a dependency is not done.
 */
export function startTask({ task_id }: { readonly task_id: string }): Command {
  return (state, moment) => {
    const task = taskFor(state, task_id, moment, "doing");
    const { author } = moment;
    const goal = requireGoal(state, task.goal_id, moment);
    if (goal.status !== "active") {
      throw continuityError("goal-not-active", {
        expected: `the goal of task ${taskCalled(task, author)} to be active`,
        found: `goal ${goalCalled(goal, author)} is ${goal.status}`,
        todo: "Set the goal active first.",
      });
    }
    const open = openDependencies(state, task);
    if (open.length > 0) {
      throw continuityError("dependencies-open", {
        expected: `all tasks on which task ${taskCalled(task, author)} depends to be done`,
        found: joinSome(
          open.map((one) => `${taskCalled(one, author)} is ${one.status}`),
          MAX_NAMED,
        ),
        todo: "Complete these tasks first.",
      });
    }
    const details = { blockers: [], pause_reason: null, evidence: null };
    const { failures: _, ...again } = task;
    const from = task.status === "done" ? again : task;
    return moved(reopened(state, task_id, moment), from, "doing", "task_started", moment, details);
  };
}

/** Moves a task to todo, from doing or blocked. */
export function pauseTask({ task_id, reason }: { readonly task_id: string; readonly reason?: string }): Command {
  return (state, moment) => {
    const task = taskFor(state, task_id, moment, "todo");
    return moved(state, task, "todo", "task_paused", moment, { blockers: [], pause_reason: reason ?? null });
  };
}

/** Moves a task from doing to blocked, with what it waits for. */
export function blockTask({ task_id, blocker }: { readonly task_id: string; readonly blocker: string }): Command {
  return (state, moment) => {
    const task = taskFor(state, task_id, moment, "blocked");
    return moved(state, task, "blocked", "task_blocked", moment, { blockers: [blocker] });
  };
}

/**
 * Records that a task in progress has failed: it is to do again, as often as its `retries` say; after that it is
 * blocked by the reason, for somebody to change it or to drop it.
 */
export function failTask({ task_id, reason }: { readonly task_id: string; readonly reason: string }): Command {
  return (state, moment) => {
    const task = taskFor(state, task_id, moment, "blocked");
    const failures = (task.failures ?? 0) + 1;
    const details =
      failures <= (task.retries ?? 0)
        ? ({ to: "todo", blockers: [], pause_reason: reason } as const)
        : ({ to: "blocked", blockers: [reason], pause_reason: null } as const);
    const { to, ...rest } = details;
    const { type, data, state: after } = moved(state, { ...task, failures }, to, "task_failed", moment, rest);
    return { type, data: { ...data, reason, failures }, state: after };
  };
}

/**
 * Returns a time in the ledger's format; a day stands for its end, in UTC. Throws `bad-input` for what is none, or has
 * no zone: the machines of one project may be in different ones.
 */
export function dueTime(given: string): string {
  const time = DUE.test(given) ? Date.parse(given.includes("T") ? given : `${given}T23:59:59.999Z`) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw continuityError("bad-input", {
    expected: "due to be a time with its zone, as 2026-11-26T18:00:00Z, or a day, as 2026-11-26",
    found: valueInline(given),
    todo: "Nothing was written.",
  });
}
const DUE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Moves a task from doing to done: it leaves the state with its checkpoint, and its last form is in the event. */
export function completeTask({ task_id, evidence }: { readonly task_id: string; readonly evidence?: string }): Command {
  return (state, moment) => {
    const details = { evidence: evidence ?? null };
    const done = moved(state, taskFor(state, task_id, moment, "done"), "done", "task_completed", moment, details);
    const task = ownEntry(done.state.tasks, task_id)!;
    const checkpoint = ownEntry(state.checkpoints, task_id);
    const last: LastForm = { task, ...(checkpoint ? { checkpoint } : {}) };
    return {
      ...done,
      data: { ...done.data, last },
      state: { ...withoutTask(done.state, task_id), finished: counted(state, { tasks: 1 }) },
    };
  };
}

/** Returns the dependencies of a task that are not done; those that are done have left the state. */
export function openDependencies(state: WorkState, task: Task): Task[] {
  return task.depends_on.flatMap((id) => ownEntry(state.tasks, id) ?? []);
}

/** Returns the state with the checkpoint of a task that had left it. */
function reopened(state: WorkState, task_id: string, { finished }: Moment): WorkState {
  if (ownEntry(finished.tasks, task_id) === undefined) return state;
  const checkpoint = ownEntry(finished.checkpoints, task_id);
  return {
    ...state,
    ...(checkpoint ? { checkpoints: { ...state.checkpoints, [task_id]: checkpoint } } : {}),
    finished: counted(state, { tasks: -1 }),
  };
}

const MAX_NAMED = 5;

/** Returns the task with that id. Throws when it cannot change to that status. */
function taskFor(state: WorkState, task_id: string, reader: Moment, to: TaskStatus): Task {
  const task = requireTask(state, task_id, reader);
  assertTransition(task, to, reader.author);
  return task;
}

export type Details = Partial<Pick<Task, "blockers" | "pause_reason" | "evidence">>;

/** Returns the move of a task to a status, with what goes with it. */
export function moved(
  state: WorkState,
  task: Task,
  to: TaskStatus,
  type: EventType,
  { seq, at, author }: Moment,
  details: Details,
): ReturnType<Command> {
  const changed: Task = { ...task, ...details, status: to, status_seq: seq, updated_at: at, status_author: author };
  return {
    type,
    data: { task_id: task.task_id, from: task.status, to, ...details },
    state: withTask(state, changed, at),
  };
}

/** Returns the state with a task in another form. */
export function withTask(state: WorkState, task: Task, at: string): WorkState {
  return { ...state, tasks: { ...state.tasks, [task.task_id]: task }, worked_at: at };
}
