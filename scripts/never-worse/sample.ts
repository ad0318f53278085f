/** A few cases through the patched OpenClaw and the unpatched one. */
import { expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import type { Release } from "../../src/patching/index.ts";
import { GROUPS } from "./case.ts";
import { chooseCases } from "./cases.ts";
import { findingLines } from "./report.ts";
import { runGate } from "./run.ts";

/** A few cases of each group, in most of which the unpatched OpenClaw answers; `npm run trial never-worse` plays all. */
const SAMPLE = [
  "d-crash-tail on anthropic",
  "no-vision-ollama on chat",
  "nul-in-result on anthropic",
  // A form without pictures that one route needs, and another does not.
  "random-27 on responses",
];

/** On a release. */
export function neverWorse(release: Release): void {
  it(
    `OpenClaw ${release}, patched, answers what it answers unpatched, sends the same words, and asks at most twice more`,
    async () => {
      const all = chooseCases({ groups: GROUPS, seed: 27, random: 1, only: new RegExp(`^(${SAMPLE.join("|")})$`) });
      const pairs = await runGate({ release, cases: all, lanes: 1, say: () => undefined });
      expect(pairs.flatMap(findingLines)).toEqual([]);
      // Where nothing is answered without the patch, nothing can be worse with it.
      const answered = pairs.filter(({ stock }) => stock.turns.some((turn) => turn.answered));
      expect(answered.length).toBeGreaterThan(pairs.length / 2);
    },
    patience(180_000),
  );
}
