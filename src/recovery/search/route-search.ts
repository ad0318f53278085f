import { tookHistory, type LadderMemory } from "../ladder.ts";
import { RESET_AFTER_MS } from "../rungs.ts";
import type { KnownParts, PartsMemory } from "./known-parts.ts";
import { beginSearch, goOnSearching, isIn, withFinding, type RouteSearch } from "./refused-parts.ts";
import type { Finding } from "./search.ts";

/** What a session's memory has of its searches, and of what they are for. */
export interface SearchMemory extends PartsMemory, LadderMemory {
  /** When a search last ended without a result, in milliseconds since 1970. */
  searchedAt?: number;
}

/** A search that is due behind a turn. */
export interface DueSearch {
  /** The route, as {@link routeName} names it. */
  readonly route: string;
  /** The prepared history: whole behind an answer; behind a refusal without what earlier searches have found. */
  readonly messages: readonly unknown[];
  /** False behind an answer to the history: an earlier search may find less to leave out. */
  readonly isRefused: boolean;
  /** The provider refused with a failure that says nothing. */
  readonly isServerError: boolean;
  /** The words of the whole history were refused too. */
  readonly areWordsRefused: boolean;
}

/** Returns the search of an earlier turn that goes on, or a new one; undefined while none is due. */
export function searchFor(memory: SearchMemory, parts: KnownParts, due: DueSearch): RouteSearch | undefined {
  const { route, messages, isServerError, isRefused } = due;
  const earlier = memory.search?.route === route ? memory.search : undefined;
  if (earlier?.search.next && isIn(messages, earlier)) return earlier;
  const goesOn = goOnSearching(earlier, messages, isRefused);
  if (goesOn || !isRefused) return goesOn;
  const now = Date.now();
  if (now - (memory.searchedAt ?? -Infinity) < RESET_AFTER_MS) return undefined;
  const begun = beginSearch(messages, parts.get(route), now, due);
  memory.search = begun && { ...begun, route, isServerError };
  return memory.search;
}

/** Records how far a search has come; returns what it has found, once it has come to an end. */
export function searched(memory: SearchMemory, parts: KnownParts, running: RouteSearch): Finding | undefined {
  const { search, route } = running;
  if (search.next) return undefined;
  if (search.isOver && memory.search === running) memory.search = undefined;
  const { finding } = search;
  if (!finding) {
    if (search.isOver) memory.searchedAt = Date.now();
    return undefined;
  }
  parts.found(withFinding(parts.get(route), running, finding, Date.now()));
  // The next turn sends the history again, without what was found.
  if (finding.found !== "no_half") tookHistory(memory);
  return finding;
}
