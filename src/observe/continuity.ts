/** The metrics of the continuity kernel; a gauge is the last measured value. */
export const CONTINUITY_METRICS = {
  restore_time_ms: { type: "gauge", help: "How long the last restore of a project's state took, in milliseconds." },
  events_replayed_per_restore: {
    type: "gauge",
    help: "Events that the last restore replayed after its snapshot.",
  },
  time_since_last_snapshot_sec: {
    type: "gauge",
    help: "Age of the last snapshot when an event was last written, in seconds.",
  },
  journal_size_since_snapshot_bytes: {
    type: "gauge",
    help: "Bytes of events after the last snapshot when an event was last written.",
  },
  lease_acquisition_failures: {
    type: "counter",
    help: "Leases that were not acquired because another executor held them.",
  },
  idempotency_cache_hits: { type: "counter", help: "Steps that were not repeated because their result was stored." },
} as const;

export type ContinuityMetric = keyof typeof CONTINUITY_METRICS;

export const CONTINUITY_METRIC_NAMES = Object.keys(CONTINUITY_METRICS) as ContinuityMetric[];

/** One state for all copies of this module in a process. */
const STATE = Symbol.for("openclaw-integrity.continuity-metrics.v1");

/**
 * Returns the values that were measured in this process so far; metrics that were not measured are missing.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { continuityMetric, continuityMetrics } from "openclaw-integrity/observe";
 *
 * continuityMetric("restore_time_ms", 12);
 * continuityMetric("restore_time_ms", 8);
 * assert.equal(continuityMetrics().restore_time_ms, 8); // the last value of a gauge
 * ```
 */
export function continuityMetrics(): Partial<Record<ContinuityMetric, number>> {
  const shared = globalThis as { [STATE]?: Partial<Record<ContinuityMetric, number>> };
  return (shared[STATE] ??= {});
}

/**
 * Records a measurement of the continuity kernel: the value of a gauge, the increment of a counter. It is recorded
 * without the project, so that the number of series is bounded. A value that is no finite number is ignored, and so is
 * an unknown name: a metric must not stop the work that it measures.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, openSqliteStore } from "openclaw-integrity/continuity";
 * import { continuityMetric, continuityMetrics } from "openclaw-integrity/observe";
 *
 * const store = openSqliteStore({ file: ":memory:" });
 * const continuity = new Continuity({ store, metrics: (name, value) => continuityMetric(name, value) });
 * const before = continuityMetrics().lease_acquisition_failures ?? 0;
 * const site = await continuity.project("site");
 * await site.acquireLease({ owner_id: "host-1" });
 * await site.acquireLease({ owner_id: "host-2" }).catch(() => undefined);
 * assert.equal(continuityMetrics().lease_acquisition_failures, before + 1);
 * await continuity.close();
 * ```
 */
export function continuityMetric(name: ContinuityMetric, value: number): void {
  if (!Number.isFinite(value) || !Object.hasOwn(CONTINUITY_METRICS, name)) return;
  const values = continuityMetrics();
  values[name] = CONTINUITY_METRICS[name].type === "counter" ? (values[name] ?? 0) + value : value;
}
