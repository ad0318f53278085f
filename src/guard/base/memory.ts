/**
 * What the guard remembers while OpenClaw runs: by session, by transcript file, by route, by agent. Only this module
 * forgets a session, a file or a route: the least recently used ones, above a limit. What must outlive the process is
 * in the journal.
 */
import type { Measured } from "../../recovery/size/characters-per-token.ts";
import type { FittedSession } from "../../recovery/size/fitted.ts";
import { RecentMap } from "../../base/recent-map.ts";
import type { KnownFact } from "../../recovery/routes/known.ts";
import type { SearchMemory } from "../../recovery/search/route-search.ts";
import type { AgentMoves } from "./words.ts";
import type { Treatment } from "../../recovery/forms/treatment.ts";
import type { SaidBefore } from "../../transcript/said.ts";
import type { KeptMessages } from "./kept-messages.ts";
import { RepairMemo } from "./repair-memo.ts";

/** A path in the transcript tree, with the hash of its messages. */
export interface HashedPath {
  firstEntryId: string | null;
  leafEntryId: string | null;
  /** How many messages the path has. */
  messageIndex: number;
  contentHash: string;
}

/** Memory of one session. */
export interface SessionMemory extends SearchMemory {
  /** Moves of the agent that the user has yet to be informed of. */
  moves?: AgentMoves;
  /** Treatments after which a provider accepted the history; applied on every load until they are in the store. */
  treatments: Treatment[];
  /**
   * Treatments that succeeded on a route after a refusal that gave no reason, or that leave pictures out which no
   * refusal has named. Not stored: a single such refusal may have been a passing failure of the provider, and another
   * route may take the pictures. Applied only to messages up to `until` (milliseconds since 1970); later ones are sent
   * as they are.
   */
  unexplained?: {
    /** The route, as {@link routeName} names it. */
    readonly route: string;
    readonly treatments: readonly Treatment[];
    readonly until: number | undefined;
  };
  /** The history was reset, and the stored path has yet to begin again. */
  beginsAgain: boolean;
  /** When the history was last reset, in milliseconds since 1970. */
  resetAt?: number;
  /** The route on which parts were found that the user has yet to be informed of. */
  untoldParts?: string | undefined;
  /** What a route takes of this session, where its requests were too large; read from the journal at the first use. */
  fitted?: FittedSession | undefined;
  /** The journal was read for what a route takes of this session. */
  fittedRead?: boolean;
  /** How many compactions of this session have failed since the last summary. */
  failedSummaries?: number;
  /** The summary of the last compaction was late. */
  isSummaryLate?: boolean;
  /** An extract stands in place of a summary, and whether the user has yet to be informed of that. */
  extract?: "due" | "told";
  /** A route has refused this session for its size: the newest compaction then. */
  tooLarge?: { readonly compaction: unknown };
  /** The question that a route has refused alone, and whether OpenClaw got the error: see `isSameQuestion`. */
  refusedAlone?: { readonly [name in "route" | "key" | "words"]: string } & {
    readonly at: number;
    readonly isPassed: boolean;
  };
  /** How many runs for a person's messages have begun; OpenClaw may try one turn in several. */
  attempts?: number;
  /** Turns that the provider refused without a reason and then answered after a treatment. */
  unexplainedCount: number;
  /** What the user wrote before all work was stopped and nobody read, and has yet to be told. */
  unread?: readonly string[];
  /** The user was informed that the history was changed. */
  isUserInformed: boolean;
  /** The journal was read for calls that an earlier process left open. */
  journalRead: boolean;
  /** What was in accepted requests, and what was known of the transcript then; made at the first request. */
  said?: {
    readonly before: SaidBefore;
    /** The newest summary, reset or move on the path when something was last missing, or at first. */
    boundary: unknown;
    /** {@link SessionMemory.resetAt} then. */
    resetAt: number | undefined;
    /** An incident was recorded. */
    isReported: boolean;
    /** Returns the messages of the transcript, where those of users are by the time that a model has answered. */
    stored?: (() => readonly unknown[]) | undefined;
  };
  readonly repairMemo: RepairMemo;
  /** The part of the path that is hashed already, so that a checkpoint hashes only new messages. */
  hashed?: HashedPath;
  /** Which reading of a JSONL transcript that was: see {@link FileMemory.readings}. */
  hashedReading?: number | undefined;
  /** The session manager whose path was hashed last. */
  hashedIn?: WeakRef<object> | undefined;
  /** The ids of a short path that was found whole, so that it is compared with the whole transcript once. */
  wholePath?: string;
  /** Tool calls since the last checkpoint. */
  callsSince?: number;
  /** The checkpoint made before the running turn. */
  turnCheckpoint?: string;
}

