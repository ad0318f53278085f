/** Makes a history fit that was refused for its size. */
import { bothBudgets, budgetAfter, budgetBeside, CHARACTERS_PER_TOKEN, type KnownSize } from "./budget.ts";
import { fit } from "./fit.ts";
import { isWithin, messageSize, measureMessages, type Budget, type Size } from "./measure.ts";
import { isAsked } from "./outline.ts";
import type { Excess } from "./read-excess.ts";

/** A request that was refused for its size. */
export interface TooLarge {
  /** The messages that were refused, and the same before anything was left out for its size. */
  readonly sent: readonly unknown[];
  readonly whole: unknown[];
  /** The size of the whole refused request, and of its system prompt and tools. */
  readonly size: Size;
  readonly overhead: Size;
  /** What the refusal says. */
  readonly excess: Excess | undefined;
  /** What is known of the route. */
  readonly known: KnownSize;
  /** How often this request was refused for its size, 1 for the first time. */
  readonly tries: number;
}

/**
 * Returns the messages that fit, and what the request may hold; undefined where no history does, as beside a system
 * prompt that takes all of it, and where nothing would change.
 */
export function fitted(
  before: Budget | undefined,
  { sent, whole, size, overhead, excess, known, tries }: TooLarge,
): { messages: unknown[]; budget: Budget } | undefined {
  const next = budgetAfter(size, excess, known, tries);
  const budget = before && tries === 1 ? bothBudgets(before, next) : next;
  const messages = fitTo(whole, budget, overhead);
  return messages && messages !== sent ? { messages, budget } : undefined;
}

/**
 * Returns of how many tokens a request would show that the budget behind this refusal is too small; undefined where
 * tokens are not what was too much.
 */
export function tokensAbove(size: Size, excess: Excess | undefined, known: KnownSize): number | undefined {
  if (excess !== undefined && excess.unit !== "tokens") return undefined;
  return (
    known.tokens ?? excess?.limit ?? Math.ceil(size.characters / (known.charactersPerToken ?? CHARACTERS_PER_TOKEN))
  );
}

/** Returns the messages as far as the request takes them: the same list where all fit, undefined where none do. */
export function fitTo(messages: unknown[], budget: Budget, overhead: Size): unknown[] | undefined {
  const left = budgetBeside(budget, overhead);
  const shown = left && fit(messages, left);
  return shown && isWithin(measureMessages(shown), left) ? shown : undefined;
}

/** True where the newest question alone is more than the route takes, by the numbers of its refusal. */
export function isQuestionTooLarge(messages: readonly unknown[], excess: Excess | undefined): boolean {
  const { unit, count = 0, limit = Infinity } = excess ?? {};
  const question = messages.findLast(isAsked);
  if (unit !== "tokens" || question === undefined) return false;
  return (messageSize(question).characters / measureMessages(messages).characters) * count > limit;
}
