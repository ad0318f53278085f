/** What searches have found of a history on a route: kept, applied, gone on with, and forgotten. */
import { isObject } from "../../transcript/json/json.ts";
import { treatAll } from "../remembered.ts";
import { RESET_AFTER_MS } from "../rungs.ts";
import { holderKey, type Part, splitHistory } from "../forms/parts.ts";
import { Search, type Finding, type SearchOptions } from "./search.ts";

/** What searches have found of a history on one route. Data, without a word of the history. */
export interface RefusedParts {
  /** The route, as {@link routeName} names it. */
  readonly route: string;
  /** Keys of the messages that are sent as text, and of those, or their pieces, that are left out: see `partKey`. */
  readonly words: readonly string[];
  readonly nothing: readonly string[];
  /** When a part was last found, in milliseconds since 1970. */
  readonly foundAt?: number | undefined;
  /** When a search first and last found that no half of the history is taken, without an answer between. */
  readonly noHalf?: { readonly first: number; readonly last: number } | undefined;
}

/** A search, and the keys of each part in the order in which it halves them. */
export interface PartSearch {
  readonly parts: readonly (readonly string[])[];
  /** {@link Part.contents} of each part. */
  readonly contents?: readonly (Part["contents"] | undefined)[];
  readonly search: Search;
}

/** A search in the history of a session, for what one route refuses of it. */
export interface RouteSearch extends PartSearch {
  /** The route, as {@link routeName} names it. */
  readonly route: string;
  /** The provider refused with a failure that says nothing: another one is a refusal too. */
  readonly isServerError: boolean;
  /** What the search found when it last came to an end. */
  found?: Finding;
  /** Ends the request that is under way. */
  abort?: AbortController | undefined;
}

/** How long a found part is left out: the provider may have changed its rules since. */
const FORGOTTEN_AFTER_MS = 7 * 24 * 3_600_000;

/** Begins the name under which a journal keeps what was found on a route. */
const WHAT = "refused_parts ";

/** Returns what a journal keeps, under which name and as which value; no value where nothing is known. */
export function storedParts(parts: RefusedParts): { what: string; value?: unknown } {
  const { route, ...found } = parts;
  return { what: WHAT + route, ...((hasParts(parts) || found.noHalf !== undefined) && { value: found }) };
}

/** Reads what {@link storedParts} has stored; undefined for anything else. */
export function readParts({ what, value }: { what: string; value: unknown }): RefusedParts | undefined {
  if (!what.startsWith(WHAT) || !isObject(value)) return undefined;
  const { noHalf, foundAt } = value;
  const isPair = isObject(noHalf) && typeof noHalf.first === "number" && typeof noHalf.last === "number";
  return {
    route: what.slice(WHAT.length),
    words: keysIn(value.words),
    nothing: keysIn(value.nothing),
    ...(typeof foundAt === "number" && { foundAt }),
    ...(isPair && { noHalf: noHalf as { first: number; last: number } }),
  };
}

/** Returns what is known where nothing was found. */
export function noParts(route: string): RefusedParts {
  return { route, words: [], nothing: [] };
}

/** True where anything was found. */
export function hasParts({ words, nothing }: RefusedParts): boolean {
  return words.length + nothing.length > 0;
}

/** True for parts that were found a week ago. */
export function isForgotten({ foundAt = Infinity }: RefusedParts, now: number): boolean {
  return now - foundAt >= FORGOTTEN_AFTER_MS;
}

/** Returns the messages without the found parts, or with these as text; the same list where there are none. */
export function withoutFound<T>(messages: T[], { words, nothing }: RefusedParts): T[] {
  return treatAll(messages, [
    { kind: "part", keys: words, as: "words" },
    { kind: "part", keys: nothing, as: "nothing" },
  ]);
}

/**
 * Begins a search; undefined shortly after a search that has found no half without a fault. The next one begins at the
 * other end of the history: there the halves are others, and one of them may have none of two faults.
 */
export function beginSearch(
  messages: readonly unknown[],
  { noHalf }: RefusedParts,
  now: number,
  options: SearchOptions,
): PartSearch | undefined {
  if (noHalf && now - noHalf.last < RESET_AFTER_MS) return undefined;
  const inOrder = splitHistory(messages);
  const parts: Part[] = noHalf ? inOrder.toReversed() : inOrder;
  return {
    parts: parts.map(({ keys }) => keys),
    contents: parts.map(({ contents }) => contents),
    search: new Search(parts, options),
  };
}

/**
 * Returns an earlier search to go on with, with new requests to spend; undefined where it must not go on. `messages` is
 * the history with all that was found. After a refusal, a search goes on that has found nothing yet: a search that has
 * was about another part. After an answer, a search goes on that has found something, so that less is left out.
 */
export function goOnSearching<T extends PartSearch>(
  earlier: T | undefined,
  messages: readonly unknown[],
  isRefused: boolean,
): T | undefined {
  if (!earlier || earlier.search.isOver || (earlier.search.finding === undefined) !== isRefused) return undefined;
  if (!isIn(messages, earlier)) return undefined;
  earlier.search.renew();
  return earlier;
}

/**
 * True where a history still has what a search suspects. Elsewhere OpenClaw may have made one message of two: what was
 * taken is not asked about again.
 */
export function isIn(messages: readonly unknown[], { parts, search }: PartSearch): boolean {
  const { from, end } = search.refused;
  const present = new Set(splitHistory(messages).flatMap(({ keys }) => keys));
  const suspected = parts.slice(from, end).flat();
  return suspected.every((key) => present.has(key));
}

/** Returns what is known behind the end of a search, in place of what the same search has found before. */
export function withFinding(
  known: RefusedParts,
  { parts, contents = [] }: PartSearch,
  finding: Finding,
  now: number,
): RefusedParts {
  const { from = 0, end = 0 } = finding.found === "no_half" ? {} : finding;
  const foundMessages = parts.slice(from, end).flat();
  // A piece of another message that is still sent was found by another search.
  const foundKeys = new Set(foundMessages);
  const nothing = known.nothing.filter((key) => !foundKeys.has(holderKey(key)));
  switch (finding.found) {
    case "nothing":
      return nothing.length === known.nothing.length ? known : { ...known, nothing };
    case "no_half":
      return { ...known, noHalf: { first: known.noHalf?.first ?? now, last: now } };
    default: {
      const { noHalf: _ended, ...before } = known;
      const found = finding.only ?? [...foundMessages, ...contents.slice(from, end).flatMap((list) => list?.() ?? [])];
      return finding.inWords
        ? { ...before, nothing, words: [...known.words, ...foundMessages], foundAt: now }
        : { ...before, nothing: [...nothing, ...found], foundAt: now };
    }
  }
}

function keysIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((key) => typeof key === "string") : [];
}
