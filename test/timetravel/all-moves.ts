/** All moves of an agent in its history. */
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import type { Live } from "../../harness/openclaw/live.ts";
import { startTravelling } from "../../harness/openclaw/travelling.ts";
import {
  compactionBetween,
  DESTINATIONS,
  keepsPrompt,
  keptByCompaction,
  leftBranch,
  movesTo,
} from "./destination-cases.ts";
import { movesInTurns } from "./move-cases.ts";
import { recoveryAfterMoves } from "./recovery-cases.ts";

/** In a release that is installed and patched. */
export function allMoves(release: string): void {
  describe(`an agent of OpenClaw ${release} moves in its history`, () => {
    const live = {} as Live;
    beforeAll(async () => void Object.assign(live, await startTravelling(release)));
    afterAll(() => live.close());
    beforeEach(() => live.provider.reset());
    movesTo(live, DESTINATIONS);
    keepsPrompt(live);
    leftBranch(live);
    compactionBetween(live);
    keptByCompaction(live, [1, 2]);
    movesInTurns(live, release);
    recoveryAfterMoves(live, release);
  });
}
