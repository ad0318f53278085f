import { join } from "node:path";
import { ensurePatched } from "../../src/patching/ensure-release.ts";
import type { Release } from "../../src/patching/points.ts";
import type { ModelApi } from "../../test/corpus/case.ts";
import type { Job } from "./jobs.ts";
import { Lane, type LaneOptions } from "./lane.ts";
import type { RunRecord, Variant } from "./record.ts";

/** How the runs of a release are watched and stopped. */
export interface ReleaseRun {
  release: Release;
  stock: boolean;
  /** More environment for OpenClaw. */
  env: Record<string, string>;
  /** The jobs, once it is known which APIs the installation offers. */
  plan: (available: readonly ModelApi[]) => Job[];
  signal: AbortSignal;
  say: (line: string) => void;
  /** Called with the number of all runs before the first. */
  onStart?: (total: number) => void;
  onRun?: (record: RunRecord) => void;
}

/** What was run, and on which APIs it could be. */
export interface ReleaseRuns {
  records: RunRecord[];
  available: readonly ModelApi[];
}

/** Installs a release if need be and runs all jobs on it, unpatched and patched side by side, in two processes. */
export async function runRelease(options: ReleaseRun): Promise<ReleaseRuns> {
  const { release, env, signal, say } = options;
  const installed = await ensurePatched(release, { say });
  const patched: LaneOptions = { variant: "patched", release, env, root: rootOf(installed.patched) };
  // Without the unpatched one both processes are patched, and share the work.
  const other: LaneOptions = options.stock ? { variant: "stock", release, env, root: rootOf(installed.stock) } : patched;
  signal.throwIfAborted();
  say(`starting OpenClaw ${release}`);
  const starting = [patched, other].map((lane) => Lane.start(lane));
  const closing = async (): Promise<void> => {
    const started = await Promise.allSettled(starting);
    await Promise.all(started.map((lane) => (lane.status === "fulfilled" ? lane.value.close() : undefined)));
  };
  const onAbort = (): void => void closing();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const lanes = await Promise.all(starting);
    const available = lanes[0]!.apis;
    const records = await runJobs(lanes, options.plan(available), options);
    return { records, available };
  } finally {
    signal.removeEventListener("abort", onAbort);
    await closing();
  }
}

/** The folder that contains `node_modules/openclaw`. */
function rootOf(openclaw: string): string {
  return join(openclaw, "..", "..");
}

async function runJobs(lanes: readonly Lane[], jobs: readonly Job[], options: ReleaseRun): Promise<RunRecord[]> {
  const { signal, onStart, onRun } = options;
  const variants = [...new Set(lanes.map(({ variant }) => variant))];
  const queues = new Map<Variant, Iterator<Job>>(variants.map((variant) => [variant, jobs.values()]));
  onStart?.(jobs.length * variants.length);
  const records: RunRecord[] = [];
  const work = async (lane: Lane): Promise<void> => {
    const queue = queues.get(lane.variant)!;
    for (let next = queue.next(); !next.done; next = queue.next()) {
      signal.throwIfAborted();
      const record = await lane.run(next.value, signal);
      signal.throwIfAborted();
      records.push(record);
      onRun?.(record);
    }
  };
  await Promise.all(lanes.map(work));
  const place = new Map(jobs.map((job, at) => [job, at]));
  return records.toSorted((left, right) => place.get(left.job)! - place.get(right.job)! || variants.indexOf(right.variant) - variants.indexOf(left.variant));
}
