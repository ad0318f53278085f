import { classify } from "./errors/classify.ts";
import { OVERLOAD_STATUS } from "./errors/patterns/overload.ts";
import type { ProviderError } from "./failure.ts";
import { readError } from "./errors/read-error.ts";
import { isObject } from "../transcript/json/json.ts";

/** Failures of one session on one route that say nothing of its request, without an answer between them. */
export interface Failing {
  /** The route, as {@link routeName} names it. */
  readonly route: string;
  /** The error's text without what differs from request to request. */
  readonly text: string;
  /** The error has the words or the status of load, or of a broken connection. */
  readonly isLoad: boolean;
  /** How often it came, one after the other. */
  readonly times: number;
  /** How many questions the conversation had when it first came. */
  readonly questions: number;
  /** A later question failed too. */
  readonly isOfTurns: boolean;
  /** When it first came, in milliseconds since 1970. */
  readonly since: number;
}

/** How often the same failure comes before a history is suspected; also where another session is answered. */
const SUSPECTED_AFTER = 2;

/** How often the same failure comes where it names load or a broken connection: these mostly pass by themselves. */
const SUSPECTED_UNDER_LOAD_AFTER = 4;

/** Bad gateway, unavailable, no answer in time, overloaded (Anthropic). */
const LOAD_STATUS: ReadonlySet<number> = new Set([502, 503, 504, 529]);

/** Only the beginning of an error is compared: a request that the error quotes comes behind it. */
const MAX_TEXT = 2000;

/** True for the status of a limit, which counts requests and does not read them. */
export function isOfLimit(error: ProviderError): boolean {
  const { status } = readError(error);
  return status !== undefined && OVERLOAD_STATUS.has(status);
}

/**
 * Returns what is known after another such failure; undefined behind a limit. Numbers and ids do not count: they differ
 * where the error is the same.
 */
export function failedAgain(
  before: Failing | undefined,
  { error, route, messages, at }: { error: ProviderError; route: string; messages: readonly unknown[]; at: number },
): Failing | undefined {
  const { status } = readError(error);
  if (status !== undefined && OVERLOAD_STATUS.has(status)) return undefined;
  const isLoad = status === undefined ? classify(error).kind === "overload" : LOAD_STATUS.has(status);
  const same = error.text.slice(0, MAX_TEXT).replaceAll(/[\w-]+/g, (word) => (/\d/.test(word) ? "#" : word));
  const text = `${status ?? ""} ${same}`;
  const questions = messages.filter((message) => isObject(message) && message.role === "user").length;
  return before?.route === route && before.text === text
    ? { ...before, times: before.times + 1, isOfTurns: questions > before.questions }
    : { route, text, isLoad, times: 1, questions, isOfTurns: false, since: at };
}

/**
 * True when a history may be the reason of such failures, so that an experiment is worth a request: load passes from
 * one question to the next, or fails other sessions too. `answeredAt` is when the route last answered any session.
 */
export function mayBeOfHistory({ isLoad, times, isOfTurns, since }: Failing, answeredAt = -Infinity): boolean {
  return times >= (isLoad && !isOfTurns && answeredAt < since ? SUSPECTED_UNDER_LOAD_AFTER : SUSPECTED_AFTER);
}
