/**
 * What an operator loads before OpenClaw with `--import`: an OpenTelemetry SDK of his own, with its provider registered
 * globally.
 */
import { metrics } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";

const exporter = new OTLPMetricExporter({ url: `${process.env["OTLP_ENDPOINT"]}/v1/metrics` });
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 500, exportTimeoutMillis: 400 });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
