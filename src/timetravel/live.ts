import type { MoveIntent } from "./records.ts";
import type { Timeline } from "./timeline.ts";

/** A move that is going to be made when the batch of calls is done that asked for it. */
export interface RequestedMove {
  readonly intent: MoveIntent;
  /** What the model is told. */
  readonly text: string;
}

/** What `timeline` tells an agent. */
export interface AgentTimeline extends Timeline {
  /** Where moves left from, the youngest first: each is the end of a branch, or behind one. */
  readonly departures: readonly { readonly id: string; readonly left_for: string; readonly time: string | null }[];
  readonly checkpoints: readonly { readonly target: string; readonly behind: string; readonly time: string }[];
  /** Places that people have named. */
  readonly names: readonly { readonly target: string; readonly behind: string }[];
}

/**
 * The session of a run that is going on, as the tools of its agent reach it. Every method throws a TimeTravelError that
 * says what to do instead.
 */
export interface TravellingSession {
  /** The places that the agent can go to; `most` of each kind. */
  timeline(most: number): AgentTimeline;
  /** Checks and keeps a move; nothing is changed before the turn's boundary. */
  request(asked: string, note: string): RequestedMove;
}

/** The guard is a file of its own inside OpenClaw and the plugin another: they meet here. */
const SESSIONS = Symbol.for("openclaw-integrity.time-travel.v1");

function sessions(): Map<string, TravellingSession> {
  const holder = globalThis as { [SESSIONS]?: Map<string, TravellingSession> };
  return (holder[SESSIONS] ??= new Map());
}

/**
 * The session that a run of this conversation is going on in; undefined without a run, or where OpenClaw is not
 * patched.
 */
export function travellingSession(sessionKey: string): TravellingSession | undefined {
  return sessions().get(sessionKey);
}

/** A run of this conversation has begun. */
export function enterTravel(sessionKey: string, session: TravellingSession): void {
  sessions().set(sessionKey, session);
}

/** It has ended; another one that began meanwhile stays. */
export function leaveTravel(sessionKey: string, session: TravellingSession): void {
  if (sessions().get(sessionKey) === session) sessions().delete(sessionKey);
}
