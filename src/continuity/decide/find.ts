/** Finds a goal or task in the state for a command, or refuses in words that help the reader to the right id. */
import { nameInline, quotedInline, valueInline } from "../../base/quoted.ts";
import { joinSome } from "../../base/join-some.ts";
import { type Author, strangerTo } from "../base/author.ts";
import { continuityError } from "../base/errors.ts";
import type { Goal, Task, WorkState } from "../base/state.ts";
import type { Moment } from "./decision.ts";

/** Who reads the message of a refusal, and what is known beside the state. */
export type Reader = Pick<Moment, "author" | "finished">;

/**
 * Returns the goal with that id, also a finished one. Throws `not-found`, with a message for the author, when the
 * project has none, also for the id of another project's goal.
 */
export function requireGoal(state: WorkState, goal_id: string, { author, finished }: Reader): Goal {
  return (
    ownEntry(state.goals, goal_id) ??
    ownEntry(finished.goals, goal_id) ??
    missing(
      state,
      "goal",
      goal_id,
      Object.values(state.goals)
        .filter(({ status }) => status === "active")
        .map((goal) => goalCalled(goal, author)),
    )
  );
}

/**
 * Returns the task with that id, also a finished one. Throws `not-found`, with a message for the author, when the
 * project has none, also for the id of another project's task.
 */
export function requireTask(state: WorkState, task_id: string, { author, finished }: Reader): Task {
  return (
    ownEntry(state.tasks, task_id) ??
    ownEntry(finished.tasks, task_id) ??
    missing(
      state,
      "task",
      task_id,
      Object.values(state.tasks).map((task) => taskCalled(task, author)),
    )
  );
}

/**
 * Returns a task as {@link requireTask} does, and throws as that does; also `invalid-transition` for one that is done:
 * `todo` says what to do then.
 */
export function requireUndoneTask(state: WorkState, task_id: string, reader: Reader, todo: string): Task {
  const task = requireTask(state, task_id, reader);
  if (task.status !== "done") return task;
  throw continuityError("invalid-transition", {
    expected: "a task that is not done",
    found: `task ${taskCalled(task, reader.author)} is done`,
    todo,
  });
}

/** Describes a goal in a message: its id and the beginning of its text. */
export function goalCalled({ goal_id, text, author }: Goal, reader: Author): string {
  return called(goal_id, text, strangerTo(reader, author));
}

/** Describes a task in a message: its id and the beginning of its title. */
export function taskCalled({ task_id, title, author }: Task, reader: Author): string {
  return called(task_id, title, strangerTo(reader, author));
}

function called(id: string, text: string, stranger: string | undefined): string {
  const by = stranger === undefined ? "" : `by ${stranger}: `;
  return `${nameInline(id)} (${by}${quotedInline(text, LONGEST_BEGINNING)})`;
}

/** Returns an object's own entry; inherited properties ("constructor") do not count. */
export function ownEntry<Entry>(record: Readonly<Record<string, Entry>>, id: string): Entry | undefined {
  return Object.hasOwn(record, id) ? record[id] : undefined;
}

const MAX_NAMED = 5;
const LONGEST_BEGINNING = 40;

function missing(state: WorkState, kind: string, id: string, open: readonly string[]): never {
  throw continuityError("not-found", {
    expected: `the id of a ${kind} of project ${nameInline(state.project_id)}`,
    found: valueInline(id),
    todo: open.length === 0 ? `This project has no open ${kind}.` : `Open ones: ${joinSome(open, MAX_NAMED)}.`,
  });
}
