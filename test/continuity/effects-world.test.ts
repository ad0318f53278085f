import fc from "fast-check";
import { describe, it } from "vitest";
import { moves, Run } from "./effects-program.ts";
import { kinds } from "./places.ts";

const RUNS = Number(process.env["CONTINUITY_RUNS"] ?? 12);

for (const { kind, skip, title, place } of kinds())
  describe.skipIf(skip)(`random programs of agents, kills, people and copies, on ${title}`, () => {
    it(
      "let no effect happen twice without somebody's word, and say of none that happened that it did not",
      async () => {
        await fc.assert(
          fc.asyncProperty(moves, async (program) => {
            const run = new Run(place);
            await run.begin();
            for (const move of program) {
              await run.move(move);
              await run.check(JSON.stringify(move));
            }
            await run.end();
          }),
          { numRuns: kind === "postgres" ? Math.ceil(RUNS / 4) : RUNS },
        );
      },
      60_000 + RUNS * 2000,
    );
  });
