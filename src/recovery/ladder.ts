import type { HistoryFailure } from "./choose.ts";
import { failedAgain, mayBeOfHistory, type Failing } from "./failing.ts";
import type { FilteredPart, ProviderError, ProviderFailure } from "./failure.ts";
import { hasImage } from "./forms/images.ts";
import { isSystemPrompt } from "./forms/one-message.ts";
import type { Treatment } from "./forms/treatment.ts";
import type { RouteFact } from "./route-fact.ts";
import { findLessons, taughtTreatment, type MadeRequest } from "./routes/lesson.ts";
import { type HistoryAtFault, nextRung, type Rung } from "./rungs.ts";
import type { Tries } from "./tries.ts";

/** What the words of a refusal are about; where they are not about the history, they may mislead. */
export type WordsAbout = "history" | "route" | "unknown" | "other";

/** What a failed request means. */
export type Meaning =
  | { readonly of: "stop"; readonly part: FilteredPart }
  | { readonly of: "refusal"; readonly failure: HistoryFailure; readonly words: WordsAbout }
  /** Nothing is said of the request, as in server errors. */
  | { readonly of: "outage" }
  | { readonly of: "size" }
  /** Passed on as it is: keys, quota, money; or the provider has begun to answer, and so has accepted the request. */
  | { readonly of: "pass" };

/** What is remembered of a session's history between its turns. */
export interface LadderMemory {
  /** The route that took the last words of this conversation, and refuses its history. */
  atFault?: HistoryAtFault;
  /** Failures that say nothing of their requests, since the last answer. */
  failing?: Failing | undefined;
}

/** A request, and the history in its body in the API's own form. */
export interface SentRequest extends MadeRequest {
  readonly sent: readonly unknown[];
}

/** What the ladder asks of those who make the requests. */
export interface LadderPort {
  /** The route, as {@link routeName} names it. */
  readonly route: string;
  readonly memory: LadderMemory;
  /** The conversation, before another form of it was tried. */
  readonly messages: readonly unknown[];
  /** True where the last words may be sent alone: the conversation has an answer of a model. */
  readonly hasHistory: boolean;
  /** The last request. */
  readonly request: SentRequest;
  /** True where searches have found parts of the history that the route refuses. */
  readonly isSuspected: boolean;
  /** When the route last answered a request of any session, in milliseconds since 1970. */
  readonly answeredAt?: number | undefined;
  /** Returns which treatments can apply; all where it is missing. */
  allows?(treatment: Treatment): boolean;
  /** Records what was learned of the route. */
  learn(facts: readonly RouteFact[]): void;
}

/** A refusal that gives no reason. */
export const UNSPECIFIED: HistoryFailure = { kind: "history", problem: "unspecified", ids: [] };

/** A refusal of what the route does not take, whatever the history. */
export const OF_ROUTE: HistoryFailure = { kind: "history", problem: "route", ids: [] };

/** Returns what an error means. `begun`: a part of the answer has come. Pure. */
export function interpretFailure(failure: ProviderFailure, begun: boolean, messages: readonly unknown[]): Meaning {
  if (failure.kind === "content_filter") return { of: "stop", part: failure.part };
  if (begun) return { of: "pass" };
  switch (failure.kind) {
    case "history":
      return { of: "refusal", failure, words: isOfNoPicture(failure, messages) ? "other" : "history" };
    case "unknown":
      return {
        of: "refusal",
        failure: { ...UNSPECIFIED, problem: failure.suspect ?? "unspecified" },
        words: "unknown",
      };
    case "other":
      if (failure.isElsewhere === true && !failure.teaches) return { of: "pass" };
      if (failure.isRefused !== true) return { of: "outage" };
      // Words about a role are taken for the history's by OpenClaw, which then proposes to begin a new conversation.
      return { of: "refusal", failure: UNSPECIFIED, words: failure.teaches ? "route" : "other" };
    case "overload":
      return { of: "outage" };
    case "size":
      return { of: "size" };
    default:
      return { of: "pass" };
  }
}

/** True for a refusal of pictures without a place, where the history has none: what is refused is elsewhere. */
function isOfNoPicture({ problem, message }: HistoryFailure, messages: readonly unknown[]): boolean {
  return problem === "media" && message === undefined && !messages.some(hasImage);
}

