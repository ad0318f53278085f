import { startFront } from "./front.ts";
import { openGatewayRunner } from "./gateway.ts";
import { openInProcess } from "./in-process/runner.ts";
import { makeEpisode, type Episode } from "./plan.ts";
import { playEpisodes, type Outcome } from "./play.ts";
import { Progress } from "./progress.ts";
import type { Subject } from "./tally.ts";

/** Episodes that are played on one state, one after the other. */
export interface Job extends Subject {
  /** Folder that contains `node_modules/openclaw`. */
  root: string;
  episodes: Episode[];
}

/** What is to be killed, and how often. */
export interface Wanted extends Subject {
  root: string;
  seed: string;
  kills: number;
  /** This episode and no other. */
  only?: number;
}

// A state with hundreds of conversations would make the later kills others than the first ones.
const EPISODES_PER_STATE = 30;
const SESSIONS = 3;
const LONGEST_COMMAND_MS = 400;
// From a message to its first request, on a machine of two cores that does something else besides.
const START_MS: Record<string, number> = { "2026.2.3": 250 };
const OTHER_START_MS = 900;

/** The jobs of one OpenClaw: as many episodes as it takes for the kills. */
export function planEpisodes({ seed, kills, only, ...rest }: Wanted): Job[] {
  const inProcess = rest.mode === "in-process";
  const limits = {
    sessions: SESSIONS,
    startMs: START_MS[rest.release] ?? OTHER_START_MS,
    // In the gateway only commands tell when they ended, and it takes longer to be sure.
    longestCommandMs: inProcess ? LONGEST_COMMAND_MS : 2 * LONGEST_COMMAND_MS,
    reads: inProcess,
  };
  const episodes: Episode[] = [];
  if (only !== undefined) episodes.push(makeEpisode(seed, only, limits));
  else
    for (let sum = 0, n = 0; sum < kills; n++)
      sum += episodes[episodes.push(makeEpisode(seed, n, limits)) - 1]?.kills.length ?? 0;
  return Array.from({ length: Math.ceil(episodes.length / EPISODES_PER_STATE) }, (_, at) => ({
    ...rest,
    episodes: episodes.slice(at * EPISODES_PER_STATE, (at + 1) * EPISODES_PER_STATE),
  }));
}

/** Plays a job on a state of its own; throws when OpenClaw does not come up. */
export async function playJob({ root, release, mode, episodes }: Job, done: (outcome: Outcome) => void): Promise<void> {
  const progress = new Progress();
  const front = await startFront(progress);
  try {
    const options = { root, release, providerUrl: front.url };
    const runner = await (mode === "gateway" ? openGatewayRunner(options) : openInProcess(options));
    try {
      await playEpisodes(episodes, { runner, front, progress }, done);
      if (front.strays() > 0)
        console.error(`${front.strays()} requests belonged to no conversation and were not looked at`);
    } finally {
      await runner.close();
    }
  } finally {
    await front.close();
  }
}
