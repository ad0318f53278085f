import type { FilteredPart, HistoryProblem, ProviderError, ProviderFailure } from "./failure.ts";
import {
  ABILITY,
  ACCESS,
  ACCESS_STATUS,
  CONNECTION,
  FILTERS,
  HISTORY_WORDS,
  IN_HISTORY,
  NAMELESS_REFUSAL,
  OTHER_PATH,
  OTHER_SUBJECT,
  OTHER_WORDS,
  OVERLOAD,
  OVERLOAD_CODES,
  OVERLOAD_STATUS,
} from "./patterns/elsewhere.ts";
import { FIELDS, NEUTRAL, REDACTED, SENTENCES, TEMPLATE } from "./patterns/history.ts";
import { idsOf } from "./patterns/ids.ts";
import { placeOf, type Place } from "./patterns/places.ts";
import { NO_MEDIA, NO_SYSTEM_ROLE } from "./patterns/route.ts";
import { says } from "./patterns/saying.ts";
import { LONG_FIELD, SIZE, TOO_LARGE_FOR_A_MINUTE } from "./patterns/size.ts";
import { readError, type ErrorFacts } from "./read-error.ts";

/** Only the beginning of an error is read; a request that the error quotes comes behind it. */
const MAX_WORDS = 16_000;

/** Gemini quotes the value behind its place and type: words of the conversation. */
const QUOTED_VALUE = /(\binvalid value at ["']?[^ ]{1,300} \([\w./]{1,200}\)), .*/is;

/**
 * Returns what a provider's error is about. `history` is returned only when that is certain: recovery costs two
 * requests and, in the end, a reset. Pure, deterministic, linear in the text; never throws.
 */
export function classify(error: ProviderError): ProviderFailure {
  const facts = readError(error);
  const words = plain(facts);
  const place = placeOf(facts);
  const filtered = filterOf(facts, words);
  if (filtered) return { kind: "content_filter", part: filtered };
  if (isAccess(facts, words)) return { kind: "access" };
  const isTooLong = facts.status === 413 || (says(SIZE, words) && !LONG_FIELD.test(words));
  if (says(TOO_LARGE_FOR_A_MINUTE, words) || (isTooLong && facts.status === 500)) return { kind: "size" };
  if (isOverload(facts, words)) return { kind: "overload" };
  if (isTooLong) return { kind: "size" };
  if (isRejection(facts) && says(NO_MEDIA, words))
    return { kind: "history", problem: "media", ...indices(place), ids: [] };
  if (says(NO_SYSTEM_ROLE, words)) return { kind: "other" };
  if (!isElsewhere(facts, words, place) && isRejection(facts)) {
    const problem = problemOf(facts, words, place);
    if (problem) return { kind: "history", problem, ...indices(place), ids: idsOf(facts) };
  }
  if (!mayBeHistory(facts, words)) return { kind: "other" };
  return REDACTED.test(words) ? { kind: "unknown", suspect: "image" } : { kind: "unknown" };
}

/** True for a refusal in unknown words; without a status that shows a refusal, the words must be about a history. */
function mayBeHistory({ status, paths }: ErrorFacts, words: string): boolean {
  if (OTHER_SUBJECT.test(words) || OTHER_WORDS.test(words) || paths.some((path) => OTHER_PATH.test(path.toLowerCase())))
    return false;
  if (ABILITY.test(words)) return IN_HISTORY.test(words);
  return status === 400 || status === 422 || (status === undefined && HISTORY_WORDS.test(words));
}

/** Returns the error's sentences and codes in the one spelling that the patterns are written for. */
function plain({ sentences, codes }: ErrorFacts): string {
  return [...sentences.map((sentence) => sentence.replace(QUOTED_VALUE, "$1")), ...codes]
    .join(" | ")
    .slice(0, MAX_WORDS)
    .toLowerCase()
    .replaceAll(/["'`\\“”‘’]/g, "")
    .replaceAll(/\s+/g, " ");
}

function filterOf({ sentences, paths, status }: ErrorFacts, words: string): FilteredPart | undefined {
  if (sentences.length === 1 && NAMELESS_REFUSAL.test(sentences[0]?.toLowerCase() ?? "")) return "refusal";
  const part = FILTERS.find(([, pattern]) => pattern.test(words))?.[0];
  if (part !== "unknown") return part;
  // A filter that is down or has too much to do has not read the request.
  if (status !== undefined && (status >= 500 || OVERLOAD_STATUS.has(status))) return undefined;
  return paths.includes("prompt") ? "prompt" : part;
}

function isAccess({ status }: ErrorFacts, words: string): boolean {
  if (ACCESS.some((pattern) => pattern.test(words))) return true;
  // 404 means an unknown model, except for a reasoning item that the provider has not stored.
  return (
    status !== undefined &&
    ACCESS_STATUS.has(status) &&
    !(status === 404 && (sentenceOf(words) === "thinking" || says(NO_MEDIA, words) || ABILITY.test(words)))
  );
}

function isOverload({ status, codes }: ErrorFacts, words: string): boolean {
  if (status !== undefined && status >= 500)
    return !(status === 500 && (says(NO_MEDIA, words) || (TEMPLATE.test(words) && sentenceOf(words) !== undefined)));
  if (status !== undefined && OVERLOAD_STATUS.has(status)) return true;
  if (OVERLOAD.test(words)) return true;
  return status === undefined && (CONNECTION.test(words) || [...codes].some((code) => OVERLOAD_CODES.has(code)));
}

/** True when the error is about another part of the request, or about what the model cannot do. */
function isElsewhere({ paths }: ErrorFacts, words: string, place: Place | undefined): boolean {
  if (ABILITY.test(words) || OTHER_SUBJECT.test(words)) return true;
  return place === undefined && paths.some((path) => OTHER_PATH.test(path.toLowerCase()));
}

/** True for the statuses of a request that is refused because of its content, and where no status is known. */
function isRejection({ status }: ErrorFacts): boolean {
  return status === undefined || status === 400 || status === 404 || status === 422 || status === 500;
}

function sentenceOf(words: string): HistoryProblem | undefined {
  return SENTENCES.find(([, pattern]) => pattern.test(words))?.[0];
}

function problemOf(facts: ErrorFacts, words: string, place: Place | undefined): HistoryProblem | undefined {
  const said = sentenceOf(words);
  if (said) return said;
  if (place) return FIELDS.find(([, pattern]) => pattern.test(place.path))?.[0] ?? "block_form";
  return (facts.status === 400 || facts.status === 422) && saysNothing(words) ? "unspecified" : undefined;
}

function saysNothing(words: string): boolean {
  return !/[\p{L}\p{N}]/u.test(words.replaceAll(NEUTRAL, ""));
}

function indices(place: Place | undefined): { message?: number; block?: number } {
  if (!place) return {};
  return place.block === undefined ? { message: place.message } : { message: place.message, block: place.block };
}
