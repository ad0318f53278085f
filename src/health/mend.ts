import { type KnownOutcome, withOutcomes } from "../transcript/interrupted.ts";
import { isObject } from "../transcript/json/json.ts";
import { originOf } from "../transcript/origin.ts";
import { isResultRole } from "../transcript/read.ts";
import { isReadableMessage, readableMessage } from "../transcript/readable.ts";
import { repair, type Repair, type RepairStrategy } from "../transcript/repair.ts";

/** A history as it may be stored. */
export interface Mended {
  /** The very list that was given when there is nothing to do. */
  messages: readonly unknown[];
  repairs: readonly Repair[];
}

/**
 * A history put right for the store: `repair` in OpenClaw's own spelling. A call without a result gets the one that is
 * known of it (`outcomes`, from the journal), else words that it may have run or that nobody knows, marked as ours, so
 * that a result that is known later takes their place. Behind the last answer nothing is claimed: what has no result
 * there may be under way. Twice is as good as once.
 */
export function mend(
  messages: readonly unknown[],
  strategy: RepairStrategy,
  outcomes: readonly KnownOutcome[] = [],
): Mended {
  const { messages: told, placed } = withOutcomes(messages, outcomes);
  const { messages: repaired, repairs } = repair(told, { strategy, spelling: "openclaw" });
  const stored = new Set(messages);
  const end = lastSaid(repaired);
  const kept = repaired
    .filter((message, at) => at < end || stored.has(message) || originOf(message).result === undefined)
    .map((message) => (isReadableMessage(message) ? message : readableMessage(message)));
  const isSame = kept.length === messages.length && kept.every((message, at) => message === messages[at]);
  if (isSame) return { messages, repairs: [] };
  // Told by the places in the history that was given.
  const done = placed.length === 0 ? repairs : repair(messages, { strategy, spelling: "openclaw" }).repairs;
  const ids = new Set(placed.map(({ callId }) => callId));
  const open = lastSaid(messages);
  return {
    messages: kept,
    repairs: done.filter(
      ({ action, messageIndex, id }) => action !== "add_result" || messageIndex !== open || ids.has(id),
    ),
  };
}

/** The last message that is no result. */
function lastSaid(messages: readonly unknown[]): number {
  return messages.findLastIndex((message) => !isObject(message) || !isResultRole(message.role));
}
