import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  Continuity,
  ContinuityError,
  type ContinuityStore,
  type Lease,
  openSqliteStore,
  type StepRequest,
  type WorkState,
} from "../../src/continuity/index.ts";
import { canonicalText } from "../../src/continuity/base/json.ts";
import { loadResult } from "../../src/continuity/steps/results.ts";
import { newFolder } from "../../harness/temporary.ts";
import { injected } from "./injected.ts";
import { kinds, type Place } from "./places.ts";
import { keyed, ledgerIn } from "./tampered.ts";

const RUNS = Number(process.env["CONTINUITY_RUNS"] ?? 75);

describe("one flipped bit of a SQLite file", () => {
  const whole = join(newFolder(), "whole.sqlite");
  let size = 0;
  let state: WorkState;
  let completed: StepRequest[];
  let results: unknown[];
  let lease: Lease;

  beforeAll(async () => {
    const place: Place = await kinds()[0]!.place();
    const ledger = await ledgerIn(place, { everyEvents: 9 });
    ({ lease } = ledger);
    state = await (await ledger.fresh()).state();
    const steps = await ledger.store.completedSteps(ledger.workflow_id);
    completed = steps.map(({ step_id }) => keyed(step_id));
    results = await Promise.all(
      steps.map(async (step) => canonicalText(await loadResult(step, ledger.store, undefined))),
    );
    await place.sql("PRAGMA wal_checkpoint(TRUNCATE)");
    if ("file" in place.options) copyFileSync(place.options.file, whole);
    size = readFileSync(whole).length;
  });

  it("is refused or changes nothing: no step runs again, no other result is given, and verify names what is damaged", async () => {
    const seen = { refused: 0, named: 0, harmless: 0 };
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 7 }), fc.nat(), fc.boolean(), async (bit, at, used) => {
        const bytes = readFileSync(whole);
        // Much of a file is zero: half of the flips are where something is written.
        const places = used ? [...bytes.keys()].filter((place) => bytes[place] !== 0) : undefined;
        const place = places ? places[at % places.length]! : at % size;
        bytes[place]! ^= 1 << bit;
        const file = join(newFolder(), "flipped.sqlite");
        writeFileSync(file, bytes);
        const told = `bit ${bit} of byte ${place}`;
        let store: ContinuityStore | undefined;
        try {
          store = openSqliteStore({ file, mustExist: true, busyTimeoutMs: 0 });
          const project = await new Continuity({ store, ...injected("flipped") }).find("p");
          if (!project) throw new ContinuityError("not-found", "no project p");
          const { damages } = await project.verify();
          for (const [index, request] of completed.entries()) {
            const again = project.runStep(lease, request, async () => expect.fail(`${told}: executed again`));
            const outcome = await again.catch((error: unknown) => refusal(error));
            if ("code" in outcome) expect(damages, `${told}: refused, and verify finds nothing`).not.toEqual([]);
            else expect(canonicalText(outcome.result), told).toBe(results[index]);
          }
          if (damages.length > 0) seen.named += 1;
          else {
            expect(await project.state(), told).toEqual(state);
            seen.harmless += 1;
          }
        } catch (error) {
          refusal(error);
          seen.refused += 1;
        } finally {
          await store?.close();
        }
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(seen.named, seen.refused + seen.harmless), JSON.stringify(seen)).toBeGreaterThan(0);
  });
});

/** Every refusal is one of the kernel's: no raw error of the driver. */
function refusal(error: unknown): ContinuityError {
  if (error instanceof ContinuityError) return error;
  throw error;
}
