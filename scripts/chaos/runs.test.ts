import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { readMeasured, together, writeMeasured } from "./runs.ts";
import { emptyTally, type Tally } from "./tally.ts";

const run = "2026-11-22, `npm run trial chaos`";
function tally(kills: number): Tally {
  const one = emptyTally({ release: "2026.9.6", variant: "patched", mode: "in-process" });
  return {
    ...one,
    kills,
    faults: new Map([["result lost", 1]]),
    told: new Map([["finished", new Map([["result", kills]])]]),
  };
}

it("loses nothing of an earlier run when a later one adds to it, a file in between", () => {
  const folder = newFolder();
  const file = join(folder, "chaos.json");
  writeMeasured(together(readMeasured(file), run, [tally(3)]), file);
  const { runs, tallies } = together(readMeasured(file), run, [tally(4), { ...tally(1), variant: "stock" }]);
  expect(runs).toHaveLength(2);
  expect(tallies.map(({ variant, kills }) => [variant, kills])).toEqual([
    ["stock", 1],
    ["patched", 7],
  ]);
  expect(tallies[1]!.faults.get("result lost")).toBe(2);
  expect(tallies[1]!.told.get("finished")?.get("result")).toBe(7);
});
