import { loadCorpus, type CorpusCase } from "../../../harness/corpus/case.ts";
import { isBricked, isGood } from "../../start/judge.ts";
import { makeJobs, type Job } from "../../start/jobs.ts";
import { Lane } from "../../start/lane.ts";
import type { RunRecord } from "../../start/record.ts";

const API = "anthropic-messages";

/** The session that is judged on every release: its history begins with the result of a call that is not there. */
export const ORPHAN = "a-first-message-is-a-result";

/** A class with more cases than this gives two to the sample. */
const LARGE_CLASS = 9;

/** The orphan alone, or some twenty cases of all classes: the first of each, of a large one also the last. */
export function sampleJobs(wide: boolean): Job[] {
  const corpus = loadCorpus().filter(({ apis }) => apis.includes(API));
  const cases = wide
    ? [...Map.groupBy(corpus, ({ id }) => id.charAt(0)).values()].flatMap(pickSample)
    : corpus.filter(({ id }) => id === ORPHAN);
  return makeJobs(cases, { available: [API], all: true });
}

function pickSample(cases: readonly CorpusCase[]): readonly CorpusCase[] {
  const orphan = cases.filter(({ id }) => id === ORPHAN);
  const ends = cases.length > LARGE_CLASS ? [cases.at(0), cases.at(-1)] : [cases.at(0)];
  return orphan.length > 0 ? orphan : ends.filter((one) => one !== undefined);
}

/** Runs the jobs on the unpatched OpenClaw in `root`, as `npm start` does. */
export async function runSample(release: string, root: string, jobs: readonly Job[]): Promise<RunRecord[]> {
  const lane = await Lane.start({ variant: "stock", release, root, env: {} });
  const { signal } = new AbortController();
  const records: RunRecord[] = [];
  try {
    for (const job of jobs) records.push(await lane.run(job, signal));
  } finally {
    await lane.close();
  }
  return records;
}

/**
 * What became of the runs: the session is of no use any more, or it was answered without some of its content, or with
 * all.
 */
export function tally(records: readonly RunRecord[]): { bricked: RunRecord[]; worse: RunRecord[]; good: RunRecord[] } {
  return {
    bricked: records.filter(({ verdict }) => isBricked(verdict)),
    worse: records.filter(({ verdict }) => !isBricked(verdict) && !isGood(verdict)),
    good: records.filter(({ verdict }) => isGood(verdict)),
  };
}
