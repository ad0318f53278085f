import { expect, test } from "vitest";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/index.ts";
import { join } from "node:path";
import { planEpisodes, playJob } from "./crew.ts";
import { failureLines } from "./report.ts";
import { addTo, emptyTally, type Subject } from "./tally.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { patience } from "../../harness/patience.ts";

// `CHAOS_SEED=… CHAOS_KILLS=… npx vitest run test/chaos`; `npm run trial chaos` kills far more often, and stock beside
// patched.
const SEED = process.env["CHAOS_SEED"] ?? "sample";
const KILLS = process.env["CHAOS_KILLS"];

test.concurrent.each(BASE_RELEASES)(
  "OpenClaw %s, patched and killed in the middle of turns, goes on with nothing lost and nothing made up",
  async (release) => {
    // Each starts it anew, which takes the later release ten seconds.
    const kills = Number(KILLS ?? (release === "2026.2.3" ? 2 : 1));
    const { patched } = await ensurePatched(release as Release, { say: () => {} });
    const subject: Subject = { release, variant: "patched", mode: "in-process" };
    const tally = emptyTally(subject);
    const failures: string[] = [];
    for (const job of planEpisodes({ ...subject, root: join(patched, "..", ".."), seed: SEED, kills })) {
      await playJob(job, (outcome) => {
        addTo(tally, outcome);
        failures.push(...failureLines(subject, outcome, SEED));
      });
    }
    expect(failures).toEqual([]);
    expect(tally.answered).toBe(tally.checks);
    expect(tally.kills).toBeGreaterThanOrEqual(kills);
    // Of many it has really been killed where it hurts: while tools ran, and with results that could have been lost.
    if (kills < 30) return;
    const running = [...tally.places]
      .filter(([place]) => place.startsWith("calls run"))
      .reduce((sum, [, turns]) => sum + turns, 0);
    expect(running).toBeGreaterThan(0);
    expect(tally.told.get("finished")?.get("result") ?? 0).toBeGreaterThan(0);
  },
  patience(600_000),
);
