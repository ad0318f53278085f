import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { blocksOf } from "../forms/turns.ts";
import { leftOutSteps, leftOutTurns } from "../words.ts";
import { isWithin, messageSize, sumOf, type Budget } from "./measure.ts";
import { Replay } from "./replay.ts";

/** Options of {@link fit}. */
export interface FitOptions {
  /**
   * True for a message that is not left out with the turns around it and is shortened last of all, as the summary of a
   * compaction. Messages with the marked system prompt are always kept, and whole.
   */
  isKept?: (message: unknown) => boolean;
}

/**
 * Makes a valid history fit a budget, which is for the messages alone. Left out are, each only as far as it takes to come
 * well below the budget: the middles of older results, then of older messages, from the oldest on; pictures and files
 * from the oldest on, first of all where only the bytes are too many; the oldest turns; the oldest steps of the newest
 * turn; then the middles of what is newest. The newest question is shortened only where it does not fit with the last
 * step at its shortest. What is left out is said at its place. Thinking stays whole or goes with its turn.
 *
 * Returns the same list when it fits, and its shortest form when even that does not: see {@link isWithin}. No message
 * is changed in place. Deterministic and idempotent; the result is as valid as the history. While a conversation grows
 * and the budget stays, the fitted history begins with the same messages until it reaches the budget again. Linear in
 * the history.
 */
export function fit<T>(messages: T[], budget: Budget, { isKept = () => false }: FitOptions = {}): T[] {
  const sizes = messages.map(messageSize);
  if (isWithin(sumOf(sizes), budget)) return messages;
  const { shown, left, leftInTurns, turnsBefore, leftInSteps } = new Replay(messages, sizes, budget, isKept).run();
  const out: unknown[] = [];
  const before = leftInSteps.get(-1);
  if (before !== undefined) out.push({ role: "user", content: [noteOf(leftOutSteps(before))] });
  for (let at = 0; at < shown.length; at++) {
    if (left.has(at)) continue;
    const turns = at === turnsBefore && leftInTurns > 0 ? [noteOf(leftOutTurns(leftInTurns))] : [];
    const count = leftInSteps.get(at);
    const steps = count === undefined ? [] : [noteOf(leftOutSteps(count))];
    out.push(turns.length + steps.length === 0 ? shown[at] : withNotes(shown[at], turns, steps));
  }
  return out as T[];
}

function noteOf(text: string): JsonObject {
  return { type: "text", text };
}

function withNotes(message: unknown, before: readonly JsonObject[], behind: readonly JsonObject[]): unknown {
  return isObject(message)
    ? { ...message, content: before.concat(blocksOf(message) as JsonObject[], behind) }
    : message;
}
