import { originOf } from "../transcript/origin.ts";
import { isReadableMessage, readableMessage } from "../transcript/readable.ts";
import { repair, type Repair, type RepairStrategy } from "../transcript/repair.ts";

/** A history as it may be stored. */
export interface Mended {
  /** The very list that was given when there is nothing to do. */
  messages: readonly unknown[];
  repairs: readonly Repair[];
}

/**
 * A history put right for the store: `repair` in OpenClaw's own spelling, but nothing is put in the place of a result that is not there. That is
 * said to a model when it is asked, by what the journal knows then; a store must not claim it. Twice is as good as once. Issue 6, item 1.
 */
export function mend(messages: readonly unknown[], strategy: RepairStrategy): Mended {
  const { messages: repaired, repairs } = repair(messages, { strategy, spelling: "openclaw" });
  const stored = new Set(messages);
  const kept = repaired.filter((message) => stored.has(message) || !isInvented(message)).map((message) => (isReadableMessage(message) ? message : readableMessage(message)));
  const isSame = kept.length === messages.length && kept.every((message, at) => message === messages[at]);
  return isSame ? { messages, repairs: [] } : { messages: kept, repairs: repairs.filter(({ action }) => action !== "add_result") };
}

function isInvented(message: unknown): boolean {
  return originOf(message).result !== undefined;
}
