import { isObject, isPositive } from "../../transcript/json/json.ts";
import { FORGOTTEN_AFTER_MS } from "../routes/known.ts";
import { steadyBudget } from "./budget.ts";
import type { Budget } from "./measure.ts";

/** What a route has been seen to take of a session's requests. Data, without a word of the session. */
export interface FittedSession {
  /** The route, as {@link routeName} names it. */
  readonly route: string;
  /** The budget of the whole request: messages, system prompt and tools. */
  readonly budget: Budget;
  /** A request of more tokens would show that the budget is too small; undefined where it is not one of tokens. */
  readonly tokens?: number | undefined;
  /** How many tokens the model declared to take, 0 where it declared nothing. */
  readonly declared: number;
  /** When a request was last refused, in milliseconds since 1970. */
  readonly at: number;
  /** The user was informed that not all of it is sent. */
  readonly isTold: boolean;
}

/** The name under which a journal keeps a {@link FittedSession}. */
export const FITTED = "fitted";

const BUDGETS = ["characters", "bytes", "messages"] as const;

/**
 * Returns what is remembered of a session for the next turns, with the budget of before where that is nearly the same.
 */
export function refitted(before: FittedSession | undefined, next: Omit<FittedSession, "isTold">): FittedSession {
  if (before?.route !== next.route) return { ...next, isTold: before?.isTold === true };
  return { ...next, budget: steadyBudget(before.budget, next.budget), isTold: before.isTold };
}

/** What else is known when a session's budget is to be used. */
export interface RouteNow {
  readonly declared: number;
  /** The most tokens of a request that the route has lately answered. */
  readonly answered: number;
  /** The time of the request, in milliseconds since 1970. */
  readonly now: number;
}

/** True for a budget that no longer counts: the model, or the server before it, has changed since. */
export function isOutdated({ tokens, declared, at }: FittedSession, route: RouteNow): boolean {
  return declared !== route.declared || route.answered > (tokens ?? Infinity) || route.now - at >= FORGOTTEN_AFTER_MS;
}

/** Reads what a journal has kept under {@link FITTED}; undefined for anything else. */
export function readFitted({ what, value }: { what: string; value: unknown }): FittedSession | undefined {
  if (what !== FITTED || !isObject(value) || !isObject(value.budget)) return undefined;
  const { route, budget: stored, tokens, declared, at, isTold } = value;
  const budget: Record<string, number> = {};
  for (const name of BUDGETS) if (isPositive(stored[name])) budget[name] = stored[name];
  if (typeof route !== "string" || typeof declared !== "number" || typeof at !== "number") return undefined;
  if (Object.keys(budget).length === 0) return undefined;
  return { route, budget, ...(isPositive(tokens) && { tokens }), declared, at, isTold: isTold === true };
}
