import { BUCKETS_MS, counters, type Counters, type Durations } from "./counters.ts";
import { CONTINUITY_METRIC_NAMES, CONTINUITY_METRICS, continuityMetrics } from "./continuity.ts";
import { EVENT_NAMES } from "./events.ts";

/** The content type to serve {@link prometheusText} with. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Returns the counters of this process in Prometheus' text format: `openclaw_integrity_events_total{event}` (all
 * events, including those that did not occur), `openclaw_integrity_kinds_total{event,kind}`, the histogram
 * `openclaw_integrity_duration_seconds{event}`, and `openclaw_integrity_continuity_<metric>` for each measured metric
 * of the continuity kernel.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { emit, PROMETHEUS_CONTENT_TYPE, prometheusText } from "openclaw-integrity/observe";
 *
 * emit("l0:session:healed", () => ({ messages: 12 }));
 * // The answer of a server to GET /metrics.
 * const response = new Response(prometheusText(), { headers: { "Content-Type": PROMETHEUS_CONTENT_TYPE } });
 * assert.match(await response.text(), /^openclaw_integrity_events_total\{event="l0:session:healed"\} [1-9]/m);
 * ```
 */
export function prometheusText(counted: Counters = counters()): string {
  const lines = [
    ...head("openclaw_integrity_events_total", "counter", "Events of openclaw-integrity by name."),
    ...EVENT_NAMES.map((event) => `openclaw_integrity_events_total${labels({ event })} ${counted.events[event] ?? 0}`),
    ...head("openclaw_integrity_kinds_total", "counter", "Kinds reported by the events, by event and kind."),
    ...EVENT_NAMES.flatMap((event) =>
      Object.entries(counted.kinds[event] ?? {}).map(
        ([kind, count]) => `openclaw_integrity_kinds_total${labels({ event, kind })} ${count}`,
      ),
    ),
    ...head("openclaw_integrity_duration_seconds", "histogram", "Duration of the operation that the event ends."),
    ...EVENT_NAMES.flatMap((event) => {
      const durations = counted.durations[event];
      return durations ? histogram(event, durations) : [];
    }),
    ...continuityLines(),
  ];
  return `${lines.join("\n")}\n`;
}

function continuityLines(): string[] {
  const values = continuityMetrics();
  return CONTINUITY_METRIC_NAMES.flatMap((metric) => {
    const name = `openclaw_integrity_continuity_${metric}`;
    const value = values[metric];
    return value === undefined
      ? []
      : [...head(name, CONTINUITY_METRICS[metric].type, CONTINUITY_METRICS[metric].help), `${name} ${value}`];
  });
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function histogram(event: string, { count, sumMs, buckets }: Durations): string[] {
  const name = "openclaw_integrity_duration_seconds";
  let within = 0;
  const bucketLines = BUCKETS_MS.map((bound, index) => {
    within += buckets[index] ?? 0;
    return `${name}_bucket${labels({ event, le: String(bound / 1000) })} ${within}`;
  });
  return [
    ...bucketLines,
    `${name}_bucket${labels({ event, le: "+Inf" })} ${count}`,
    `${name}_sum${labels({ event })} ${sumMs / 1000}`,
    `${name}_count${labels({ event })} ${count}`,
  ];
}

function labels(values: Record<string, string>): string {
  const escaped = Object.entries(values).map(
    ([name, value]) => `${name}="${value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"')}"`,
  );
  return `{${escaped.join(",")}}`;
}
