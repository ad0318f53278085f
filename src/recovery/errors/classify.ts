import type { FilteredPart, HistoryProblem, ProviderError, ProviderFailure } from "../failure.ts";
import { ACCESS, ACCESS_STATUS } from "./patterns/access.ts";
import { FILTERS, UNEXPLAINED_REFUSAL } from "./patterns/filters.ts";
import { FIELDS, REFUSED_AS_FAILURE, SENTENCES } from "./patterns/history.ts";
import { NEUTRAL, REDACTED } from "./patterns/neutral.ts";
import {
  ABILITY,
  FIRST_NAME,
  HISTORY_WORDS,
  IN_HISTORY,
  JUDGED_PATH,
  MAY_BE_HISTORY,
  OTHER_PATH,
  OTHER_SUBJECT,
  OTHER_WORDS,
  THINKING_FIELD,
} from "./patterns/other.ts";
import { CONNECTION, OVERLOAD, OVERLOAD_CODES, OVERLOAD_STATUS } from "./patterns/overload.ts";
import { NO_MEDIA, NO_PROMPT_ROLE } from "./patterns/route.ts";
import { says, matchSubject, type Saying } from "./patterns/saying.ts";
import { LONG_FIELD, SIZE, TOO_LARGE_FOR_A_MINUTE } from "./patterns/size.ts";
import { listNamedIds } from "./ids.ts";
import { lessonsIn } from "./lessons.ts";
import { TOO_LARGE_PICTURE } from "./patterns/picture-limits.ts";
import { findPlace, type Place } from "./places.ts";
import { readError, type ErrorFacts } from "./read-error.ts";

/** Kinds of failures that may tell what a route does not take. */
const TEACHING: ReadonlySet<ProviderFailure["kind"]> = new Set(["history", "size", "other", "unknown"]);

/** Only the beginning of an error is read; a request that the error quotes comes behind it. */
const MAX_WORDS = 16_000;

