/** The kernel's metrics. Durations are in milliseconds or seconds, as the names say. */
export interface MetricValues {
  readonly restore_time_ms: number;
  readonly events_replayed_per_restore: number;
  readonly time_since_last_snapshot_sec: number;
  readonly journal_size_since_snapshot_bytes: number;
  readonly lease_acquisition_failures: number;
  readonly idempotency_cache_hits: number;
}

export type MetricName = keyof MetricValues;

/** Receives each measurement: for the first four metrics the value itself, for the counters the increment. */
export type MetricSink = (name: MetricName, value: number, labels: { readonly project_id: string }) => void;

const COUNTERS: ReadonlySet<MetricName> = new Set(["lease_acquisition_failures", "idempotency_cache_hits"]);

/**
 * Keeps the latest and the largest value of each metric, for a program that polls.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, Metrics, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const metrics = new Metrics();
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }), metrics: metrics.sink });
 * const site = await continuity.project("site");
 * await site.acquireLease({ owner_id: "host-1" });
 * await site.acquireLease({ owner_id: "host-2" }).catch(() => undefined);
 * assert.equal(metrics.values().lease_acquisition_failures, 1);
 * assert.ok(metrics.largest("restore_time_ms") >= metrics.values().restore_time_ms);
 * await continuity.close();
 * ```
 */
export class Metrics {
  readonly #latest = new Map<MetricName, number>();
  readonly #largest = new Map<MetricName, number>();
  readonly #times = new Map<MetricName, number>();

  readonly sink: MetricSink = (name, value) => {
    const before = this.#latest.get(name) ?? 0;
    this.#latest.set(name, COUNTERS.has(name) ? before + value : value);
    this.#largest.set(name, Math.max(this.#largest.get(name) ?? value, value));
    this.#times.set(name, (this.#times.get(name) ?? 0) + 1);
  };

  /** Returns the current values; 0 for metrics that were not measured yet. */
  values(): MetricValues {
    const value = (name: MetricName): number => this.#latest.get(name) ?? 0;
    return {
      restore_time_ms: value("restore_time_ms"),
      events_replayed_per_restore: value("events_replayed_per_restore"),
      time_since_last_snapshot_sec: value("time_since_last_snapshot_sec"),
      journal_size_since_snapshot_bytes: value("journal_size_since_snapshot_bytes"),
      lease_acquisition_failures: value("lease_acquisition_failures"),
      idempotency_cache_hits: value("idempotency_cache_hits"),
    };
  }

  /** Returns the largest value of a metric so far. */
  largest(name: MetricName): number {
    return this.#largest.get(name) ?? 0;
  }
}
