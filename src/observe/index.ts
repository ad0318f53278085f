/**
 * Observability of openclaw-integrity: events for observers in the process, and counters for Prometheus and
 * OpenTelemetry. Needs nothing but Node; documented in docs/operations.md.
 */
export { BUCKETS_MS, counters, type Counters, type Durations } from "./counters.ts";
export { CONTINUITY_METRICS, type ContinuityMetric, continuityMetric, continuityMetrics } from "./continuity.ts";
export { emit, observe } from "./emit.ts";
export {
  EVENTS,
  EVENT_NAMES,
  type EventName,
  type Gate,
  type Kinds,
  type Measured,
  type ObservedEvent,
  type Payloads,
} from "./events.ts";
export {
  asSessionRecovery,
  emitToOpenClaw,
  forwardRecoveries,
  type EmitToOpenClaw,
  type SessionRecoveryEvent,
} from "./openclaw-diagnostics.ts";
export { exportToOpenTelemetry } from "./opentelemetry.ts";
export { PROMETHEUS_CONTENT_TYPE, prometheusText } from "./prometheus.ts";
