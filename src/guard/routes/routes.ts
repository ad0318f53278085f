/** What is known of a route, in memory and in the journal. */
import { shortId } from "../../transcript/json/hash.ts";
import { isObject, toJson } from "../../transcript/json/json.ts";
import { factText, withFacts, type RouteFact } from "../../recovery/route-fact.ts";
import { isFresh, loadFacts, storeFacts, type KnownFact } from "../../recovery/routes/known.ts";
import { type MadeRequest, refutedBy } from "../../recovery/routes/lesson.ts";
import { routeName } from "../../recovery/route-name.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { hasJournal, withJournal } from "../base/journal.ts";
import { newRouteMemory, routeMemory, type RouteMemory } from "../base/memory.ts";
import { logLine } from "../base/log.ts";

/** How long the memory of a route is used before the journal is read again: a person may have deleted from it. */
const RELOAD_AFTER_MS = 30_000;

/** A route as the journal names it, with a short key of the abilities that its model declares. */
export interface Route {
  readonly name: string;
  readonly abilities: string;
}

/** Returns the route of a request to a model, as OpenClaw describes it. */
export function toRoute(model: unknown): Route {
  const { input, compat } = isObject(model) ? model : {};
  return { name: routeName(isObject(model) ? model : {}), abilities: shortId(toJson([input, compat])) };
}

/** Returns what is known of a route; read from the journal at its first request. Never throws. */
export function listFacts(route: Route): readonly KnownFact[] {
  const memory = loaded(route);
  const now = Date.now();
  return memory.facts.every((fact) => isFresh(fact, now))
    ? memory.facts
    : memory.facts.filter((fact) => isFresh(fact, now));
}

/** Records what was learned of a route, in memory and in the journal. Never throws. */
export function learn(route: Route, facts: readonly RouteFact[]): void {
  if (facts.length === 0) return;
  const memory = loaded(route);
  const now = Date.now();
  const known = facts.map((fact): KnownFact => ({ ...fact, learnedAt: now }));
  const isStored = withJournal((journal) => {
    storeFacts(journal.learned, route.name, known, route.abilities);
    return true;
  });
  for (const fact of facts)
    if (!memory.facts.some(({ what }) => what === fact.what)) logLine(`route ${route.name}: ${factText(fact)}`);
  memory.facts = withFacts(memory.facts, known);
  if (isStored !== true) memory.unstored = withFacts(memory.unstored, known);
}

/** Forgets what the route has just taken in a request all the same. Never throws. */
export function forgetTaken(route: Route, request: MadeRequest): void {
  const memory = loaded(route);
  if (memory.facts.length === 0) return;
  const wrong = refutedBy(memory.facts, request).map(({ what }) => what);
  if (wrong.length > 0) forgetFacts(route, wrong);
}

/** Forgets facts of these kinds. Never throws. */
export function forgetFacts(route: Route, wrong: readonly RouteFact["what"][]): void {
  const memory = loaded(route);
  memory.facts = memory.facts.filter(({ what }) => !wrong.includes(what));
  memory.unstored = memory.unstored.filter(({ what }) => !wrong.includes(what));
  withJournal((journal) => {
    for (const what of wrong) journal.learned.forget("route", route.name, what);
  });
}

function loaded({ name, abilities }: Route): RouteMemory {
  const memory = routeMemory(name);
  const home = stateDirectory();
  const now = Date.now();
  if (memory.abilities !== abilities || memory.home !== home)
    Object.assign(memory, newRouteMemory(), { abilities, home, loadedAt: undefined, declared: undefined });
  if (memory.loadedAt !== undefined && Math.abs(now - memory.loadedAt) < RELOAD_AFTER_MS) return memory;
  // No journal is made only to be asked.
  const facts = hasJournal() ? withJournal((journal) => loadFacts(journal.learned, name, abilities, now)) : undefined;
  if (facts) memory.facts = withFacts(facts, memory.unstored);
  memory.loadedAt = now;
  return memory;
}
