/** A short soak of a patched release, without kills. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { patience } from "../../harness/patience.ts";
import type { Release } from "../../src/patching/index.ts";
import { faultLines } from "./report.ts";
import { Side } from "./side.ts";
import { soak } from "./soak.ts";

// `npm run trial soak` takes longer, beside the unpatched OpenClaw.
const SEED = process.env["SOAK_SEED"] ?? "sample";
const ACTIONS = Number(process.env["SOAK_ACTIONS"] ?? 3);
const CONVERSATIONS = 3;

/** A few actions in a few conversations. */
export function soakSample(release: Release): void {
  test(
    `OpenClaw ${release}, patched, forgets, repeats and breaks nothing while people write, stop and switch models`,
    async () => {
      const { patched } = await ensurePatched(release, { say: () => {} });
      const side = await Side.open({ release, variant: "patched", root: join(patched, "..", "..") });
      try {
        const soaking = { seed: SEED, conversations: CONVERSATIONS, ms: Infinity, actions: ACTIONS, kills: false };
        const faults = await soak(side, soaking);
        expect(faultLines(faults)).toEqual([]);
        expect(side.model.requests.length).toBeGreaterThan(CONVERSATIONS * ACTIONS);
      } finally {
        await side.close();
      }
    },
    patience(300_000),
  );
}
