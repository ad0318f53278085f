import { patience } from "../../harness/patience.ts";
import { CLAIMS, findFaults, type Claim } from "./checks.ts";
import { openPlayer, type Pause, type Player } from "./play.ts";
import { openLibraryPlayer } from "./play-library.ts";
import type { Played } from "./played.ts";
import { describePlan, makePlans, type Plan, type Way } from "./plan.ts";
import { Tally } from "./tally.ts";

export interface RunOptions {
  seed: string;
  count: number;
  ways: readonly Way[];
  /** Numbers of the providers that are played; all by default. */
  only?: readonly number[];
  /** Processes of each way. */
  lanes?: number;
  /** The run ends with the providers that are being played then. */
  mostMs?: number;
  say: (line: string) => void;
  /** Gets each one that was played. */
  played?: (played: Played) => void;
}

export interface RunOutcome {
  seed: string;
  seconds: number;
  tally: Tally;
  /** One line for each claim that does not hold, with the command that shows it again. */
  failures: string[];
}

/** The guard's second before a search is a tenth of one here. */
function pauseHere(): Pause {
  return { quietMs: 30, firstMs: 200, mostMs: patience(60_000) };
}

/** Plays the providers of a seed, each way in a lane of its own, and judges them. */
export async function runProviders(options: RunOptions): Promise<RunOutcome> {
  const { seed, count, ways, only, say, lanes = 1, mostMs = Infinity } = options;
  const started = performance.now();
  const plans = makePlans(seed, count, ways, only);
  const tally = new Tally();
  const failures: string[] = [];
  let done = 0;
  const judge = (played: Played): void => {
    options.played?.(played);
    const faults = findFaults(played);
    tally.add(played, faults);
    const claims = Object.keys(CLAIMS) as Claim[];
    for (const claim of claims) {
      const of = faults.filter((fault) => fault.claim === claim);
      if (of.length > 0)
        failures.push(
          `${claim}: ${describePlan(played.plan)}: ${of.map(({ text }) => text).join("; ")} (${replayCommand(played.plan)})`,
        );
    }
    if (played.failed !== undefined)
      failures.push(`not played: ${describePlan(played.plan)}: ${played.failed} (${replayCommand(played.plan)})`);
    if (++done % 50 === 0) say(`${done} of ${plans.length}, ${failures.length} failures`);
  };
  const end = started + mostMs;
  await Promise.all(
    Object.entries(Object.groupBy(plans, ({ way }) => way)).flatMap(([way, list]) => {
      const waiting = [...list];
      const next = (): Plan | undefined => (performance.now() < end ? waiting.shift() : undefined);
      return Array.from({ length: Math.min(lanes, list.length) }, () => lane(way as Way, next, { say, judge }));
    }),
  );
  return { seed, seconds: (performance.now() - started) / 1000, tally, failures: failures.toSorted() };
}

async function lane(
  way: Way,
  next: () => Plan | undefined,
  { say, judge }: { say: (line: string) => void; judge: (played: Played) => void },
): Promise<void> {
  const player: Player =
    way === "library" ? await openLibraryPlayer(pauseHere()) : await openPlayer(way, pauseHere(), say);
  try {
    for (let plan = next(); plan; plan = next()) {
      const one = plan;
      const failed = (error: unknown): Played => ({ plan: one, turns: [], archived: [], failed: String(error) });
      judge(await player.play(one).catch(failed));
    }
  } finally {
    await player.close();
  }
}

function replayCommand({ seed, nth }: Plan): string {
  return `npm run trial random-providers -- --seed ${seed} --only ${nth} --show`;
}
