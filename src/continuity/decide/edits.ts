/** Decides edits of goals and tasks; the words stay their author's where they do not change. */
import { joinSome } from "../../base/join-some.ts";
import { continuityError } from "../base/errors.ts";
import { canonicalText } from "../base/json.ts";
import { type Goal, isOver, type Task, type WorkState } from "../base/state.ts";
import { type Author, isSameAuthor } from "../base/author.ts";
import type { Command, Moment } from "./decision.ts";
import { goalCalled, requireGoal, ownEntry, taskCalled, requireTask, requireUndoneTask } from "./find.ts";
import { dueTime, openDependencies, withTask } from "./tasks.ts";
import { Unchanged } from "./unchanged.ts";

const MAX_NAMED = 5;

/** New words, dependencies or rank of a task; what is left out stays. */
export interface TaskEdit {
  readonly title?: string | undefined;
  readonly acceptance_criteria?: readonly string[] | undefined;
  readonly depends_on?: readonly string[] | undefined;
  /** Null: that of its goal. */
  readonly priority?: number | null | undefined;
  /** A time with its zone, or a day; null for none. */
  readonly due?: string | null | undefined;
  /** Null for none. */
  readonly retries?: number | null | undefined;
}

/** New words or another priority of a goal; what is left out stays. */
export interface GoalEdit {
  readonly text?: string | undefined;
  readonly priority?: number | undefined;
}

/**
 * Changes a task that is not done. Only words that differ from the recorded ones become the editor's: a stranger's
 * words do not change hands because another field is edited, or because they are repeated. Throws when a dependency
 * does not exist, waits for this task, or is open while this task is in progress.
 */
export function editTask({ task_id, ...edit }: TaskEdit & { readonly task_id: string }): Command {
  return (state, moment) => {
    const { at, author } = moment;
    const task = requireUndoneTask(
      state,
      task_id,
      moment,
      "Start the task first, which reopens it, or add another one. Nothing was changed.",
    );
    const changes = differing<TaskEdit>(task, {
      title: edit.title,
      acceptance_criteria: edit.acceptance_criteria,
      depends_on: edit.depends_on && [...new Set(edit.depends_on)],
      priority: edit.priority,
      due: typeof edit.due === "string" ? dueTime(edit.due) : edit.due,
      retries: edit.retries,
    });
    if (Object.keys(changes).length === 0) throw alike(state, task_id, `task ${taskCalled(task, author)}`);
    const changed: Task = { ...edited(task, changes, author), updated_at: at };
    if (changes.depends_on !== undefined) assertDependencies(state, changed, moment);
    return { type: "task_edited", data: { task_id, ...changes }, state: withTask(state, changed, at) };
  };
}

/** Changes the text or the priority of a goal that is not done; only a text that differs becomes the editor's. */
export function editGoal({ goal_id, text, priority }: GoalEdit & { readonly goal_id: string }): Command {
  return (state, moment) => {
    const { at, author } = moment;
    const goal = requireGoal(state, goal_id, moment);
    if (isOver(goal.status))
      throw continuityError("invalid-transition", {
        expected: "a goal that is not over",
        found: `goal ${goalCalled(goal, author)} is ${goal.status}`,
        todo: "Set it active again first, or create another goal. Nothing was changed.",
      });
    const changes = differing(goal, { text, priority });
    if (Object.keys(changes).length === 0) throw alike(state, goal_id, `goal ${goalCalled(goal, author)}`);
    const changed: Goal = { ...goal, ...changes, ...(changes.text === undefined ? {} : { author }), updated_at: at };
    return {
      type: "goal_edited",
      data: { goal_id, ...changes },
      state: { ...state, goals: { ...state.goals, [goal_id]: changed }, worked_at: at },
    };
  };
}

/** Returns the wanted fields whose values are given and not recorded yet. */
function differing<Fields extends object>(
  recorded: Fields,
  wanted: { readonly [Name in keyof Fields]?: Fields[Name] | undefined },
): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) =>
        value !== undefined && canonicalText(value) !== canonicalText(recorded[name as keyof Fields] ?? null),
    ),
  ) as Partial<Fields>;
}

const CAN_BE_NONE: ReadonlySet<string> = new Set(["priority", "due", "retries"]);

/** Returns the task with its new fields; each of its words keeps its author unless the word is new. */
function edited(task: Task, changes: TaskEdit, editor: Author): Task {
  const { author, criteria_author = author, ...rest } = task;
  const ofTitle = changes.title === undefined ? author : editor;
  const ofCriteria = changes.acceptance_criteria === undefined ? criteria_author : editor;
  // What is taken away is null in the changes, and missing in a task.
  const kept = Object.entries({ ...rest, ...changes }).filter(
    ([name, value]) => value !== null || !CAN_BE_NONE.has(name),
  );
  const changed = Object.fromEntries(kept) as unknown as Task;
  const areTwo = changed.acceptance_criteria.length > 0 && !isSameAuthor(ofTitle, ofCriteria);
  return { ...changed, author: ofTitle, ...(areTwo ? { criteria_author: ofCriteria } : {}) };
}

function alike(state: WorkState, id: string, called: string): Unchanged {
  return new Unchanged(state, id, { expected: `a change of ${called}`, found: "what is recorded already" });
}

/**
 * Throws unless the dependencies of the task in its new form exist, do not wait for the task, and permit its status.
 */
function assertDependencies(state: WorkState, task: Task, moment: Moment): void {
  const { author: reader } = moment;
  for (const id of task.depends_on) requireTask(state, id, moment);
  const circle = findCircle(state, task);
  if (circle !== undefined)
    throw continuityError("dependencies-open", {
      expected: `tasks that do not wait for task ${taskCalled(task, reader)}`,
      found: joinSome(
        circle.map((one) => taskCalled(one, reader)),
        MAX_NAMED,
        ", which waits for ",
      ),
      todo: "Leave that dependency out, or edit the other tasks first. Nothing was changed.",
    });
  const [open] = task.status === "doing" ? openDependencies(state, task) : [];
  if (open !== undefined)
    throw continuityError("dependencies-open", {
      expected: `a task that is in progress to depend on tasks that are done only`,
      found: `${taskCalled(open, reader)} is ${open.status}`,
      todo: `Set task ${task.task_id} to todo or blocked first, or complete that one. Nothing was changed.`,
    });
}

/** Returns the way from the task over its dependencies that are not done back to itself, if there is one. */
function findCircle(state: WorkState, task: Task): readonly Task[] | undefined {
  const from = new Map<string, Task>();
  const toVisit: Task[] = [task];
  for (let one = toVisit.pop(); one !== undefined; one = toVisit.pop()) {
    for (const id of one.depends_on) {
      if (id === task.task_id) return wayTo(one, task, from);
      const next = ownEntry(state.tasks, id);
      if (next === undefined || from.has(id)) continue;
      from.set(id, one);
      toVisit.push(next);
    }
  }
  return undefined;
}

/** Returns the way from the task to one that waits for it, and the task again. */
function wayTo(last: Task, task: Task, from: ReadonlyMap<string, Task>): readonly Task[] {
  const way = [task];
  for (let one = last; one !== task; one = from.get(one.task_id)!) way.unshift(one);
  return [task, ...way];
}
