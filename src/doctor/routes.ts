import { existsSync } from "node:fs";
import { formatMinute } from "../base/time.ts";
import { type Journal, journalFile, type LearnedOf, openJournal } from "../journal/index.ts";
import { factText, readFact } from "../recovery/route-fact.ts";
import { isFresh } from "../recovery/routes/known.ts";
import { printable } from "./printable.ts";

const BUSY_MS = 2000;
/** An address and a model's name are longer than other names. */
const MAX_NAME = 300;

/** What was learned of one route: API, provider, address and model. */
export interface LearnedRoute {
  readonly name: string;
  /** The facts in the order in which they were learned. */
  readonly facts: readonly {
    readonly what: string;
    readonly value: unknown;
    /** Milliseconds since 1970. */
    readonly learnedAt: number;
    /** What the route takes or refuses, in a sentence for a person. */
    readonly sentence: string;
  }[];
}

/** Returns the routes of a journal of which something counts that was learned, by name. Throws a JournalError. */
export function learnedRoutes(journal: Journal): LearnedRoute[] {
  const routes = new Map<string, LearnedOf[]>();
  const now = Date.now();
  for (const fact of journal.learned.list("route"))
    if (isFresh(fact, now)) routes.set(fact.name, [...(routes.get(fact.name) ?? []), fact]);
  return [...routes].map(([name, facts]) => ({
    name,
    facts: facts.map(({ what, value, learnedAt }) => {
      const known = readFact(what, value);
      const sentence = known === undefined ? `${printable(what)} (of another version)` : factText(known);
      return { what, value, learnedAt, sentence };
    }),
  }));
}

/** Reads the routes of a state directory; none where its journal cannot be read. Never throws. */
export function learnedRoutesIn(stateDirectory: string): LearnedRoute[] {
  const file = journalFile(stateDirectory);
  if (!existsSync(file)) return [];
  try {
    const journal = openJournal(file, { readOnly: true, busyTimeoutMs: BUSY_MS });
    try {
      return learnedRoutes(journal);
    } finally {
      journal.close();
    }
  } catch {
    return [];
  }
}

/** Returns the lines about a route, for a person. */
export function routeLines({ name, facts }: LearnedRoute): string[] {
  return [
    printable(name, MAX_NAME),
    ...facts.map(({ sentence, learnedAt }) => `  ${sentence} (learned ${formatMinute(learnedAt)} UTC)`),
  ];
}
