import {
  isForgotten,
  noParts,
  readParts,
  storedParts,
  withoutFound,
  type RefusedParts,
  type RouteSearch,
} from "./refused-parts.ts";

/** What a session's memory has of its searches. */
export interface PartsMemory {
  /** What searches have found; read from the journal at the first use. */
  refusedParts?: RefusedParts[];
  /** The last search that has more to tell. */
  search?: RouteSearch | undefined;
}

/** Keeps what was found longer than its process lives. Neither function throws. */
export interface PartsStore {
  read(): readonly { what: string; value: unknown }[];
  /** Without a value nothing is known any more. */
  write(what: string, value: unknown): void;
}

/** What searches have found of one session's history, on each route. */
export class KnownParts {
  readonly #memory: PartsMemory;
  readonly #store: PartsStore;

  constructor(memory: PartsMemory, store: PartsStore) {
    this.#memory = memory;
    this.#store = store;
  }

  /** Returns what was found on a route; nothing of what was found a week ago. */
  get(route: string): RefusedParts {
    const known = this.#all.find((each) => each.route === route) ?? noParts(route);
    if (!isForgotten(known, Date.now())) return known;
    this.found(noParts(route));
    return noParts(route);
  }

  /** Records what was found. */
  found(parts: RefusedParts): void {
    this.#memory.refusedParts = [...this.#all.filter(({ route }) => route !== parts.route), parts];
    const { what, value } = storedParts(parts);
    this.#store.write(what, value);
  }

  /** Returns the messages as a route takes them, by what was found; the same list where nothing was. */
  without<T>(route: string, messages: T[]): T[] {
    return withoutFound(messages, this.get(route));
  }

  /** Records that a route has taken the history without what was found: a search that has found nothing is over. */
  taken(route: string): void {
    const { search } = this.#memory;
    if (search?.route === route && !search.search.finding) this.#memory.search = undefined;
    const { noHalf, ...known } = this.get(route);
    if (noHalf) this.found(known);
  }

  /** Forgets what was found of a history that is archived. */
  forget(): void {
    for (const { route } of this.#all) this.found(noParts(route));
    this.#memory.search = undefined;
  }

  get #all(): RefusedParts[] {
    this.#memory.refusedParts ??= this.#store.read().flatMap((fact) => readParts(fact) ?? []);
    return this.#memory.refusedParts;
  }
}
