import { expect, it } from "vitest";
import { whyNoPgBouncer } from "../../harness/pgbouncer.ts";
import { whyNoPostgres } from "../../harness/postgres.ts";
import { playRun, type RunOptions } from "./run.ts";

const SAMPLE: Omit<RunOptions, "store" | "steps"> = {
  seed: "sample",
  workers: 3,
  workflows: 3,
  pause: { from: 200, to: 1200 },
  longestMs: 150_000,
  most: 7,
};
const why = whyNoPostgres();

it.skipIf(why !== undefined)(
  `loses, doubles and mixes up nothing on PostgreSQL while workers are killed and suspended and the server restarts${why === undefined ? "" : ` (skipped: ${why})`}`,
  async () => {
    const { faults, disturbances, checked, expectedCompletions } = await playRun({
      ...SAMPLE,
      store: "postgres",
      steps: 150,
    });
    expect(faults).toEqual([]);
    expect(checked.completions).toBe(expectedCompletions);
    expect([
      disturbances.kills >= 2,
      disturbances.suspensions >= 1,
      disturbances.fastRestarts >= 1,
      disturbances.crashes >= 1,
    ]).toEqual([true, true, true, true]);
  },
);

const whyNot = why ?? whyNoPgBouncer();
it.skipIf(whyNot !== undefined)(
  `loses, doubles and mixes up nothing behind PgBouncer while clocks are a minute off and the server hangs${whyNot === undefined ? "" : ` (skipped: ${whyNot})`}`,
  async () => {
    const { faults, disturbances, checked, expectedCompletions } = await playRun({
      ...SAMPLE,
      store: "postgres",
      steps: 120,
      pooler: true,
      skewMs: 60_000,
      hangs: true,
    });
    expect(faults).toEqual([]);
    expect(checked.completions).toBe(expectedCompletions);
    expect([disturbances.kills >= 2, disturbances.hangs >= 1, disturbances.crashes >= 1]).toEqual([true, true, true]);
  },
);

it("loses, doubles and mixes up nothing in one SQLite file while workers are killed and suspended", async () => {
  const { faults, disturbances, checked, expectedCompletions } = await playRun({
    ...SAMPLE,
    store: "sqlite",
    steps: 60,
  });
  expect(faults).toEqual([]);
  expect(checked.completions).toBe(expectedCompletions);
  expect([disturbances.kills >= 2, disturbances.suspensions >= 1]).toEqual([true, true]);
});
