import type { Decision } from "../workspace/index.ts";
import type { MoveIntent } from "./records.ts";
import type { WorkReader } from "./carry/work.ts";
import type { Timeline } from "./timeline.ts";

/** A move that was accepted; it is made when the batch of calls that requested it is done. */
export interface RequestedMove {
  readonly intent: MoveIntent;
  /** The text of the tool result for the model. */
  readonly text: string;
}

/** Which places an agent asks for. */
export interface AskedPlaces {
  /** How many of each kind at most. */
  readonly most: number;
  /** Only places above this one, in a form that {@link resolveTarget} accepts. */
  readonly before?: string | undefined;
}

/** A place to which the agent has given a name. */
export interface MarkedPlace {
  readonly name: string;
  /** The beginning of its entry's id. */
  readonly id: string;
}

/** The result of the tool `timeline` for an agent. Ids are as short as they can be in the session. */
export interface AgentTimeline extends Timeline {
  /** Nodes from which moves left, the latest first: each is the end of a branch, or above one. */
  readonly departures: readonly { readonly id: string; readonly left_for: string; readonly time: string | null }[];
  readonly checkpoints: readonly { readonly id: string; readonly time: string }[];
  /** Places that users have named, and after them those that the agent has marked, the latest first. */
  readonly names: readonly { readonly name: string; readonly id: string }[];
}

/**
 * The session of an active run, for the tools of its agent. Every method throws a TimeTravelError that tells the agent
 * what to do instead.
 */
export interface TravellingSession {
  /** The places to which the agent can move. */
  timeline(asked: AskedPlaces): AgentTimeline;
  /** Checks a name for the present place, which it gets by the details of the tool's result. */
  mark(name: string): MarkedPlace;
  /**
   * Checks a move and stores it until the turn boundary; nothing is changed before that. `work` is called when the move
   * is made.
   */
  request(asked: string, note: string, work?: WorkReader): RequestedMove;
  /** Checks a move that brings files back, with what it does to them in the text. */
  requestWithFiles(
    asked: string,
    note: string,
    conflicts: Decision | undefined,
    work?: WorkReader,
  ): Promise<RequestedMove>;
}

/**
 * The guard and the plugin are separate bundles in one process and share this map by a global symbol. Its number is
 * raised with each change of {@link TravellingSession}: to a plugin of another version the guard then is none.
 */
const SESSIONS = Symbol.for("openclaw-integrity.time-travel.v3");

function sessions(): Map<string, TravellingSession> {
  const holder = globalThis as { [SESSIONS]?: Map<string, TravellingSession> };
  return (holder[SESSIONS] ??= new Map());
}

/** Returns the session of this conversation's active run; undefined without a run, or where OpenClaw is not patched. */
export function travellingSession(sessionKey: string): TravellingSession | undefined {
  return sessions().get(sessionKey);
}

/** Registers the session of a run that begins. */
export function enterTravel(sessionKey: string, session: TravellingSession): void {
  sessions().set(sessionKey, session);
}

/** Removes the session of a run that has ended, unless another run has registered since. */
export function leaveTravel(sessionKey: string, session: TravellingSession): void {
  if (sessions().get(sessionKey) === session) sessions().delete(sessionKey);
}
