/** How much the next request may hold after one that was refused for its size. */
import type { Budget, Size } from "./measure.ts";
import type { Excess } from "./read-excess.ts";

/** What is known of a route before a request is made. */
export interface KnownSize {
  /** How many tokens a request may have. */
  readonly tokens?: number | undefined;
  /** How many bytes its body may have. */
  readonly bytes?: number | undefined;
  /** How many characters a token has, as {@link charactersPerToken} measures them. */
  readonly charactersPerToken?: number | undefined;
}

/** How much of what a route takes is used after the first refusal, the second, and every later one. */
const USED = [0.9, 0.7, 0.5] as const;

/** Characters of a token where none were measured: fewer than in English words, so that code fits too. */
export const CHARACTERS_PER_TOKEN = 3;

/** What is left where a refusal names no number. */
const HALF = 0.5;

/** The least that is left after one refusal: numbers that would leave less are not those of this request. */
const LEAST = 0.05;

/** How much another budget may differ from the one before, below and above it, for the one before to stay. */
const NEARLY = { below: 0.95, above: 1.3 } as const;

/**
 * Returns what the whole request may hold that is sent after one that was refused for its size. `sent` is the size of
 * the refused request, `excess` what its refusal says, `tries` how often this request was refused for its size, 1 for
 * the first time. Only what was too much is limited. Each budget is smaller than what was sent.
 */
export function budgetAfter(sent: Size, excess: Excess | undefined, known: KnownSize = {}, tries = 1): Budget {
  const used = USED[Math.min(Math.max(tries, 1), USED.length) - 1]!;
  if (excess?.unit === "bytes")
    return {
      bytes: clamped(sent.bytes, partTaken(excess) ?? toFraction(sent.bytes, excess.limit ?? known.bytes), used),
    };
  // An adapter makes several of one message, or one of several: only the provider's own count of them is a measure.
  if (excess?.unit === "messages") return { messages: clamped(sent.messages, partTaken(excess), used) };
  const { characters } = sent;
  const part = excess && partTaken(excess);
  if (part !== undefined || excess?.unit === "characters") return { characters: clamped(characters, part, used) };
  const perToken = known.charactersPerToken ?? CHARACTERS_PER_TOKEN;
  const tokens = excess?.limit ?? known.tokens;
  const charactersTaken =
    excess?.over === undefined ? tokens && tokens * perToken : characters - excess.over * perToken;
  return { characters: clamped(characters, toFraction(characters, charactersTaken), used) };
}

/** Returns what a request may hold by what is known of its route; no limit where that is not known. */
export function toBudget({ tokens, bytes, charactersPerToken }: KnownSize): Budget {
  return {
    ...(tokens !== undefined &&
      charactersPerToken !== undefined && { characters: Math.floor(tokens * charactersPerToken * USED[0]) }),
    ...(bytes !== undefined && { bytes: Math.floor(bytes * USED[0]) }),
  };
}

/** Returns the limits of both budgets. */
export function bothBudgets(one: Budget, other: Budget): Budget {
  const characters = Math.min(one.characters ?? Infinity, other.characters ?? Infinity);
  const bytes = Math.min(one.bytes ?? Infinity, other.bytes ?? Infinity);
  const messages = Math.min(one.messages ?? Infinity, other.messages ?? Infinity);
  return {
    ...(characters < Infinity && { characters }),
    ...(bytes < Infinity && { bytes }),
    ...(messages < Infinity && { messages }),
  };
}

/** Returns what is left of a budget beside system prompt and tools; undefined where these alone take all of it. */
export function budgetBeside(
  budget: Budget,
  { characters, bytes }: Pick<Size, "characters" | "bytes">,
): Budget | undefined {
  const rest: Budget = {
    ...(budget.characters !== undefined && { characters: budget.characters - characters }),
    ...(budget.bytes !== undefined && { bytes: budget.bytes - bytes }),
    ...(budget.messages !== undefined && { messages: budget.messages }),
  };
  return (rest.characters ?? Infinity) > 0 && (rest.bytes ?? Infinity) > 0 ? rest : undefined;
}

/**
 * Returns the budget before where the next one is nearly the same, so that a history is not cut in other places, and
 * sent without the provider's cache, for a measurement that is a little different.
 */
export function steadyBudget(before: Budget | undefined, next: Budget): Budget {
  return before &&
    isNear(before.characters, next.characters) &&
    isNear(before.bytes, next.bytes) &&
    before.messages === next.messages
    ? before
    : next;
}

function isNear(before: number | undefined, next: number | undefined): boolean {
  if (before === undefined || next === undefined) return before === next;
  return next >= before * NEARLY.below && next <= before * NEARLY.above;
}

/** Returns the part of what was sent that is taken, by the provider's own count of it. */
function partTaken({ limit, count }: Excess): number | undefined {
  return limit === undefined || count === undefined ? undefined : toFraction(count, limit);
}

/** Returns which part of `had` is `taken`; undefined where that is all of it, so that it says nothing of a refusal. */
function toFraction(had: number, taken: number | undefined): number | undefined {
  return taken === undefined || taken >= had ? undefined : taken / had;
}

function clamped(sent: number, part: number | undefined, used: number): number {
  const share = part === undefined ? HALF : Math.max(part * used, LEAST);
  return Math.floor(sent * share);
}
