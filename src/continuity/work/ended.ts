import { nameInline, valueInline } from "../../base/quoted.ts";
import { type Author, strangerTo } from "../base/author.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import type { EventType } from "../decide/decision.ts";
import type { LedgerEvent } from "../ledger/events.ts";

/** One change of a goal, a task or a step, as the ledger has it. */
export interface Change {
  readonly seq: number;
  readonly at: string;
  readonly author: Author | null;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns the changes that an event records: itself, or those that were written together, the last one first. */
export function changesOf(event: LedgerEvent): readonly Change[] {
  const { event_seq, timestamp, event_type, data } = event;
  const author = event.author ?? null;
  const change: Pick<Change, "seq" | "at" | "author"> = { seq: event_seq, at: timestamp, author };
  const { changes, ...rest } = data;
  if (!Array.isArray(changes)) return [{ ...change, type: event_type, data }];
  return (changes as readonly ({ readonly type: EventType } & Record<string, unknown>)[])
    .map(({ type, ...own }) => ({ ...change, type, data: { ...rest, ...own } }))
    .toReversed();
}

/** Returns how a task was dropped, by the latest event that changed the task; undefined when that is another one. */
export function dropOf(latest: LedgerEvent | undefined): Change | undefined {
  return latest?.event_type === "task_dropped" ? changesOf(latest)[0] : undefined;
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ContinuityError && error.code === "not-found";
}

/** The refusal of a change of a task that was dropped. */
export function droppedTask(task_id: string, { at, data, author }: Change, reader: Author): Error {
  const by = strangerTo(reader, author);
  return continuityError("invalid-transition", {
    expected: `task ${nameInline(task_id)} to be among the open ones`,
    found: `it was dropped ${at}${by === undefined ? "" : ` by ${by}`}: ${valueInline(data["reason"])}`,
    todo: "Add a task if there is more to do. Nothing was changed.",
  });
}
