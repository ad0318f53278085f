import { chooseTreatment, type Refused } from "./choose.ts";
import { treat, type Treatment } from "./treatment.ts";

/** Requests beyond the first that a turn may cost. */
export const MAX_EXTRA_REQUESTS = 2;

/** A history is put aside so often at most without a person's word. */
export const RESET_PAUSE_MS = 24 * 3_600_000;

/** How far the ladder of a turn has been climbed. */
export interface Rungs {
  /** The place that the provider names was treated. */
  healed: boolean;
  /** All tool traffic was put into words. */
  flattened: boolean;
}

/**
 * The next form that a refused history is to be sent in, each rung once a turn: the place that the provider names, then
 * all tool traffic as words, or all that was said as one text. Undefined when nothing is left that would change the
 * history. Marks the rungs as used.
 */
export function nextTreatment(rungs: Rungs, refused: Refused): Treatment | undefined {
  if (!rungs.healed) {
    rungs.healed = true;
    const chosen = chooseTreatment(refused);
    if (chosen) return chosen;
  }
  if (rungs.flattened) return undefined;
  rungs.flattened = true;
  const messages = [...refused.messages];
  const flat: Treatment[] = [{ kind: "flat", keepMedia: refused.failure.problem !== "image" }, { kind: "one_message" }];
  const { allows = () => true } = refused;
  return flat.filter(allows).find((treatment) => treat(messages, treatment) !== messages);
}

/** The history after all these treatments, one behind the other. */
export function treatAll<T>(messages: T[], treatments: readonly Treatment[]): T[] {
  return treatments.reduce<T[]>((history, treatment) => treat(history, treatment), messages);
}

/**
 * The history with its first `end` messages treated; what came later stays as it is. The same list when nothing
 * changes.
 */
export function treatBeginning<T>(messages: T[], end: number, treatments: readonly Treatment[]): T[] {
  if (end <= 0 || treatments.length === 0) return messages;
  const beginning = messages.slice(0, end);
  const treated = treatAll(beginning, treatments);
  const isSame = treated.length === beginning.length && treated.every((message, at) => message === beginning[at]);
  return isSame ? messages : treated.concat(messages.slice(end));
}
