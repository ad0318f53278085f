import { bothBudgets, budgetAfter, budgetBeside, steadyBudget } from "../../recovery/size/budget.ts";
import { fit } from "../../recovery/size/fit.ts";
import { isWithin, sizeOf, sumOf, type Budget, type Size } from "../../recovery/size/measure.ts";
import type { Excess } from "../../recovery/size/read-excess.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { FittedSession } from "../base/memory.ts";
import type { SessionManager } from "../openclaw/session.ts";

/** A request that was refused for its size. */
export interface TooLarge {
  /** The messages that were refused, and the same before anything was left out for its size. */
  readonly sent: readonly unknown[];
  readonly whole: unknown[];
  /** Of system prompt and tools. */
  readonly overhead: Size;
  /** What the refusal says. */
  readonly excess: Excess | undefined;
  /** How many tokens the route is known to take. */
  readonly tokens: number | undefined;
  /** How often this request was refused for its size, 1 for the first time. */
  readonly tries: number;
}

/**
 * Returns the messages that fit, and what the request may hold; undefined where no history does, as beside a system
 * prompt that takes all of it, and where nothing would change.
 */
export function fitted(
  before: Budget | undefined,
  { sent, whole, overhead, excess, tokens, tries }: TooLarge,
): { messages: unknown[]; budget: Budget } | undefined {
  const had = sumOf([sizeOf(sent), { ...overhead, messages: 0 }]);
  const next = budgetAfter(had, excess, { tokens }, tries);
  const budget = before && tries === 1 ? bothBudgets(before, next) : next;
  const messages = fitTo(whole, budget, overhead);
  return messages && messages !== sent ? { messages, budget } : undefined;
}

/** Returns the messages as far as the request takes them: the same list where all fit, undefined where none do. */
export function fitTo(messages: unknown[], budget: Budget, overhead: Size): unknown[] | undefined {
  const left = budgetBeside(budget, overhead);
  const shown = left && fit(messages, left);
  return shown && isWithin(sizeOf(shown), left) ? shown : undefined;
}

/** Returns what is remembered of a route for the next turns. */
export function remembered(before: FittedSession | undefined, route: string, budget: Budget): FittedSession {
  return before?.route === route
    ? { ...before, budget: steadyBudget(before.budget, budget) }
    : { route, budget, ...(before?.isTold === true && { isTold: true }) };
}

/** The id of the newest compaction on a session's path. */
export function newestCompaction(manager: SessionManager | undefined): unknown {
  const entry = manager?.getBranch?.().findLast((each) => isObject(each) && each.type === "compaction");
  return isObject(entry) ? entry.id : undefined;
}
