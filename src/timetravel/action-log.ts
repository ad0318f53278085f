import { isObject, wordOf } from "../transcript/json/json.ts";
import { abortedOf, arrivalOf, intentOf, type MoveArrival, type MovedBy } from "./records.ts";

/**
 * A row of the action log. Every move has two: its DEPARTURE, and behind it the INCARNATE of the one that was made or
 * the ABORTED of the one that was not.
 */
export interface Action {
  readonly kind: "DEPARTURE" | "INCARNATE" | "ABORTED";
  readonly intentId: string;
  /** Where the conversation stood; null when nothing had been said. */
  readonly from: string | null;
  /** Where it was to go on; null is the place before the first message. */
  readonly to: string | null;
  /** Of an INCARNATE: the entry that the conversation goes on with there. */
  readonly carryoverId: string | null;
  readonly by: MovedBy;
  /** As the row says it, ISO 8601; null when it says none. */
  readonly time: string | null;
  /** Of an ABORTED. */
  readonly reason?: string;
}

/**
 * What an intent without an end is closed with: it is carried out at the turn boundary, and its run did not get there.
 */
export const NOT_REACHED = "the run ended before the move";

/**
 * The action log of a session, in stored order: a pure function of its rows, so that it can be dropped and made anew at
 * any time. Rows that were said again behind a repair or in a copy are the same move and count once. While a run is
 * between the call of its tool and the turn boundary, its move is told as aborted. Issue 8, item 4.
 */
export function actionsOf(rows: readonly unknown[]): Action[] {
  const entries = rows.filter(isObject);
  const ids = new Set(entries.map(({ id }) => id));
  const failures = firstOf(entries.map(abortedOf));
  // One that failed behind its arrival was taken back: what arrived is a branch that nobody is on.
  const arrivals = firstOf(entries.map(arrivalOf).filter((one) => one !== undefined && !failures.has(one.intentId)));
  const intents = new Map<string, string>();
  for (const row of entries) {
    const intent = intentOf(row);
    if (intent && !intents.has(intent.intentId)) intents.set(intent.intentId, wordOf(row.id));
  }
  // A copy under other ids keeps the old ones in its details.
  const departureOf = ({ intentId, departureId }: MoveArrival): string | null =>
    departureId === null || ids.has(departureId) ? departureId : (intents.get(intentId) ?? departureId);

  const actions: Action[] = [];
  const [asked, ended] = [new Set<string>(), new Set<string>()];
  for (const row of entries) {
    const id = wordOf(row.id);
    const time = typeof row.timestamp === "string" ? row.timestamp : null;
    const [intent, arrival, failure] = [intentOf(row), arrivalOf(row), abortedOf(row)];
    if (intent && !asked.has(intent.intentId)) {
      const { intentId, targetId: to } = intent;
      const made = arrivals.get(intentId);
      const action = {
        intentId,
        from: made ? departureOf(made) : id,
        to,
        carryoverId: null,
        by: "agent",
        time,
      } as const;
      actions.push({ kind: "DEPARTURE", ...action });
      asked.add(intentId);
      if (!made && !failures.has(intentId)) actions.push({ kind: "ABORTED", ...action, reason: NOT_REACHED });
    }
    if (arrival && arrivals.has(arrival.intentId) && !ended.has(arrival.intentId)) {
      const { intentId, targetId, by } = arrival;
      const to =
        targetId === null || ids.has(targetId) ? targetId : typeof row.parentId === "string" ? row.parentId : null;
      const action = { intentId, from: departureOf(arrival), to, by, time } as const;
      if (!asked.has(intentId)) actions.push({ kind: "DEPARTURE", ...action, carryoverId: null });
      actions.push({ kind: "INCARNATE", ...action, carryoverId: id });
      asked.add(intentId);
      ended.add(intentId);
    }
    if (failure && !ended.has(failure.intentId)) {
      const { intentId, targetId, reason } = failure;
      const action = {
        intentId,
        from: intents.get(intentId) ?? (typeof row.parentId === "string" ? row.parentId : null),
        to: targetId,
        carryoverId: null,
        by: "agent",
        time,
      } as const;
      if (!asked.has(intentId)) actions.push({ kind: "DEPARTURE", ...action });
      actions.push({ kind: "ABORTED", ...action, reason });
      asked.add(intentId);
      ended.add(intentId);
    }
  }
  return actions;
}

function firstOf<Item extends { readonly intentId: string }>(items: readonly (Item | undefined)[]): Map<string, Item> {
  const first = new Map<string, Item>();
  for (const item of items) if (item && !first.has(item.intentId)) first.set(item.intentId, item);
  return first;
}
