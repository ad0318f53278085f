import type { Treatment } from "../recovery/treatment.ts";
import type { HashedPath } from "./checkpoints.ts";

/** What the guard remembers of a session while OpenClaw runs. */
export interface SessionMemory {
  /** Treatments after which a provider took the history; applied to it on every load until they are in the store. */
  treatments: Treatment[];
  /**
   * What answered a refusal that named no fault of the history. It is not stored, since once may have been a bad moment
   * of the provider's, and is applied to the messages up to that time (milliseconds since 1970): what came later may be
   * sent as it is.
   */
  hunch?: { readonly treatments: readonly Treatment[]; readonly until: number | undefined };
  /** Set when the history was put aside and the store has yet to begin again. */
  beginsAgain: boolean;
  /** When the history was put aside last, in milliseconds since 1970. */
  resetAt?: number;
  /** Turns in a row that the provider refused without saying why, whatever was sent. */
  refusals: number;
  /** Turns that it refused so and answered in another form: once may have been a bad moment of the provider's. */
  hunches: number;
  /** Whether the user was told that history was changed. */
  told: boolean;
  /** Set when a request that still held what a filter had stopped was stopped again: it is left out from then on. */
  withoutStopped: boolean;
  /** Set when the journal was asked for calls that an earlier process left open. */
  journalRead: boolean;
  /** The transcript as far as it is hashed, so that a checkpoint hashes only what is new. */
  hashed?: HashedPath;
  /** Tool calls since the last checkpoint. */
  callsSince?: number;
  /** The checkpoint before the turn that is running. */
  turnCheckpoint?: string;
}

/** Sessions that are remembered; the one that was not used for the longest time goes first. */
const MAX_SESSIONS = 512;

const sessions = new Map<string, SessionMemory>();

/** What is remembered of a session; a new one remembers nothing. Without an id nothing outlives the run. */
export function memoryOf(sessionId: string | undefined): SessionMemory {
  const known = sessionId === undefined ? undefined : sessions.get(sessionId);
  const memory = known ?? {
    treatments: [],
    beginsAgain: false,
    refusals: 0,
    hunches: 0,
    told: false,
    withoutStopped: false,
    journalRead: false,
  };
  if (sessionId === undefined) return memory;
  sessions.delete(sessionId);
  sessions.set(sessionId, memory);
  const oldest = sessions.keys().next().value;
  if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
  return memory;
}
