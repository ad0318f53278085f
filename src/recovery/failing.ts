import { readError } from "./errors/read-error.ts";

/** Server errors of one session on one route, without an answer between them. */
export interface Failing {
  /** Of {@link routeName}. */
  readonly route: string;
  /** The error's text without what differs from request to request. */
  readonly text: string;
  /** How often it came, one after the other. */
  readonly times: number;
  /** When it first came, in milliseconds since 1970. */
  readonly since: number;
}

/** How often the same server error comes before a history is suspected; also where another session is answered. */
const SUSPECTED_AFTER = 2;

/** The same for the statuses of load, which pass by themselves more often than not. */
const SUSPECTED_UNDER_LOAD_AFTER = 4;

/** Bad gateway, unavailable, no answer in time, overloaded (Anthropic). */
const LOAD_STATUS: ReadonlySet<number> = new Set([502, 503, 504, 529]);

/** Only the beginning of an error is compared: a request that the error quotes comes behind it. */
const MAX_TEXT = 2000;

/**
 * Returns what is known after another server error; undefined for an error that is none, by its status. Numbers and ids
 * do not count: they differ where the error is the same.
 */
export function failedAgain(
  before: Failing | undefined,
  { route, text, at }: { route: string; text: string; at: number },
): Failing | undefined {
  const { status } = readError({ text });
  if (status === undefined || status < 500) return undefined;
  const same = `${status} ${text.slice(0, MAX_TEXT).replaceAll(/[\w-]+/g, (word) => (/\d/.test(word) ? "#" : word))}`;
  return before?.route === route && before.text === same
    ? { ...before, times: before.times + 1 }
    : { route, text: same, times: 1, since: at };
}

/**
 * True when a history may be the reason of its server errors, so that an experiment is worth a request: load passes, or
 * refuses other sessions too. `answeredAt` is when the route last answered any session.
 */
export function mayBeOfHistory({ text, times, since }: Failing, answeredAt = -Infinity): boolean {
  const isUnderLoad = LOAD_STATUS.has(Number(text.slice(0, 3))) && answeredAt < since;
  return times >= (isUnderLoad ? SUSPECTED_UNDER_LOAD_AFTER : SUSPECTED_AFTER);
}
