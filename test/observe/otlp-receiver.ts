import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { patience } from "../../harness/patience.ts";

/** A point of a metric as OTLP has it in JSON. */
export interface DataPoint {
  attributes: { key: string; value: { stringValue: string } }[];
  asDouble?: number;
  count?: number;
  sum?: number;
}

interface Metric {
  name: string;
  unit: string;
  sum?: { dataPoints: DataPoint[]; isMonotonic: boolean };
  histogram?: { dataPoints: DataPoint[] };
}

interface ExportRequest {
  resourceMetrics: { scopeMetrics: { scope: { name: string }; metrics: Metric[] }[] }[];
}

/** What an OpenTelemetry collector is to an exporter: an HTTP server that takes metrics. */
export interface OtlpReceiver {
  readonly url: string;
  /** Waits for an export of our meter that was made from now on; its metrics by name. */
  next(): Promise<Map<string, Metric>>;
  close(): Promise<void>;
}

const WAIT_MS = patience(20_000);

/** Starts one on loopback; it takes OTLP over HTTP in JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: ExportRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString()) as ExportRequest);
      response.setHeader("Content-Type", "application/json");
      response.end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async next() {
      received.length = 0;
      for (const end = performance.now() + WAIT_MS; performance.now() < end; await sleep(50)) {
        const ours = received
          .flatMap(({ resourceMetrics }) => resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics))
          .findLast(({ scope }) => scope.name === "openclaw-integrity");
        if (ours) return new Map(ours.metrics.map((metric) => [metric.name, metric]));
      }
      throw new Error(
        `expected metrics of openclaw-integrity within ${WAIT_MS} ms; ${received.length} exports came, none with them`,
      );
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The point with these attributes. */
export function findPoint(metric: Metric | undefined, attributes: Record<string, string>): DataPoint | undefined {
  const points = metric?.sum?.dataPoints ?? metric?.histogram?.dataPoints ?? [];
  return points.find(
    (point) =>
      point.attributes.length === Object.keys(attributes).length &&
      point.attributes.every(({ key, value }) => attributes[key] === value.stringValue),
  );
}
