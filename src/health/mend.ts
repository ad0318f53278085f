import { type KnownOutcome, withOutcomes } from "../transcript/interrupted.ts";
import { isObject } from "../transcript/json/json.ts";
import { readOrigin } from "../transcript/origin.ts";
import { isResultRole } from "../transcript/read.ts";
import { isReadableMessage, readableMessage } from "../transcript/readable.ts";
import { repair, type Repair, type RepairStrategy } from "../transcript/repair.ts";

/** A repaired history. */
export interface Mended {
  /** The repaired messages; the list that was given when there is nothing to repair. */
  messages: readonly unknown[];
  repairs: readonly Repair[];
}

/**
 * Repairs a history for storage: `repair` in OpenClaw's spelling. A call without a result gets its result or outcome
 * from `outcomes` (read from the journal). A call that `outcomes` does not know gets a placeholder result, marked with
 * its origin so that a real result can replace it later. Calls of the last message get no placeholder: they may still
 * be running. Repairing the returned history again changes nothing.
 */
export function mend(
  messages: readonly unknown[],
  strategy: RepairStrategy,
  outcomes: readonly KnownOutcome[] = [],
): Mended {
  const { messages: completed, placed } = withOutcomes(messages, outcomes);
  const { messages: repaired, repairs } = repair(completed, { strategy, spelling: "openclaw" });
  const stored = new Set(messages);
  const end = lastOtherThanResult(repaired);
  const kept = repaired
    .filter((message, at) => at < end || stored.has(message) || readOrigin(message).result === undefined)
    .map((message) => (isReadableMessage(message) ? message : readableMessage(message)));
  const isSame = kept.length === messages.length && kept.every((message, at) => message === messages[at]);
  if (isSame) return { messages, repairs: [] };
  // Repairs are reported by message indexes of the given history.
  const done = placed.length === 0 ? repairs : repair(messages, { strategy, spelling: "openclaw" }).repairs;
  const ids = new Set(placed.map(({ callId }) => callId));
  const open = lastOtherThanResult(messages);
  return {
    messages: kept,
    repairs: done.filter(
      ({ action, messageIndex, id }) => action !== "add_result" || messageIndex !== open || ids.has(id),
    ),
  };
}

/** Returns the index of the last message that is not a tool result. */
function lastOtherThanResult(messages: readonly unknown[]): number {
  return messages.findLastIndex((message) => !isObject(message) || !isResultRole(message.role));
}
