import type { ReadResourceResult } from "@modelcontextprotocol/sdk/types.js";
import type { MetricName, Metrics } from "../continuity/index.ts";

/** Address of the metrics as a resource. Not listed: they are the operator's, and of no use to a model. */
export const METRICS_URI = "continuity://metrics";

/** Returns the metrics of this server's process as JSON text: the latest and the largest value of each. */
export function metricsText(metrics: Metrics): string {
  const values = Object.entries(metrics.values()).map(([name, latest]) => [
    name,
    { latest: rounded(latest as number), largest: rounded(metrics.largest(name as MetricName)) },
  ]);
  return JSON.stringify(Object.fromEntries(values));
}

/** Returns the metrics as a resource. They name no project and hold no recorded text. */
export function readMetrics(metrics: Metrics): ReadResourceResult {
  return { contents: [{ uri: METRICS_URI, mimeType: "application/json", text: metricsText(metrics) }] };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
