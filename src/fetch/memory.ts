import { RecentMap } from "../base/recent-map.ts";
import type { LadderMemory } from "../recovery/ladder.ts";
import { treatBeginning, remember } from "../recovery/remembered.ts";
import { withFacts, type RouteFact } from "../recovery/route-fact.ts";
import { isFresh, type KnownFact } from "../recovery/routes/known.ts";
import { type MadeRequest, refutedBy } from "../recovery/routes/lesson.ts";
import type { FittedSession } from "../recovery/size/fitted.ts";
import type { Treatment } from "../recovery/forms/treatment.ts";
import { shortId } from "../transcript/json/hash.ts";
import { toJson } from "../transcript/json/json.ts";

const MAX_ROUTES = 256;
const MAX_CONVERSATIONS = 1024;
/** So many items tell one conversation from all others: an answer of a model is among them. */
const NAMING_ITEMS = 3;

/** What is remembered of a conversation: it is known by how its history begins. */
export class Conversation implements LadderMemory {
  atFault?: LadderMemory["atFault"];
  failing?: LadderMemory["failing"];
  fitted?: FittedSession | undefined;
  /** How often a form that no words have named was taken. */
  guesses = 0;
  /** Forms in which a beginning of the history was taken, and that beginning. */
  #taken: { readonly end: number; readonly digest: string; readonly treatments: Treatment[] } | undefined;

  /** True where all of the history is sent as the program has given it. */
  get isPlain(): boolean {
    return this.#taken === undefined && this.fitted === undefined;
  }

  /** Returns the messages as the route has taken them before. `items`: the same history in the body's form. */
  asTaken<T>(messages: T[], items: readonly unknown[]): T[] {
    const taken = this.#taken;
    if (!taken || items.length < taken.end || hashItems(items, taken.end) !== taken.digest) return messages;
    // A message can be made of several items; only messages of items that were taken may be changed.
    const end = messages.length - (items.length - taken.end);
    return treatBeginning(messages, Math.max(end, 0), taken.treatments);
  }

  took(treatments: readonly Treatment[], items: readonly unknown[]): void {
    const all = [...(this.#taken?.treatments ?? [])];
    remember(all, treatments);
    this.#taken = { end: items.length, digest: hashItems(items, items.length), treatments: all };
  }
}

/** What one healing fetch remembers; nothing of it is stored. */
export class Memory {
  readonly #routes = new RecentMap<string, { facts: KnownFact[]; answeredAt?: number }>(MAX_ROUTES, () => ({
    facts: [],
  }));
  readonly #conversations = new RecentMap<string, Conversation>(MAX_CONVERSATIONS, () => new Conversation());

  /** Returns what is remembered of a conversation on a route; nothing yet of one that has only begun. */
  conversation(route: string, items: readonly unknown[]): Conversation {
    if (items.length < NAMING_ITEMS) return new Conversation();
    return this.#conversations.getOrMake(`${hashItems(items, NAMING_ITEMS)} ${route}`);
  }

  facts(route: string): readonly RouteFact[] {
    const now = Date.now();
    return this.#routes.getOrMake(route).facts.filter((fact) => isFresh(fact, now));
  }

  learn(route: string, facts: readonly RouteFact[]): void {
    const known = this.#routes.getOrMake(route);
    const learnedAt = Date.now();
    known.facts = withFacts(
      known.facts,
      facts.map((fact): KnownFact => ({ ...fact, learnedAt })),
    );
  }

  answeredAt(route: string): number | undefined {
    return this.#routes.getOrMake(route).answeredAt;
  }

  /** Records an answer, and forgets what it shows to be wrong. */
  answered(route: string, request: MadeRequest): void {
    const known = this.#routes.getOrMake(route);
    known.answeredAt = Date.now();
    const wrong = new Set<RouteFact>(refutedBy(known.facts, request));
    if (wrong.size > 0) known.facts = known.facts.filter((fact) => !wrong.has(fact));
  }
}

/** Names how a history begins: equal for equal items, and hardly ever for others. */
function hashItems(items: readonly unknown[], end: number): string {
  return shortId(items.slice(0, end).map(toJson).join("\n"));
}
