import { BUCKETS_MS, counters } from "./counters.ts";
import { CONTINUITY_METRIC_NAMES, CONTINUITY_METRICS, continuityMetrics } from "./continuity.ts";
import { observe } from "./emit.ts";
import { EVENTS, EVENT_NAMES, type EventName } from "./events.ts";

/** The parts of OpenTelemetry's metrics API 1.x that are used here. */
interface MeterProvider {
  getMeter(name: string): Meter;
}
interface Meter {
  createObservableCounter(
    name: string,
    options: object,
  ): { addCallback(callback: (result: ObservableResult) => void): void };
  createObservableGauge(
    name: string,
    options: object,
  ): { addCallback(callback: (result: ObservableResult) => void): void };
  createHistogram(name: string, options: object): { record(value: number, attributes: object): void };
}
interface ObservableResult {
  observe(value: number, attributes: object): void;
}

interface Exported {
  provider: MeterProvider;
  /** Missing when the provider refused the instruments. */
  stop?: () => void;
}

/** Key under which every copy of `@opentelemetry/api` 1.x in a process stores what the SDK registered. */
const GLOBAL_API = Symbol.for("opentelemetry.js.api.1");
/** Key of the last provider with these instruments, for all copies of this module in a process. */
const STATE = Symbol.for("openclaw-integrity.opentelemetry.v1");

const METER = "openclaw-integrity";
const TIMED_EVENTS = EVENT_NAMES.filter((name) => "isTimed" in EVENTS[name]);

/**
 * Registers the instruments of openclaw-integrity with the process's global OpenTelemetry meter provider, once for each
 * provider: `openclaw.integrity.events`, `openclaw.integrity.kinds`, `openclaw.integrity.duration` and
 * `openclaw.integrity.continuity.<metric>`, the same metrics as in {@link prometheusText}. Returns whether the current
 * provider has them. Cheap when there is nothing to do, so that it can be called in every turn: an SDK may be
 * registered late. Never throws.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { metrics } from "@opentelemetry/api";
 * import { MeterProvider } from "@opentelemetry/sdk-metrics";
 * import { exportToOpenTelemetry } from "openclaw-integrity/observe";
 *
 * assert.equal(exportToOpenTelemetry(), false); // no SDK has registered a provider
 * metrics.setGlobalMeterProvider(new MeterProvider());
 * assert.equal(exportToOpenTelemetry(), true);
 * ```
 */
export function exportToOpenTelemetry(): boolean {
  const shared = globalThis as { [GLOBAL_API]?: { metrics?: MeterProvider }; [STATE]?: Exported };
  const provider = shared[GLOBAL_API]?.metrics;
  if (!provider) return false;
  const before = shared[STATE];
  if (before?.provider === provider) return before.stop !== undefined;
  before?.stop?.();
  shared[STATE] = { provider };
  try {
    shared[STATE].stop = createInstruments(provider.getMeter(METER));
    return true;
  } catch {
    // An invalid provider, or one of a changed API: it is tried once and then ignored.
    return false;
  }
}

function createInstruments(meter: Meter): () => void {
  meter
    .createObservableCounter("openclaw.integrity.events", {
      description: "Events of openclaw-integrity by name.",
      unit: "{event}",
    })
    .addCallback((result) => {
      const { events } = counters();
      for (const event of EVENT_NAMES) result.observe(events[event] ?? 0, { event });
    });
  meter
    .createObservableCounter("openclaw.integrity.kinds", {
      description: "Kinds reported by the events, by event and kind.",
      unit: "{occurrence}",
    })
    .addCallback((result) => {
      const { kinds } = counters();
      for (const event of EVENT_NAMES) {
        for (const [kind, count] of Object.entries(kinds[event] ?? {})) result.observe(count, { event, kind });
      }
    });
  for (const metric of CONTINUITY_METRIC_NAMES) {
    const { type, help: description } = CONTINUITY_METRICS[metric];
    const name = `openclaw.integrity.continuity.${metric}`;
    const instrument =
      type === "counter"
        ? meter.createObservableCounter(name, { description })
        : meter.createObservableGauge(name, { description });
    instrument.addCallback((result) => {
      const value = continuityMetrics()[metric];
      if (value !== undefined) result.observe(value, {});
    });
  }
  const durations = meter.createHistogram("openclaw.integrity.duration", {
    description: "Duration of the operation that the event ends.",
    unit: "s",
    advice: { explicitBucketBoundaries: BUCKETS_MS.map((ms) => ms / 1000) },
  });
  return observe<EventName>(({ event, durationMs }) => {
    if (durationMs !== undefined) durations.record(durationMs / 1000, { event });
  }, TIMED_EVENTS);
}
