import { join } from "node:path";
import { expect, test } from "vitest";
import { playRelease } from "./play.ts";
import { type Area, type Kill, planKills } from "./plan.ts";
import { failureLines } from "./report.ts";
import { addTo, emptyTally, sumRows } from "./tally.ts";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/index.ts";
import { patience } from "../../harness/patience.ts";

// `TRAVEL_SEED=… TRAVEL_KILLS=… npx vitest run scripts/travel-chaos/sample.heavy.test.ts`; `npm run trial travel-chaos` visits
// every place.
const SEED = process.env["TRAVEL_SEED"] ?? "sample";
const KILLS = Number(process.env["TRAVEL_KILLS"] ?? 0);

/** A kill on each side of the step that makes the move, and what differs there between rows and lines. */
const SAMPLE: Readonly<Record<string, readonly Area[]>> = {
  "2026.2.3": [
    "half of the carryover's line",
    "the carryover's line without its newline",
    "at random, while the other call runs",
  ],
  "2026.9.6": ["right before COMMIT", "right behind COMMIT"],
};

/** The first kill of each area, in turns to another target; or all of a longer plan. */
function pickSample(plan: readonly Kill[], areas: readonly Area[]): Kill[] {
  if (KILLS > 0) return plan.slice(0, KILLS);
  return areas.flatMap((area, at) => {
    const kills = plan.filter((kill) => kill.area === area);
    return kills.length === 0 ? [] : [kills[at % kills.length]!];
  });
}

test.each(Object.entries(SAMPLE))(
  "OpenClaw %s, killed around a move of its agent, goes on with the move made or not made, never half",
  async (release, areas) => {
    const { patched, stock } = await ensurePatched(release as Release, { say: () => {} });
    const tally = emptyTally(release);
    const failures: string[] = [];
    await playRelease({
      release,
      roots: { patched: join(patched, "..", ".."), stock: join(stock, "..", "..") },
      plan: (turns, turnMs) =>
        pickSample(planKills(turns, { seed: SEED, kills: KILLS, batchPlaces: 12, turnMs }), areas),
      stockEvery: 0,
      gatewayEvery: 0,
      done: (outcome) => {
        addTo(tally, outcome);
        failures.push(
          ...failureLines(release, outcome, `npm run trial travel-chaos -- --release ${release} --seed ${SEED}`),
        );
      },
    });
    expect(failures).toEqual([]);
    // It has really been killed on both sides.
    const { kills, moved, answered } = sumRows(tally);
    expect([kills >= areas.length, moved > 0, moved < kills, answered === kills, tally.tooLate]).toEqual([
      true,
      true,
      true,
      true,
      0,
    ]);
  },
  patience(600_000),
);
