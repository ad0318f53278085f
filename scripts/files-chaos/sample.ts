/** A few kills in the middle of moves with files. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { patience } from "../../harness/patience.ts";
import type { Release } from "../../src/patching/index.ts";
import { type Kill, type Outcome, playRelease } from "./play.ts";

/** On the release that starts fast both kills, on the other the one in which its own store has a part. */
const isBoth = (release: string): boolean => release === "2026.2.3";

/**
 * One kill while files are between the two places, and one behind the last commit while the move is under way: a commit
 * behind the move's end is the turn's, and a turn can be over before that one.
 */
function pickSample(plan: readonly Kill[], release: string): Kill[] {
  const own = plan.filter(({ place, isUnderWay }) => place.from === "intent" && isUnderWay);
  const renames = own.filter(({ verb }) => verb === "renameSync");
  const last = own
    .filter(({ verb, place }) => verb === "COMMIT" && place.part === "after")
    .toSorted((one, other) => one.place.at - other.place.at)
    .at(-1);
  return [...(isBoth(release) ? [renames[renames.length >> 1]] : []), last].filter((kill) => kill !== undefined);
}

/** The sample of kills of a release. */
export function killsInMoves(release: Release): void {
  test(
    `OpenClaw ${release}, killed in the middle of a move with files, goes on with both halves of the move or with neither`,
    async () => {
      const { patched, stock } = await ensurePatched(release, { say: () => {} });
      const outcomes: Outcome[] = [];
      await playRelease({
        release,
        roots: { patched: join(patched, "..", ".."), stock: join(stock, "..", "..") },
        kills: 1000,
        seed: "sample",
        choose: (plan) => pickSample(plan, release),
        done: (outcome) => outcomes.push(outcome),
      });
      expect(outcomes.flatMap(({ findings }) => findings)).toEqual([]);
      // Really killed: once with files between the two places, once with the conversation moved.
      expect(outcomes.map(({ isKilled, mixed, moved }) => [isKilled, mixed > 0, moved])).toEqual([
        ...(isBoth(release) ? [[true, true, false]] : []),
        [true, false, true],
      ]);
    },
    patience(300_000),
  );
}
