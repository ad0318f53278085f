/** One release for real: installed, patched, and the corpus through the unpatched and the patched one side by side. */
import { join } from "node:path";
import { apply } from "../../src/patching/apply.ts";
import { withLock } from "../../src/patching/write/lock.ts";
import { loadCorpus } from "../../harness/corpus/case.ts";
import { isGood } from "../start/judge.ts";
import type { Way } from "../start/arguments.ts";
import { makeJobs } from "../start/jobs.ts";
import type { RunRecord, Variant } from "../start/record.ts";
import { runInstalled, type Installed, type ReleaseRuns } from "../start/release.ts";
import { offeringItsTools } from "./offered-tools.ts";
import { sampleJobs, tally } from "./drive/sample.ts";
import { installRelease } from "./install.ts";

/** What became of the runs of one variant. */
export interface Tally {
  readonly runs: number;
  readonly bricked: number;
  /** Answered both times, but real content did not reach the provider or text was sent that nobody wrote. */
  readonly lossy: number;
  readonly good: number;
}

/** What became of a release. */
export interface RealRun {
  readonly stock: Tally;
  readonly patched: Tally;
  /** The runs of the patched one that are not as they have to be: case, API, and why. */
  readonly faults: readonly string[];
}

/** Which cases run: some twenty of all classes on one API, or all, each on one of its APIs. */
export type Extent = "sample" | "corpus";

/** Options of runReal. */
export interface RealOptions {
  /** How the patched one is patched. Default: `apply`. */
  readonly way?: Way;
  readonly integrity?: string | undefined;
  readonly env: Record<string, string>;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly onRun: (done: number, total: number) => void;
}

/** Installs a release unless it is there, patches its copy, and runs the cases in both. */
export async function runReal(release: string, extent: Extent, options: RealOptions): Promise<RealRun> {
  const { way = "apply", integrity, env, signal, say, onRun } = options;
  const installed = await installRelease(release, { integrity, say });
  if (way === "apply")
    await withLock(join(installed.patched, "..", "..", "..", "lock"), () => apply(installed.patched));
  const { records } = await runCases(installed, release, extent, { way, env, signal, onRun, stock: true });
  return { stock: tallyRuns(records, "stock"), patched: tallyRuns(records, "patched"), faults: listFaults(records) };
}

/** How the cases are run on folders that are installed already. */
export interface CaseOptions extends Pick<RealOptions, "way" | "env" | "signal" | "onRun"> {
  /** Whether the unpatched one runs too, beside the patched one. */
  readonly stock: boolean;
}

/** Runs the cases on an installation, whoever has made it. */
export async function runCases(
  installed: Installed,
  release: string,
  extent: Extent,
  { way = "apply", env, signal, onRun, stock }: CaseOptions,
): Promise<ReleaseRuns> {
  let total = 0;
  let done = 0;
  return runInstalled(installed, {
    release,
    stock,
    way,
    env,
    signal,
    plan: (available) =>
      (extent === "sample" ? sampleJobs(true) : makeJobs(loadCorpus(), { available, all: false })).map(
        offeringItsTools,
      ),
    onStart: (count) => (total = count),
    onRun: () => onRun((done += 1), total),
  });
}

/** What became of the runs of one variant. */
export function tallyRuns(records: readonly RunRecord[], variant: Variant): Tally {
  const own = records.filter((record) => record.variant === variant);
  const { bricked, worse, good } = tally(own);
  return { runs: own.length, bricked: bricked.length, lossy: worse.length, good: good.length };
}

/** The patched runs that are not as they have to be. */
export function listFaults(records: readonly RunRecord[]): readonly string[] {
  return records
    .filter(({ variant, verdict, failures }) => variant === "patched" && (!isGood(verdict) || failures.length > 0))
    .map(({ job, verdict, failures }) => {
      const { answered, error, lost = [], unwanted } = verdict;
      const what = [
        error,
        ...lost.map((text) => `lost ${text}`),
        ...unwanted.map((text) => `sent ${text}`),
        ...failures,
      ].filter(Boolean);
      return `${job.id} on ${job.api}: answered ${answered}; ${what.join("; ")}`;
    });
}
