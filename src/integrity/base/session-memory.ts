import { RecentMap } from "../../base/recent-map.ts";
import type { Rungs } from "../../recovery/rungs.ts";
import type { SearchMemory } from "../../recovery/search/route-search.ts";
import type { Treatment } from "../../recovery/forms/treatment.ts";
import type { HashChain } from "./hash-chain.ts";

/** A prefix of a history, identified by its hash. */
export interface Beginning {
  readonly end: number;
  readonly hash: string;
}

/** Where an operation began; with the id of its checkpoint when the journal could store one. */
export interface OperationStart {
  readonly id?: string | undefined;
  readonly messageIndex: number;
}

/** State of a session in the memory of its process; a success through `guardCall` resets most of it. */
export interface SessionMemory extends SearchMemory {
  /** Rungs that `handleError` has tried since the last success, for callers that do not use `guardCall`. */
  rungs: Rungs;
  /**
   * Treatments that cannot be stored message by message, with which an API accepted the history: every later call is
   * sent with them.
   */
  treatments: Treatment[];
  /**
   * Treatments with which a call was answered after a refusal that gave no reason, or that leave pictures out which no
   * refusal has named. Not stored: the provider may only have had a bad moment, and another route may take the
   * pictures.
   */
  unconfirmed?: Beginning & {
    /** The route, as {@link routeName} names it. */
    readonly route: string;
    readonly treatments: readonly Treatment[];
  };
  /** How often such treatments were answered. */
  confirmations: number;
  /** Consecutive turns that a content filter stopped. */
  stops: number;
  /** The history of the last answered call. */
  taken?: Beginning;
  /** Checkpoints of this process's unfinished operations, oldest first. */
  underWay: (Beginning & { readonly id: string })[];
}

const MAX_SESSIONS = 512;

/** The most unfinished operations that are remembered: those that a program never ends must not pile up. */
export const MAX_UNDER_WAY = 64;

/** The in-memory state of each session, by its id. */
export class Memories {
  readonly #sessions = new RecentMap<string, SessionMemory>(MAX_SESSIONS, () => ({
    rungs: noRungs(),
    treatments: [],
    confirmations: 0,
    stops: 0,
    underWay: [],
  }));

  get(sessionId: string): SessionMemory {
    return this.#sessions.getOrMake(sessionId);
  }
}

/** Returns the state of a ladder of which no rung was tried. */
export function noRungs(): Rungs {
  return { extra: 0 };
}

/** Returns whether a history still begins with this prefix. */
export function beginsWith(chain: HashChain, messages: readonly unknown[], { end, hash }: Beginning): boolean {
  return end <= messages.length && chain.at(messages, end) === hash;
}
