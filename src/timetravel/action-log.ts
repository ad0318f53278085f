import { isObject, wordOf } from "../transcript/json/json.ts";
import { abortedOf, arrivalOf, intentOf, type MoveArrival, type MovedBy } from "./records.ts";

/**
 * A row of the action log. Each move has two: its DEPARTURE, and after it an INCARNATE when the move was made or an
 * ABORTED when it was not.
 */
export interface Action {
  readonly kind: "DEPARTURE" | "INCARNATE" | "ABORTED";
  readonly intentId: string;
  /** The node before the move; null when there was none. */
  readonly from: string | null;
  /** The target of the move; null is the place before the first message. */
  readonly to: string | null;
  /** Of an INCARNATE: the id of the carryover entry. */
  readonly carryoverId: string | null;
  readonly by: MovedBy;
  /** The row's time in ISO 8601; null when the row has none. */
  readonly time: string | null;
  /** Of an ABORTED: why the move was not made. */
  readonly reason?: string;
}

/**
 * The reason of an ABORTED for a move without an outcome: moves are made at the turn boundary, and the run ended before
 * it.
 */
export const NOT_REACHED = "the run ended before the move";

/**
 * Builds the action log of a session, in stored order. A pure function of the rows, so a stored log can be dropped and
 * rebuilt at any time. Rows that a repair or a copy has written again are the same move and count once. A move that is
 * still waiting for its turn boundary is reported as aborted.
 */
export function actionsOf(rows: readonly unknown[]): Action[] {
  const entries = rows.filter(isObject);
  const ids = new Set(entries.map(({ id }) => id));
  const failures = firstOf(entries.map(abortedOf));
  // A move that failed after its arrival was undone: its carryover is on an abandoned branch.
  const arrivals = firstOf(entries.map(arrivalOf).filter((one) => one !== undefined && !failures.has(one.intentId)));
  const intents = new Map<string, string>();
  for (const row of entries) {
    const intent = intentOf(row);
    if (intent && !intents.has(intent.intentId)) intents.set(intent.intentId, wordOf(row.id));
  }
  // In a copy with new entry ids, the details still contain the old ones.
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
