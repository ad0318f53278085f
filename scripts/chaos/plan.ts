import type { ToolPlan } from "./calls.ts";
import { makeRandom, type Random } from "../../harness/random.ts";

/** A turn that will be killed, as the provider plays it. */
export interface TurnPlan {
  /** Of the whole run, e.g. `12a-0`. */
  id: string;
  message: string;
  /** The calls of each answer that asks for tools. */
  rounds: ToolPlan[][];
  answer: string;
  /** Milliseconds between two pieces of a stream. */
  pace: number;
}

/** A conversation, and the turns of it that are killed, one for each kill of its episode. */
export interface SessionPlan {
  /** Stands in every message of the user. */
  tag: string;
  /** Whether it begins with this turn, or has a history. */
  fresh: boolean;
  turns: TurnPlan[];
  /** Whether the turn of a second kill comes behind a message that is answered, or is itself the next message. */
  askFirst: boolean;
}

/** When OpenClaw is killed: `delayMs` after a milestone of one of its turns. */
export interface KillPlan {
  mark: string;
  delayMs: number;
}

/** Some conversations that are hit by the same kills and have nothing to do with any other episode. */
export interface Episode {
  n: number;
  sessions: SessionPlan[];
  kills: KillPlan[];
}

/** What an episode may hold. */
export interface Limits {
  /** Conversations at once. */
  sessions: number;
  /**
   * How long OpenClaw takes from a message to its first request, roughly: kills before the request are spread over it.
   */
  startMs: number;
  longestCommandMs: number;
  /** Whether files are read too, which leaves no trace of its own. */
  reads: boolean;
}

const SECOND_KILL = 0.2;

/** The episode of a number: the same for the same seed, whatever came before it. */
export function makeEpisode(seed: string, n: number, limits: Limits): Episode {
  const random = makeRandom(`${seed}/${n}`);
  const kills = random.chance(SECOND_KILL) ? 2 : 1;
  const sessions = Array.from({ length: random.between(1, limits.sessions) }, (_, at) =>
    planSession(random, `${n}${"abcdefgh"[at] ?? "z"}`, kills, limits),
  );
  return {
    n,
    sessions,
    kills: Array.from({ length: kills }, (_, at) =>
      planKill(random, random.pick(sessions).turns[at] as TurnPlan, limits),
    ),
  };
}

function planSession(random: Random, name: string, kills: number, limits: Limits): SessionPlan {
  const tag = `session-${name}`;
  return {
    tag,
    fresh: random.chance(0.2),
    askFirst: random.chance(0.5),
    turns: Array.from({ length: kills }, (_, at) => planTurn(random, tag, `${name}-${at}`, limits)),
  };
}

function planTurn(random: Random, tag: string, id: string, limits: Limits): TurnPlan {
  const rounds = numbers(random.pick([1, 1, 1, 2])).map((round) =>
    numbers(random.pick([1, 1, 2, 2, 3, 4])).map((at) =>
      makeCall(random, `toolu${id.replace("-", "k")}r${round}c${at}`, limits),
    ),
  );
  return {
    id,
    message: `Do the work ${id}. (${tag})`,
    rounds,
    answer: `The work ${id} is done, and this is the answer to it.`,
    pace: random.pick([0, 2, 5, 15]),
  };
}

function numbers(length: number): number[] {
  return Array.from({ length }, (_, at) => at);
}

function makeCall(random: Random, id: string, { reads, longestCommandMs }: Limits): ToolPlan {
  const tool = random.chance(0.75) || !reads ? "exec" : "read";
  return { id, tool, ms: random.between(0, longestCommandMs), fails: random.chance(0.15) };
}

// Names of milestones: "sent", "ended", "request k", "piece k.j" of a turn; "started", "finished" (by the trace),
// "begun", "returned" (by OpenClaw's own events) of a call.
function planKill(random: Random, turn: TurnPlan, { startMs, longestCommandMs }: Limits): KillPlan {
  const at = (mark: string, longestMs: number): KillPlan => ({
    mark: `${turn.id} ${mark}`,
    delayMs: random.between(0, longestMs),
  });
  const round = random.between(0, turn.rounds.length - 1);
  const call = random.pick(turn.rounds[round] as ToolPlan[]);
  const ofCall = (mark: string, longestMs: number): KillPlan => ({
    mark: `${call.id} ${mark}`,
    delayMs: random.between(0, longestMs),
  });
  const last = turn.rounds.length + 1;
  return random.pick([
    () => at("sent", startMs),
    () => at(`request ${round + 1}`, 60),
    () => at(`piece ${round + 1}.${random.between(1, 8)}`, 20),
    () => at(`streamed ${round + 1}`, 150),
    () => ofCall("started", longestCommandMs),
    () => ofCall("started", longestCommandMs),
    () => ofCall("finished", 150),
    () => ofCall("returned", 250),
    () => ofCall("returned", 250),
    () => at(`request ${last}`, 60),
    () => at(`piece ${last}.${random.between(1, 4)}`, 20),
    () => at("ended", 60),
  ])();
}
