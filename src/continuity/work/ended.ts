/** How goals and tasks that have left the state ended, by the ledger. */
import { nameInline, valueInline } from "../../base/quoted.ts";
import { type Author, strangerTo } from "../base/author.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import type { EventType } from "../decide/decision.ts";
import type { LedgerEvent } from "../ledger/events.ts";

/** One change of a goal, a task or a step, as the ledger has it. */
export interface Change {
  readonly seq: number;
  readonly at: string;
  readonly author: Author;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The end of a task that is no longer among the open ones. */
export interface TaskEnd extends Change {
  readonly status: "done" | "dropped";
}

const ENDS: Readonly<Partial<Record<EventType, TaskEnd["status"]>>> = {
  task_completed: "done",
  task_dropped: "dropped",
};

/** Returns the changes that an event records: itself, or those that were written together, the last one first. */
export function listChanges(event: LedgerEvent): readonly Change[] {
  const { event_seq, timestamp, event_type, author, data } = event;
  const change: Pick<Change, "seq" | "at" | "author"> = { seq: event_seq, at: timestamp, author };
  const { changes, ...rest } = data;
  if (!Array.isArray(changes)) return [{ ...change, type: event_type, data }];
  return (changes as readonly ({ readonly type: EventType } & Record<string, unknown>)[])
    .map(({ type, ...own }) => ({ ...change, type, data: { ...rest, ...own } }))
    .toReversed();
}

/** Returns how a task ended, from the latest event that changed it; undefined when that was no end. */
export function readTaskEnd(latest: LedgerEvent | undefined): TaskEnd | undefined {
  if (!latest) return undefined;
  const change = listChanges(latest).find(({ type }) => type.startsWith("task_"));
  const status = change && ENDS[change.type];
  return status && { ...change, status };
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ContinuityError && error.code === "not-found";
}

/** The refusal of a change of a task that has left the work. */
export function goneTask(task_id: string, { status, at, data, author }: TaskEnd, reader: Author): Error {
  const by = strangerTo(reader, author);
  const why = data["reason"] ?? data["evidence"];
  return continuityError("invalid-transition", {
    expected: `task ${nameInline(task_id)} to be among the open ones`,
    found:
      `it was ${status === "done" ? "completed" : "dropped"} ${at}${by === undefined ? "" : ` by ${by}`}` +
      (typeof why === "string" ? `: ${valueInline(why)}` : ""),
    todo: "Add a task if there is more to do. Nothing was changed.",
  });
}
