import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { textBlock, toBlocks } from "../forms/blocks.ts";
import { leftOutSteps, leftOutTurns } from "../words.ts";
import { isWithin, messageSize, sumSizes, type Budget } from "./measure.ts";
import { NO_QUESTION, Replay } from "./replay.ts";

/** Options of {@link fit}. */
export interface FitOptions {
  /**
   * True for a message that is not left out with the turns around it and is shortened last of all, as the summary of a
   * compaction. Messages with the marked system prompt are always kept, and whole.
   */
  isKept?: (message: unknown) => boolean;
}

/**
 * Makes a valid history fit a budget, which is for the messages alone. {@link Replay} decides what is left out and in
 * which order; here the notes that say so are put in its place. Thinking stays whole or goes with its turn.
 *
 * Returns the same list when it fits, and its shortest form when even that does not: see {@link isWithin}. No message
 * is changed in place. Deterministic and idempotent; the result is as valid as the history. While a conversation grows
 * and the budget stays, the fitted history begins with the same messages until it reaches the budget again. Linear in
 * the history.
 */
export function fit<T>(messages: T[], budget: Budget, { isKept = () => false }: FitOptions = {}): T[] {
  const sizes = messages.map(messageSize);
  if (isWithin(sumSizes(sizes), budget)) return messages;
  const replay = new Replay(messages, sizes, budget, isKept).run();
  const { shown, leftOut, messagesInLeftTurns, firstKeptTurn, messagesInLeftSteps } = replay;
  const fitted: unknown[] = [];
  const inLeftSteps = messagesInLeftSteps.get(NO_QUESTION);
  if (inLeftSteps !== undefined) fitted.push({ role: "user", content: [textBlock(leftOutSteps(inLeftSteps))] });
  for (let at = 0; at < shown.length; at++) {
    if (leftOut.has(at)) continue;
    const turns = at === firstKeptTurn && messagesInLeftTurns > 0 ? [textBlock(leftOutTurns(messagesInLeftTurns))] : [];
    const count = messagesInLeftSteps.get(at);
    const steps = count === undefined ? [] : [textBlock(leftOutSteps(count))];
    fitted.push(turns.length + steps.length === 0 ? shown[at] : withNotes(shown[at], turns, steps));
  }
  return fitted as T[];
}

function withNotes(message: unknown, before: readonly JsonObject[], behind: readonly JsonObject[]): unknown {
  return isObject(message)
    ? { ...message, content: before.concat(toBlocks(message) as JsonObject[], behind) }
    : message;
}
