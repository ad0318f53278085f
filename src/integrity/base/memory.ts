import { RecentMap } from "../../base/recent-map.ts";
import type { Rungs } from "../../recovery/rungs.ts";
import type { Treatment } from "../../recovery/treatment.ts";
import type { HashChain } from "./hash-chain.ts";

/** The first messages of a history, told by their hash. */
export interface Beginning {
  readonly end: number;
  readonly hash: string;
}

/** Where an operation began; with a checkpoint where the journal could keep one. */
export interface Place {
  readonly id?: string | undefined;
  readonly messageIndex: number;
}

/**
 * What a SessionIntegrity remembers of a session while its process runs; a success through `guardCall` ends most of it.
 */
export interface SessionMemory {
  /** How far `handleError` has climbed since the last success, where it was asked without a call. */
  rungs: Rungs;
  /** Forms that cannot be stored message by message, in which an API took the history: every later call goes out so. */
  treatments: Treatment[];
  /**
   * What answered a refusal that named no fault of the history: not stored, since once may be a bad moment of the
   * provider's.
   */
  hunch?: Beginning & { readonly treatments: readonly Treatment[] };
  /** How often such a refusal was answered in another form. */
  hunches: number;
  /** Turns in a row that a provider refused in every form without naming a fault. */
  refusals: number;
  /** Turns in a row that ended with a content filter's refusal. */
  stops: number;
  /** The last answer was made from the newest words alone, since a content filter refuses what was said before. */
  isHistoryFiltered: boolean;
  /** The history that was answered last. */
  taken?: Beginning;
  /** When the session was begun anew last, in milliseconds since 1970. */
  resetAt?: number;
  /** Checkpoints of operations of this process that have not ended, oldest first. */
  underWay: (Beginning & { readonly id: string })[];
}

const MAX_SESSIONS = 512;

/** Operations that are known to be under way; what a program never ends must not pile up. */
export const MAX_UNDER_WAY = 64;

/** What is remembered of each session, by its id. */
export class Memories {
  readonly #sessions = new RecentMap<string, SessionMemory>(MAX_SESSIONS, () => ({
    rungs: noRungs(),
    treatments: [],
    hunches: 0,
    refusals: 0,
    stops: 0,
    isHistoryFiltered: false,
    underWay: [],
  }));

  of(sessionId: string): SessionMemory {
    return this.#sessions.of(sessionId);
  }
}

/** A ladder that nobody has climbed. */
export function noRungs(): Rungs {
  return { healed: false, flattened: false };
}

/** Whether a history still begins as it did. */
export function beginsWith(chain: HashChain, messages: readonly unknown[], { end, hash }: Beginning): boolean {
  return end <= messages.length && chain.at(messages, end) === hash;
}
