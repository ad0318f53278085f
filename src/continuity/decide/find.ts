import { nameInline, quotedInline, valueInline } from "../../base/quoted.ts";
import { someOf } from "../../base/some-of.ts";
import { type Author, PROGRAM, strangerTo } from "../base/author.ts";
import { continuityError } from "../base/errors.ts";
import type { Goal, Task, WorkState } from "../base/state.ts";

/**
 * The goal of that id in this project. Throws `not-found` to that reader; a goal of another project is not found
 * either.
 */
export function goalOf(state: WorkState, goal_id: string, reader: Author = PROGRAM): Goal {
  return (
    ownEntry(state.goals, goal_id) ??
    missing(
      state,
      "goal",
      goal_id,
      Object.values(state.goals)
        .filter(({ status }) => status === "active")
        .map((goal) => goalCalled(goal, reader)),
    )
  );
}

/**
 * The task of that id in this project. Throws `not-found` to that reader; a task of another project is not found
 * either.
 */
export function taskOf(state: WorkState, task_id: string, reader: Author = PROGRAM): Task {
  return (
    ownEntry(state.tasks, task_id) ??
    missing(
      state,
      "task",
      task_id,
      Object.values(state.tasks)
        .filter(({ status }) => status !== "done")
        .map((task) => taskCalled(task, reader)),
    )
  );
}

/** A goal in a message: its id, and how its text begins. */
export function goalCalled({ goal_id, text, author }: Goal, reader: Author): string {
  return called(goal_id, text, strangerTo(reader, author));
}

/** A task in a message: its id, and how its title begins. */
export function taskCalled({ task_id, title, author }: Task, reader: Author): string {
  return called(task_id, title, strangerTo(reader, author));
}

function called(id: string, text: string, stranger: string | undefined): string {
  return `${nameInline(id)} (${stranger === undefined ? "" : `by ${stranger}: `}${quotedInline(text, LONGEST_BEGINNING)})`;
}

/** The entry of that name; what every object has by its prototype ("constructor") is none. */
export function ownEntry<Entry>(record: Readonly<Record<string, Entry>>, id: string): Entry | undefined {
  return Object.hasOwn(record, id) ? record[id] : undefined;
}

const MOST_NAMED = 5;
const LONGEST_BEGINNING = 40;

function missing(state: WorkState, kind: string, id: string, open: readonly string[]): never {
  throw continuityError("not-found", {
    expected: `the id of a ${kind} of project ${nameInline(state.project_id)}`,
    found: valueInline(id),
    todo: open.length === 0 ? `This project has no open ${kind}.` : `Open ones: ${someOf(open, MOST_NAMED)}.`,
  });
}
