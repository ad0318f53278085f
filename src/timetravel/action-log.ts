import { originOfResult } from "../transcript/invented.ts";
import { isObject, type JsonObject, toWord } from "../transcript/json/json.ts";
import { idKey, isCallBlock, isFailedTurn, isResultRole, readCall, readResult } from "../transcript/read.ts";
import type { NodeHashes } from "./node-hash.ts";
import { readAborted, readArrival, readIntent, type MoveArrival, type MovedBy, TOBE_TOOL } from "./records.ts";

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
  /** The id of the carryover entry, of an INCARNATE. */
  readonly carryoverId: string | null;
  readonly by: MovedBy;
  /** The row's time in ISO 8601; null when the row has none. */
  readonly time: string | null;
  /** The note of the agent or the operator; missing where there is none. */
  readonly note?: string;
  /** Why the move was not made, of an ABORTED. */
  readonly reason?: string;
  /** The target as the agent wrote it, of a move that was called for and not accepted before its run ended. */
  readonly asked?: string;
}

/**
 * The reason of an ABORTED for a move without an outcome: moves are made at the turn boundary, and the run ended before
 * it.
 */
export const NOT_REACHED = "the run ended before the move";

/** The reason of an ABORTED for a call that has no result of its own: the run ended while the tool was called. */
export const NOT_ACCEPTED = "the run ended before the move was accepted";

/** An action with the hashes of its places, as a copy of the session has them too; null where there is no place. */
export interface HashedAction extends Action {
  readonly fromHash: string | null;
  readonly toHash: string | null;
  readonly carryoverHash: string | null;
}

/** Adds the hashes of their places to actions. */
export function withHashes(actions: readonly Action[], hashes: NodeHashes): HashedAction[] {
  return actions.map((action) => ({
    ...action,
    fromHash: hashes.hash(action.from),
    toHash: hashes.hash(action.to),
    carryoverHash: hashes.hash(action.carryoverId),
  }));
}

/**
 * Builds the action log of a session, in stored order. A pure function of the rows, so a stored log can be dropped and
 * rebuilt at any time. Rows that a repair or a copy has written again are the same move and count once. A move that is
 * still waiting for its turn boundary is reported as aborted.
 */
export function buildActionLog(rows: readonly unknown[]): Action[] {
  const entries = rows.filter(isObject);
  const ids = new Set(entries.map(({ id }) => id));
  const failures = indexByIntent(entries.map(readAborted));
  // A move that failed after its arrival was undone: its carryover is on an abandoned branch.
  const arrivals = indexByIntent(
    entries.map(readArrival).filter((one) => one !== undefined && !failures.has(one.intentId)),
  );
  const intents = new Map<string, string>();
  for (const row of entries) {
    const intent = readIntent(row);
    if (intent && !intents.has(intent.intentId)) intents.set(intent.intentId, toWord(row.id));
  }
  // In a copy with new entry ids, the details still contain the old ones.
  const toDeparture = ({ intentId, departureId }: MoveArrival): string | null =>
    departureId === null || ids.has(departureId) ? departureId : (intents.get(intentId) ?? departureId);

  const resulted = answeredIds(entries);
  const actions: Action[] = [];
  const [asked, ended] = [new Set<string>(), new Set<string>()];
  for (const row of entries) {
    const id = toWord(row.id);
    const time = typeof row.timestamp === "string" ? row.timestamp : null;
    const [intent, arrival, failure] = [readIntent(row), readArrival(row), readAborted(row)];
    for (const call of movesCalledIn(row)) {
      const intentId = `call:${call.id}`;
      if (resulted.has(call.id) || asked.has(intentId)) continue;
      asked.add(intentId);
      const action = {
        intentId,
        from: id,
        to: null,
        carryoverId: null,
        by: "agent",
        time,
        asked: call.target,
      } as const;
      actions.push({ kind: "DEPARTURE", ...action }, { kind: "ABORTED", ...action, reason: NOT_ACCEPTED });
    }
    if (intent && !asked.has(intent.intentId)) {
      const { intentId, targetId: to } = intent;
      const made = arrivals.get(intentId);
      const action = {
        intentId,
        from: made ? toDeparture(made) : id,
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
      const { intentId, targetId, by, note } = arrival;
      const to =
        targetId === null || ids.has(targetId) ? targetId : typeof row.parentId === "string" ? row.parentId : null;
      const action = { intentId, from: toDeparture(arrival), to, by, time } as const;
      if (!asked.has(intentId)) actions.push({ kind: "DEPARTURE", ...action, carryoverId: null });
      actions.push({ kind: "INCARNATE", ...action, carryoverId: id, ...(note !== undefined && { note }) });
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

/** The calls of a row that ask for a move. */
function movesCalledIn(row: JsonObject): { readonly id: string; readonly target: string }[] {
  if (!isObject(row.message) || row.message.role !== "assistant" || !Array.isArray(row.message.content)) return [];
  // The calls of a failed turn were never carried out.
  if (isFailedTurn(row.message)) return [];
  return row.message.content
    .filter(isCallBlock)
    .map(readCall)
    .filter(({ name }) => name === TOBE_TOOL)
    .map(({ id, arguments: input }) => ({ id: idKey(id), target: isObject(input) ? toWord(input.target) : "" }));
}

/** Ids of the calls that the tool itself has answered: with an intent, or with a refusal. */
function answeredIds(entries: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap(({ message }) =>
      isObject(message) && isResultRole(message.role) && originOfResult(message) === "real"
        ? [idKey(readResult(message).id)]
        : [],
    ),
  );
}

function indexByIntent<Item extends { readonly intentId: string }>(
  items: readonly (Item | undefined)[],
): Map<string, Item> {
  const first = new Map<string, Item>();
  for (const item of items) if (item && !first.has(item.intentId)) first.set(item.intentId, item);
  return first;
}
