/**
 * What the guard remembers while OpenClaw runs: by session, by transcript file, by agent. A session and a file are
 * forgotten here and nowhere else, when many others were used since. What must outlive the process is in the journal.
 */
import { RecentMap } from "../../base/recent-map.ts";
import type { Treatment } from "../../recovery/treatment.ts";

/** A path of the transcript tree with the hash of its messages. */
export interface HashedPath {
  firstEntryId: string | null;
  leafEntryId: string | null;
  /** How many messages the path has. */
  messageIndex: number;
  contentHash: string;
}

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

/** What is remembered of a transcript that is a file. */
export interface FileMemory {
  /** What is known of the file up to where it was found to be sound: a turn reads only what the last one added. */
  checked?: CheckedFile;
  /** What a user has said in a file that OpenClaw is about to empty. */
  held?: unknown[];
  /** Set for a file that holds an answer: OpenClaw does not empty it. */
  isAnswered?: boolean;
}

/** A file up to where it was found to be sound. */
export interface CheckedFile {
  readonly size: number;
  readonly ids: Set<unknown>;
  /** The last bytes that were read: when they are no longer there, the file was written anew. */
  readonly tail: Buffer;
}

/** What is remembered of one of OpenClaw's agents; it lives as long as the agent. */
export interface AgentMemory {
  /** Kinds of what was healed since the agent's last request, by gate. */
  healed?: Map<string, string[]>;
  /** Its history before OpenClaw's limit on it. */
  loaded?: readonly unknown[];
  /** Set when its tool calls are journalled. */
  isWatched?: boolean;
}

const MAX_SESSIONS = 512;
const MAX_FILES = 256;

const sessions = new RecentMap<string, SessionMemory>(MAX_SESSIONS, newSession);
const files = new RecentMap<string, FileMemory>(MAX_FILES, () => ({}));
const agents = new WeakMap<object, AgentMemory>();

/** Calls of tools that runs of this process may still carry out or get the result of, by their id in the journal. */
export const callsUnderWay = new Set<number>();

/** What is remembered of a session; a new one remembers nothing. Without an id nothing outlives the run. */
export function memoryOf(sessionId: string | undefined): SessionMemory {
  return sessionId === undefined ? newSession() : sessions.of(sessionId);
}

export function fileMemoryOf(file: string): FileMemory {
  return files.of(file);
}

export function agentMemoryOf(agent: object): AgentMemory {
  const memory = agents.get(agent) ?? {};
  agents.set(agent, memory);
  return memory;
}

function newSession(): SessionMemory {
  return {
    treatments: [],
    beginsAgain: false,
    refusals: 0,
    hunches: 0,
    told: false,
    withoutStopped: false,
    journalRead: false,
  };
}
