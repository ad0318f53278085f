import { join } from "node:path";
import { ensurePatched, ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/base/releases.ts";
import { registerEnvironment } from "../../harness/openclaw/register.ts";
import type { ModelApi } from "../../harness/corpus/case.ts";
import type { Way } from "./arguments.ts";
import type { Job } from "./jobs.ts";
import { Lane, type LaneOptions } from "./lane.ts";
import type { RunRecord, Variant } from "./record.ts";

/** How the runs of an installation are watched and stopped. */
export interface InstalledRun {
  release: string;
  stock: boolean;
  /** `register`: the patched one is the stock folder, patched in memory. Default: `apply`. */
  way?: Way;
  /** More environment for OpenClaw. */
  env: Record<string, string>;
  /** The jobs, once it is known which APIs the installation offers. */
  plan: (available: readonly ModelApi[]) => Job[];
  signal: AbortSignal;
  /** How long a turn may take, in milliseconds. */
  turnTimeoutMs?: number;
  /** Called with the number of all runs before the first. */
  onStart?: (total: number) => void;
  onRun?: (record: RunRecord) => void;
}

/** The same for a base release. */
export interface ReleaseRun extends InstalledRun {
  release: Release;
  say: (line: string) => void;
}

/** The two OpenClaw folders of an installation. */
export interface Installed {
  stock: string;
  patched: string;
}

/** What was run, and on which APIs it could be. */
export interface ReleaseRuns {
  records: RunRecord[];
  available: readonly ModelApi[];
}

/** Installs a release if need be and runs all jobs on it. */
export async function runRelease(options: ReleaseRun): Promise<ReleaseRuns> {
  const { release, way, signal, say } = options;
  const installed = await (way === "register" ? ensureRelease : ensurePatched)(release, { say });
  signal.throwIfAborted();
  say(`starting OpenClaw ${release}${options.stock ? ", unpatched and patched" : ""}`);
  return runInstalled(installed, options);
}

/** Runs all jobs on an installation, unpatched and patched side by side, in two processes. */
export async function runInstalled(installed: Installed, options: InstalledRun): Promise<ReleaseRuns> {
  const { release, way = "apply", signal, turnTimeoutMs } = options;
  const { env } = options;
  const timing = turnTimeoutMs === undefined ? {} : { turnTimeoutMs };
  const patched: LaneOptions = {
    variant: "patched",
    release,
    ...timing,
    ...(way === "register"
      ? { env: { ...env, ...registerEnvironment() }, root: packageRoot(installed.stock) }
      : { env, root: packageRoot(installed.patched) }),
  };
  // Without the unpatched one both processes are patched, and share the work.
  const other: LaneOptions = options.stock
    ? { variant: "stock", release, ...timing, env, root: packageRoot(installed.stock) }
    : patched;
  signal.throwIfAborted();
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

/** Runs it again, once, when it timed out: that says something about the machine. */
export async function untilInTime(run: () => Promise<RunRecord>): Promise<RunRecord> {
  const record = await run();
  return record.verdict.answered === "timed out" ? run() : record;
}

/** The folder that contains `node_modules/openclaw`. */
function packageRoot(openclaw: string): string {
  return join(openclaw, "..", "..");
}

async function runJobs(lanes: readonly Lane[], jobs: readonly Job[], options: InstalledRun): Promise<RunRecord[]> {
  const { signal, onStart, onRun } = options;
  const variants = [...new Set(lanes.map(({ variant }) => variant))];
  const queues = new Map<Variant, Iterator<Job>>(variants.map((variant) => [variant, jobs.values()]));
  onStart?.(jobs.length * variants.length);
  const records: RunRecord[] = [];
  const work = async (lane: Lane): Promise<void> => {
    const queue = queues.get(lane.variant)!;
    for (let next = queue.next(); !next.done; next = queue.next()) {
      signal.throwIfAborted();
      await lane.warmUp(next.value.api);
      signal.throwIfAborted();
      const record = await untilInTime(() => lane.run(next.value, signal));
      signal.throwIfAborted();
      records.push(record);
      onRun?.(record);
    }
  };
  await Promise.all(lanes.map(work));
  const place = new Map(jobs.map((job, at) => [job, at]));
  return records.toSorted(
    (left, right) =>
      place.get(left.job)! - place.get(right.job)! || variants.indexOf(right.variant) - variants.indexOf(left.variant),
  );
}
