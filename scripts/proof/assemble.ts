import type { Measurement } from "../recovery/measure.ts";
import type { Counts } from "../random-providers/tally.ts";
import type { SoakRun } from "../soak/report.ts";
import { EVERYWHERE, type Proof } from "./proof.ts";
import { readCorpus, readProviders, readRecovery, readSoaks, type CorpusReport } from "./read.ts";
import type { RecordedCount } from "./recorded.ts";
import type { State } from "./state.ts";

/** The proof of what the jobs of a run have written, each by its name. */
export function assemble(
  { commit, seed, command, beganAt, jobs, done }: State,
  read: (name: string) => unknown,
): Proof {
  const proof: Proof = {
    date: new Date(beganAt).toISOString().slice(0, 10),
    commit,
    node: process.version,
    command,
    seed,
    minutes: done.reduce((sum, { minutes }) => sum + minutes, 0),
    parts: done,
    figures: {},
    costs: {},
  };
  const add = (figures: Proof["figures"]): void => {
    for (const [release, named] of Object.entries(figures))
      proof.figures[release] = { ...proof.figures[release], ...named };
  };
  const corpus = read("corpus") as CorpusReport | undefined;
  const recovery = read("recovery") as Measurement[] | undefined;
  const providers = read("random-providers") as Counts | undefined;
  const recorded = read("recorded") as RecordedCount | undefined;
  if (corpus !== undefined) add(readCorpus(corpus));
  if (recovery !== undefined) add(readRecovery(recovery));
  const soaks = jobs.filter(({ part }) => part === "soak");
  for (const [release = "", own] of Map.groupBy(soaks, (job) => job.release)) {
    const runs = own.flatMap(({ name }) => (read(name) as SoakRun[] | undefined) ?? []);
    if (runs.length === 0) continue;
    const { figures, costs } = readSoaks(runs);
    add({ [release]: figures });
    proof.costs[release] = costs;
  }
  if (providers !== undefined) add(readProviders(providers));
  if (recorded !== undefined)
    add({ [EVERYWHERE]: { "recorded requests changed": { patched: recorded.touched, of: recorded.accepted } } });
  return proof;
}