/** What is known of one route, as {@link routeName} names it. */
export interface RouteMemory {
  /** When the route last answered a request of any session, in milliseconds since 1970. */
  answeredAt?: number;
  /** How many characters its tokens had in requests of this process. */
  measured: Measured;
  /** How many requests it has answered since one was refused for its size, and the most tokens one of them had. */
  answers: number;
  answered: number;
  /** How many tokens the model declared to take when a refusal last named how many the route takes. */
  declared?: number | undefined;
  /** What was learned of it, as the journal of `home` has it. */
  facts: KnownFact[];
  /** The facts that the journal could not take. */
  unstored: KnownFact[];
  /** The key of the abilities that the model has declared. */
  abilities?: string;
  /** The state directory; a process may serve several, one after the other. */
  home?: string;
  /** When the journal was read, in milliseconds since 1970. */
  loadedAt?: number | undefined;
}

/** Memory of one transcript file. */
export interface FileMemory {
  /** The part of the file that was found valid, so that a turn reads only what was added since. */
  checked?: CheckedFile;
  /** How often the file was read from its start: each time somebody else may have changed any row. */
  readings?: number;
  /** The id of the run that has opened the file last. */
  openedFor?: unknown;
  /** The user's messages in a file that OpenClaw is about to empty. */
  held?: unknown[];
  /** The file holds an assistant message: OpenClaw does not empty such a file. */
  isAnswered?: boolean;
}

/** The beginning of a file that was found valid. */
export interface CheckedFile {
  readonly size: number;
  readonly ids: Set<unknown>;
  /** OpenClaw's own replies that stand beside the tree. */
  readonly aside: Set<unknown>;
  /** The id of the last row of the tree; undefined before the first one. */
  readonly last: unknown;
  /** The last messages, which a compaction keeps. */
  readonly kept: KeptMessages;
  /** The checksum of all bytes up to `size`: somebody may have changed a row in its place. */
  readonly checksum: number;
}

/** Memory of one of OpenClaw's agents; lives as long as the agent. */
export interface AgentMemory {
  /** Kinds of the violations that were healed since the agent's last request, by gate. */
  healed?: Map<string, string[]>;
  /** The agent's history before `limitHistoryTurns`. */
  loaded?: readonly unknown[];
  /** The agent's tool calls are journalled. */
  isWatched?: boolean;
}

/** What this process knows of an accepted message that waits for a run. */
export interface WaitingHere {
  readonly sessionId: string;
  readonly text: string;
  /** When it was accepted, by the clock of the process. */
  readonly since: number;
  /** The place of its acceptance among all that is journalled. */
  readonly place: number;
  /** How its channel names it, where a channel may send it again. */
  readonly sentAs?: string | undefined;
  /** The id of its run, while OpenClaw has acknowledged it and has yet to begin with it. */
  readonly runId?: string | undefined;
  /** The message waits in a running turn; otherwise in a queue. */
  readonly isSteered?: boolean;
  /** The run that takes it may have it in other words. */
  readonly isReworded?: boolean;
  /** What has become of it by now. `gone`: OpenClaw has dropped it from a full queue, as it was set up to. */
  readonly fate: () => "waiting" | "interrupted" | "cancelled" | "gone";
}

const MAX_SESSIONS = 512;
const MAX_FILES = 256;
const MAX_ROUTES = 256;

const sessions = new RecentMap<string, SessionMemory>(MAX_SESSIONS, newSession);
const files = new RecentMap<string, FileMemory>(MAX_FILES, () => ({}));
const routes = new RecentMap<string, RouteMemory>(MAX_ROUTES, newRouteMemory);
const agents = new WeakMap<object, AgentMemory>();

/** Journal ids of the tool calls that a run of this process may still execute or get the result of. */
export const callsUnderWay = new Set<number>();

/**
 * Ids of the entries of user messages that this process has asked a model with, and that have no stored answer yet,
 * each with the run that asks it, where OpenClaw names its runs.
 */
export const askedHere = new Map<string, string | undefined>();

/** The accepted messages of this process that wait for a run, by their ids in the journal. */
export const waitingHere = new Map<string, WaitingHere>();

/** Returns the memory of a session, empty at first. Without an id the memory is the caller's alone. */
export function sessionMemory(sessionId: string | undefined): SessionMemory {
  return sessionId === undefined ? newSession() : sessions.getOrMake(sessionId);
}

export function fileMemory(file: string): FileMemory {
  return files.getOrMake(file);
}

export function routeMemory(route: string): RouteMemory {
  return routes.getOrMake(route);
}

export function agentMemory(agent: object): AgentMemory {
  const memory = agents.get(agent) ?? {};
  agents.set(agent, memory);
  return memory;
}

/** Returns what is known of a route at first: nothing. */
export function newRouteMemory(): RouteMemory {
  return { measured: [], answers: 0, answered: 0, facts: [], unstored: [] };
}

function newSession(): SessionMemory {
  return {
    treatments: [],
    beginsAgain: false,
    unexplainedCount: 0,
    isUserInformed: false,
    journalRead: false,
    repairMemo: new RepairMemo(),
  };
}
