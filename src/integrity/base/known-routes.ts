import { RecentMap } from "../../base/recent-map.ts";
import type { Learned } from "../../journal/learned.ts";
import { withFacts, type RouteFact } from "../../recovery/route-fact.ts";
import { isFresh, type KnownFact, loadFacts, storeFacts } from "../../recovery/routes/known.ts";
import { type MadeRequest, refutedBy } from "../../recovery/routes/lesson.ts";

const MAX_ROUTES = 256;
/** A program declares no abilities of its model. */
const NO_ABILITIES = "";

/** What was learned of routes (API and model), in the journal and, where that fails, in memory. No method throws. */
export class KnownRoutes {
  readonly #learned: Learned;
  readonly #unstored = new RecentMap<string, { facts: KnownFact[] }>(MAX_ROUTES, () => ({ facts: [] }));

  constructor(learned: Learned) {
    this.#learned = learned;
  }

  /** Returns what is known of a route. */
  list(route: string): KnownFact[] {
    const now = Date.now();
    const { facts } = this.#unstored.getOrMake(route);
    const stored = attempt(() => loadFacts(this.#learned, route, NO_ABILITIES, now)) ?? [];
    return withFacts(
      stored,
      facts.filter((fact) => isFresh(fact, now)),
    );
  }

  /** Records what was learned of a route. */
  learn(route: string, facts: readonly RouteFact[]): void {
    if (facts.length === 0) return;
    const now = Date.now();
    const known = facts.map((fact): KnownFact => ({ ...fact, learnedAt: now }));
    const isStored = attempt(() => {
      storeFacts(this.#learned, route, known, NO_ABILITIES);
      return true;
    });
    const memory = this.#unstored.getOrMake(route);
    if (isStored !== true) memory.facts = withFacts(memory.facts, known);
  }

  /** Forgets what the route has just taken in a request all the same. */
  forgetTaken(route: string, request: MadeRequest): void {
    const wrong = new Set(refutedBy(this.list(route), request).map(({ what }) => what));
    if (wrong.size === 0) return;
    const memory = this.#unstored.getOrMake(route);
    memory.facts = memory.facts.filter(({ what }) => !wrong.has(what));
    for (const what of wrong) attempt(() => this.#learned.forget("route", route, what));
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // A journal that fails is reported by the calls that need it.
    return undefined;
  }
}
