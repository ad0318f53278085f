/** Facts about routes in the journal, and when they no longer count. */
import { isObject } from "../../transcript/json/json.ts";
import { factNumbers, readFact, type RouteFact } from "../route-fact.ts";

/** How long a fact about a route counts: its model, or the server before it, may have changed since. */
export const FORGOTTEN_AFTER_MS = 7 * 24 * 3_600_000;

/** A fact with the time at which it was learned, in milliseconds since 1970. */
export type KnownFact = RouteFact & { readonly learnedAt: number };

/** The part of the journal that keeps facts about routes. */
export interface FactStore {
  read(scope: "route", name: string): { what: string; value: unknown; learnedAt: number }[];
  list(scope: "route"): { name: string; what: string; learnedAt: number }[];
  put(scope: "route", name: string, what: string, value: unknown, at: number): void;
  forget(scope: "route", name: string, what?: string): number;
}

/** True while a fact counts. */
export function isFresh({ learnedAt }: { readonly learnedAt: number }, now: number): boolean {
  return now - learnedAt < FORGOTTEN_AFTER_MS;
}

/**
 * Returns what a journal knows of a route. Facts that are too old, or that were learned when the model had declared
 * other abilities, are deleted. `abilities`: a short text that is equal where the model declares the same (pictures,
 * for example). Throws what the journal throws.
 */
export function loadFacts(store: FactStore, route: string, abilities: string, now: number): KnownFact[] {
  const facts: KnownFact[] = [];
  for (const { what, value, learnedAt } of store.read("route", route)) {
    const fact = readFact(what, value);
    const isSame = isObject(value) && value.abilities === abilities;
    if (fact && isSame && isFresh({ learnedAt }, now)) facts.push({ ...fact, learnedAt });
    // A kind that a later version has learned stays until it is a week old: storeFacts deletes it then.
    else if (fact) store.forget("route", route, what);
  }
  return facts;
}

/**
 * Writes facts about a route, each in the place of an earlier one of its kind. Deletes the facts of all routes that
 * were too old when the newest of these was learned. Throws what the journal throws.
 */
export function storeFacts(store: FactStore, route: string, facts: readonly KnownFact[], abilities: string): void {
  const latest = facts.reduce((most, { learnedAt }) => Math.max(most, learnedAt), 0);
  for (const { name, what, learnedAt } of store.list("route"))
    if (!isFresh({ learnedAt }, latest)) store.forget("route", name, what);
  for (const { learnedAt, ...fact } of facts)
    store.put("route", route, fact.what, { ...factNumbers(fact as RouteFact), abilities }, learnedAt);
}
