import * as fc from "fast-check";
import { validate } from "../../src/transcript/index.ts";
import type { Adapter } from "../../harness/adapters/adapter.ts";
import { careless } from "../../harness/adapters/careless.ts";
import { askedMessages, arbitraryCase, describeCase } from "../../harness/adapters/cases.ts";
import { installedAdapters } from "../../harness/adapters/installed.ts";
import { describeFault, judgeAlone, judgeRepaired } from "../../harness/adapters/judge.ts";
import type { ModelApi } from "../../harness/corpus/case.ts";
import { serveJobs } from "./crew.ts";
import { count, emptyTally, type Tallies } from "./tally.ts";

/** A piece of the work. */
export interface Job {
  api: ModelApi;
  seed: number;
  runs: number;
}

/** What a worker says of a job. */
export interface Done {
  job: Job;
  tallies: Tallies;
  /** The smallest history found that does not come through, and how to get it again. */
  failure?: string;
}

/** Every history goes to the careless adapter and to one of the real ones. */
async function run({ api, seed, runs }: Job, adapters: readonly Adapter[]): Promise<Done> {
  const tallies: Tallies = {};
  let kind: string | undefined;
  const property = fc.asyncProperty(arbitraryCase(api, adapters), async (one) => {
    const isCorrupt = validate(one.messages).length > 0;
    for (const adapter of [careless, one.adapter]) {
      const repaired = await judgeRepaired(adapter, one.model, one.messages, one.expected);
      const fault = describeFault(repaired);
      // What is tried while a failure is made smaller is no random history any more.
      if (kind === undefined) {
        const alone = await judgeAlone(adapter, one.model, askedMessages(one.messages), one.expected);
        count((tallies[`${api}|${adapter.name}`] ??= emptyTally()), isCorrupt, alone, repaired);
      }
      // Only the same kind of fault is the same failure, made smaller.
      if (fault === undefined || !fault.startsWith(kind ?? "")) continue;
      kind = fault.split(":")[0]!;
      throw new Error(`${fault}\n${describeCase({ ...one, adapter })}`);
    }
  });
  const details = await fc.check(property, { seed, numRuns: runs });
  const job = { api, seed, runs };
  if (!details.failed) return { job, tallies };
  const again = `seed ${seed}, path ${details.counterexamplePath ?? "?"}, ${details.numShrinks} times made smaller`;
  const error = details.errorInstance;
  return {
    job,
    tallies,
    failure: `${api}: ${error instanceof Error ? error.message : String(error)}\nfast-check  ${again}`,
  };
}

const adapters = await installedAdapters();
serveJobs<Job, Done>(
  (job) => run(job, adapters),
  (job, error) => ({ job, tallies: {}, failure: `the worker failed: ${String(error)}` }),
);