/**
 * The decisions of the recovery ladder for one request after the other, the same in the patched OpenClaw and in the
 * library. A refusal is followed by the form that the route takes, else by a treatment of the place that it names or
 * the plainest form, then by the last words alone (see {@link nextRung}). A route that refuses these too refuses every
 * request; one that takes them refuses the history. Marks in `tries` and in the port's memory what it decides.
 *
 * Called for each failed request in this order: `taught`; where it returns nothing, {@link interpretFailure}; then
 * `refused` for a refusal, `failed` for an outage. A treatment that is returned is in `tries` already: the caller only
 * sends. After an answer the caller calls {@link tookHistory} or {@link tookLastWords}.
 */
export class Ladder {
  readonly #tries: Tries;
  readonly #port: LadderPort;

  constructor(tries: Tries, port: LadderPort) {
    this.#tries = tries;
    this.#port = port;
  }

  /** Learns what a refusal tells of its route in known words; returns the form in which the route takes the request. */
  taught({ teaches = [] }: ProviderFailure): Treatment | undefined {
    const tries = this.#tries;
    if (tries.lastWords !== undefined) return undefined;
    const { request } = this.#port;
    const lessons = findLessons(teaches, request);
    this.#port.learn(lessons);
    const treatment = tries.mayResend ? taughtTreatment(lessons, request) : undefined;
    if (!treatment) return undefined;
    tries.treated ??= OF_ROUTE;
    tries.extra++;
    tries.apply(treatment);
    return treatment;
  }

  /** Returns what is sent after a refusal, or what is known when nothing more is. */
  refused({ failure, words }: Extract<Meaning, { of: "refusal" }>): Rung {
    const tries = this.#tries;
    const port = this.#port;
    const { messages, sent, body } = port.request;
    const { atFault } = port.memory;
    tries.wasUnexplained = words !== "history" || failure.problem === "unspecified";
    tries.atFault = atFault?.route === port.route ? atFault : undefined;
    // No form of the history changes the system prompt or its role.
    const isOfPrompt = words === "route" || isSystemPrompt(sent[failure.message ?? -1]);
    const allows = (one: Treatment): boolean =>
      (!isOfPrompt || one.kind === "of_route") && (port.allows?.(one) ?? true);
    const rung = nextRung(tries, { failure, messages, sent, body, allows, hasHistory: port.hasHistory });
    if (rung.send) tries.apply(rung.send);
    // The next turn has a request for the last words.
    else if (rung.end === "refused" && port.hasHistory && !tries.atFault)
      port.memory.atFault = { route: port.route, isPlain: tries.isPlain };
    return rung;
  }

  /**
   * Returns the last words where a failure that says nothing of its request may be the history's doing, because it came
   * before for the same session; undefined where the error is to be left as it is. `isRefusedAlone`: in an earlier try
   * of OpenClaw's this route has refused the newest question alone, so the last words would be refused again.
   */
  failed(error: ProviderError, isRefusedAlone = false): Treatment | undefined {
    const tries = this.#tries;
    const { memory, route, messages, hasHistory, isSuspected, answeredAt } = this.#port;
    if (tries.lastWords !== undefined || !hasHistory) return undefined;
    memory.failing = failedAgain(memory.failing, { error, route, messages, at: Date.now() });
    if (!memory.failing || !tries.mayResend || isRefusedAlone) return undefined;
    if (memory.atFault?.route !== route && !isSuspected && !mayBeOfHistory(memory.failing, answeredAt))
      return undefined;
    const treatment: Treatment = { kind: "last_words" };
    tries.wasUnexplained = true;
    tries.lastWords = "alone";
    tries.isServerError = true;
    tries.extra++;
    tries.apply(treatment);
    return treatment;
  }
}

/** Records an answer to the last words of a history that its route refuses. */
export function tookLastWords(memory: LadderMemory, route: string, isPlain: boolean): void {
  if (memory.atFault?.route !== route) memory.atFault = { route, isPlain: false };
  memory.atFault.isPlain ||= isPlain;
  delete memory.failing;
}

/** Records an answer to the history. */
export function tookHistory(memory: LadderMemory): void {
  delete memory.atFault;
  delete memory.failing;
}