/** What comes before a part of the conversation that the provider quotes, to the end of its sentence. */
const BEFORE_QUOTED: readonly Saying[] = [
  ["Gemini", /\binvalid value at ["']?[^ ]{1,300} \([\w./]{1,200}\)(?=, )/i],
  ["llama.cpp", /\bfailed to parse messages: [^;]{1,300}(?=; messages = )/i],
];

/**
 * Returns what a provider's error is about. `history` is returned only when that is certain: recovery costs two
 * requests and, in the end, a reset. Pure, deterministic, linear in the text; never throws.
 */
export function classify(error: ProviderError): ProviderFailure {
  const facts = readFacts(error);
  const words = plain(facts);
  const failure = classifyFacts(facts, words);
  if (failure.kind === "other" && error.hidesStatus === true && facts.status === undefined)
    return { ...failure, isRefused: true };
  if (!TEACHING.has(failure.kind)) return failure;
  const teaches = isRejection(facts) || failure.kind === "size" ? lessonsIn(words) : [];
  return teaches.length === 0 ? failure : { ...failure, teaches };
}

/** Returns an error's words, in the one spelling that the patterns are written for, and its status. */
export function readWords(error: ProviderError): { words: string; status: number | undefined } {
  const facts = readFacts(error);
  return { words: plain(facts), status: facts.status };
}

function readFacts(error: ProviderError): ErrorFacts {
  return withoutQuoted(readError(error));
}

function classifyFacts(facts: ErrorFacts, words: string): ProviderFailure {
  const place = findPlace(facts);
  const filtered = findFilter(facts, words);
  if (filtered) return { kind: "content_filter", part: filtered };
  if (isAccess(facts, words)) return { kind: "access" };
  const isTooLong = facts.status === 413 || (says(SIZE, words) && !LONG_FIELD.test(words));
  if (says(TOO_LARGE_FOR_A_MINUTE, words) || (isTooLong && facts.status === 500)) return { kind: "size" };
  if (isRejection(facts) && !isTooLong && says(NO_MEDIA, words))
    return { kind: "history", problem: "media", ...indices(place), ids: [] };
  if (isOverload(facts, words)) return { kind: "overload" };
  if (isTooLong) return { kind: "size" };
  if (says(NO_PROMPT_ROLE, words)) return otherThan(facts);
  if (place === undefined && isNamedElsewhere(facts, words)) return { ...otherThan(facts), isElsewhere: true };
  if (!isElsewhere(facts, words, place) && isRejection(facts)) {
    const problem = findProblem(facts, words, place);
    const isTooLarge = problem === "image" && says(TOO_LARGE_PICTURE, words);
    if (problem)
      return {
        kind: "history",
        problem,
        ...indices(place),
        ids: listNamedIds(facts),
        ...(isTooLarge && { isTooLarge }),
      };
  }
  if (!mayBeHistory(facts, words)) return otherThan(facts);
  return REDACTED.test(words) ? { kind: "unknown", suspect: "image" } : { kind: "unknown" };
}

/** A failure that is not of the history, as far as the words tell. */
function otherThan(facts: ErrorFacts): Extract<ProviderFailure, { kind: "other" }> {
  return { kind: "other", ...(isRefused(facts) && { isRefused: true }) };
}

/** True for a refusal in unknown words; without a status that shows a refusal, the words must be about a history. */
function mayBeHistory({ status, paths }: ErrorFacts, words: string): boolean {
  if (
    OTHER_SUBJECT.test(words) ||
    says(OTHER_WORDS, words) ||
    paths.some((path) => OTHER_PATH.test(path.toLowerCase()))
  )
    return false;
  if (says(ABILITY, words)) return says(IN_HISTORY, words);
  return status === undefined ? says(HISTORY_WORDS, words) : isRejection({ status });
}

/** Returns the error without the words of the conversation that it quotes. */
function withoutQuoted(facts: ErrorFacts): ErrorFacts {
  const sentences = facts.sentences.map((sentence) => {
    for (const [, words] of BEFORE_QUOTED) {
      const before = words.exec(sentence);
      if (before) return sentence.slice(0, before.index + before[0].length);
    }
    return sentence;
  });
  return { ...facts, sentences };
}

/** Returns the error's sentences and codes in the one spelling that the patterns are written for. */
function plain({ sentences, codes }: ErrorFacts): string {
  return spelledPlain([...sentences, ...codes].join(" | ").slice(0, MAX_WORDS));
}

/** Returns a text in the one spelling that the patterns are written for. */
export function spelledPlain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/["'`\\“”‘’]/g, "")
    .replaceAll(/\s+/g, " ");
}

function findFilter({ sentences, paths, status }: ErrorFacts, words: string): FilteredPart | undefined {
  if (sentences.length === 1 && UNEXPLAINED_REFUSAL.test(sentences[0]?.toLowerCase() ?? "")) return "refusal";
  const part = matchSubject(FILTERS, words);
  if (part !== "unknown") return part;
  // A filter that is down or has too much to do has not read the request.
  if (status !== undefined && (status >= 500 || OVERLOAD_STATUS.has(status))) return undefined;
  return paths.includes("prompt") ? "prompt" : part;
}

function isAccess({ status }: ErrorFacts, words: string): boolean {
  if (says(ACCESS, words)) return true;
  if (status === 403) return saysNothing(words);
  return status !== undefined && ACCESS_STATUS.has(status);
}

function isOverload(facts: ErrorFacts, words: string): boolean {
  const { status, codes } = facts;
  if (isRejection(facts) && says(REFUSED_AS_FAILURE, words)) return false;
  if (status !== undefined && status >= 500) return true;
  if (status !== undefined && OVERLOAD_STATUS.has(status)) return true;
  if (says(OVERLOAD, words)) return true;
  return status === undefined && (says(CONNECTION, words) || [...codes].some((code) => OVERLOAD_CODES.has(code)));
}

/** True when the error is about another part of the request, or about what the model cannot do. */
function isElsewhere({ paths }: ErrorFacts, words: string, place: Place | undefined): boolean {
  if ((says(ABILITY, words) && !says(IN_HISTORY, words)) || OTHER_SUBJECT.test(words)) return true;
  return place === undefined && paths.some((path) => OTHER_PATH.test(path.toLowerCase()));
}

/**
 * True for a refusal whose fields for paths name other parts of the request, or which has none and begins with such a
 * path, and whose words name none of a history.
 */
function isNamedElsewhere(facts: ErrorFacts, words: string): boolean {
  if (!isRejection(facts) || says(HISTORY_WORDS, words) || says(IN_HISTORY, words)) return false;
  if (facts.paths.length > 0) return facts.paths.every(isNoneOfHistory);
  if (OTHER_SUBJECT.test(words)) return true;
  return facts.sentences.some((sentence) => {
    const [, path] = JUDGED_PATH.exec(sentence) ?? [];
    return path !== undefined && isNoneOfHistory(path);
  });
}

/** True for a path that begins with a name that no part of a history has. */
function isNoneOfHistory(path: string): boolean {
  const [, name] = FIRST_NAME.exec(path.toLowerCase()) ?? [];
  return name !== undefined && !MAY_BE_HISTORY.test(name) && !THINKING_FIELD.test(path);
}

/** True for the statuses of a request that may be refused because of its content, and where no status is known. */
function isRejection(facts: Pick<ErrorFacts, "status">): boolean {
  return facts.status === undefined || facts.status === 500 || isRefused(facts);
}

/** True for a status that says of this request, and not of the provider, that it fails. */
function isRefused({ status }: Pick<ErrorFacts, "status">): boolean {
  return status !== undefined && status >= 400 && status < 500 && !OVERLOAD_STATUS.has(status);
}

function findSentence(words: string): HistoryProblem | undefined {
  return matchSubject(SENTENCES, words);
}

function findProblem(facts: ErrorFacts, words: string, place: Place | undefined): HistoryProblem | undefined {
  const said = findSentence(words);
  if (said) return said;
  if (place) return matchSubject(FIELDS, place.path) ?? "block_form";
  return isRefused(facts) && saysNothing(words) ? "unspecified" : undefined;
}

function saysNothing(words: string): boolean {
  return !/[\p{L}\p{N}]/u.test(words.replaceAll(NEUTRAL, ""));
}

function indices(place: Place | undefined): { message?: number; block?: number } {
  if (!place) return {};
  return place.block === undefined ? { message: place.message } : { message: place.message, block: place.block };
}
