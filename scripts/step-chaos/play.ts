import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolPlan } from "../chaos/calls.ts";
import { startFront } from "../chaos/front.ts";
import { openInProcess } from "../chaos/in-process/runner.ts";
import type { Episode } from "../chaos/plan.ts";
import { playEpisodes, type Outcome } from "../chaos/play.ts";
import { Progress } from "../chaos/progress.ts";
import { episodeNumber, STEPS_FILE, type Place, type Step } from "./steps.ts";

const PRELOAD = fileURLToPath(new URL("preload.ts", import.meta.url));

/** Which OpenClaw is killed. */
export interface Killed {
  /** Folder that contains `node_modules/openclaw`. */
  root: string;
  release: string;
}

/** Kills OpenClaw at these places, on one state, and sends the next message behind each kill. */
export async function playPlaces(
  { root, release }: Killed,
  places: readonly Place[],
  done: (outcome: Outcome) => void,
): Promise<void> {
  await play(root, release, places.map(episodeNumber), done);
}

/** The places of a turn that nothing kills: behind each step, and half-way through what is appended to a file. */
export async function recordPlaces({ root, release }: Killed): Promise<Place[]> {
  const steps = await play(root, release, [0], () => {});
  return steps.flatMap(({ n, isCut }): Place[] => [
    ...(isCut ? [{ step: n, part: "half" } as const] : []),
    { step: n, part: "after" },
  ]);
}

/** Gives the steps of the turns. */
async function play(
  root: string,
  release: string,
  numbers: readonly number[],
  done: (outcome: Outcome) => void,
): Promise<Step[]> {
  const folder = mkdtempSync(join(tmpdir(), "step-chaos-"));
  const steps = join(folder, "steps.jsonl");
  const progress = new Progress();
  const front = await startFront(progress);
  try {
    const env = { NODE_OPTIONS: `--import=${PRELOAD}`, [STEPS_FILE]: steps };
    const runner = await openInProcess({ root, release, providerUrl: front.url, env });
    try {
      await playEpisodes(numbers.map(makeEpisode), { runner, front, progress }, done);
    } finally {
      await runner.close();
    }
    if (!existsSync(steps)) return [];
    const lines = readFileSync(steps, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Step).filter(({ n }) => n !== undefined);
  } finally {
    await front.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A command alone, then a command that fails with a file beside it, then words; a fourth begin a conversation. */
function makeEpisode(n: number): Episode {
  const [id, tag] = [`${n}a-0`, `session-${n}a`];
  const call = (round: number, at: number, tool: ToolPlan["tool"], fails = false): ToolPlan => ({
    id: `toolu${n}ak0r${round}c${at}`,
    tool,
    ms: 10,
    fails,
  });
  return {
    n,
    sessions: [
      {
        tag,
        fresh: n % 8 > 5,
        askFirst: false,
        turns: [
          {
            id,
            message: `Do the work ${id}. (${tag})`,
            rounds: [[call(0, 0, "exec")], [call(1, 0, "exec", true), call(1, 1, "read")]],
            answer: `The work ${id} is done, and this is the answer to it.`,
            pace: 0,
          },
        ],
      },
    ],
    // The process ends by itself at its step, or by the kill behind the turn.
    kills: [{ mark: "never", delayMs: 0 }],
  };
}
