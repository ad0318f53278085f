import { metrics } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { resetCounters } from "../../src/observe/counters.ts";
import { counters, emit, exportToOpenTelemetry } from "../../src/observe/index.ts";
import { findPoint, startOtlpReceiver, type OtlpReceiver } from "./otlp-receiver.ts";

describe("OpenTelemetry's SDK with an OTLP exporter", () => {
  let receiver: OtlpReceiver;
  const providers: MeterProvider[] = [];
  beforeEach(async () => {
    resetCounters();
    receiver = await startOtlpReceiver();
  });
  afterEach(async () => {
    metrics.disable();
    for (const provider of providers.splice(0)) await provider.shutdown();
    await receiver.close();
  });

  function register(): MeterProvider {
    const exporter = new OTLPMetricExporter({ url: `${receiver.url}/v1/metrics` });
    const provider = new MeterProvider({
      readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
    });
    providers.push(provider);
    metrics.setGlobalMeterProvider(provider);
    return provider;
  }

  async function exported(provider: MeterProvider): ReturnType<OtlpReceiver["next"]> {
    const next = receiver.next();
    await provider.forceFlush();
    return next;
  }

  const repair = (): void =>
    emit("l0:repair:complete", () => ({ gate: "history", messages: 3 }), {
      kinds: { orphaned_tool_result: 2 },
      since: performance.now() - 7,
    });

  it("gets counts from the start of the process, and durations from then on, though it was registered late", async () => {
    repair();
    expect(exportToOpenTelemetry()).toBe(false);
    const provider = register();
    expect(exportToOpenTelemetry()).toBe(true);
    repair();
    const found = await exported(provider);
    expect([...found].map(([name, { unit }]) => [name, unit])).toEqual([
      ["openclaw.integrity.events", "{event}"],
      ["openclaw.integrity.kinds", "{occurrence}"],
      ["openclaw.integrity.duration", "s"],
    ]);
    expect(findPoint(found.get("openclaw.integrity.events"), { event: "l0:repair:complete" })?.asDouble).toBe(2);
    expect(findPoint(found.get("openclaw.integrity.events"), { event: "l0:guard:failed" })?.asDouble).toBe(0);
    expect(
      findPoint(found.get("openclaw.integrity.kinds"), { event: "l0:repair:complete", kind: "orphaned_tool_result" })
        ?.asDouble,
    ).toBe(4);
    const duration = findPoint(found.get("openclaw.integrity.duration"), { event: "l0:repair:complete" });
    expect(duration?.count).toBe(1);
    expect(duration?.sum).toBeGreaterThanOrEqual(0.007);
    expect(found.get("openclaw.integrity.events")?.sum?.isMonotonic).toBe(true);
  });

  it("counts nothing twice when it is asked again, by this copy of the module or another", async () => {
    const provider = register();
    vi.resetModules();
    const copy = await import("../../src/observe/index.ts");
    for (let turn = 0; turn < 3; turn++)
      expect([exportToOpenTelemetry(), copy.exportToOpenTelemetry()]).toEqual([true, true]);
    repair();
    copy.emit("l0:repair:complete", () => ({ gate: "body", messages: 3 }), { kinds: {}, since: performance.now() });
    const found = await exported(provider);
    expect(findPoint(found.get("openclaw.integrity.events"), { event: "l0:repair:complete" })?.asDouble).toBe(2);
    expect(findPoint(found.get("openclaw.integrity.duration"), { event: "l0:repair:complete" })?.count).toBe(2);
  });

  it("that is replaced hands over to the next one, and is told no duration any more", async () => {
    const first = register();
    expect(exportToOpenTelemetry()).toBe(true);
    metrics.disable();
    const second = register();
    expect(exportToOpenTelemetry()).toBe(true);
    repair();
    const found = await exported(second);
    expect((await exported(first)).has("openclaw.integrity.duration")).toBe(false);
    expect(findPoint(found.get("openclaw.integrity.duration"), { event: "l0:repair:complete" })?.count).toBe(1);
  });

  it("that is broken is left alone, and everything is counted all the same", () => {
    const getMeter = vi.fn<() => never>(() => {
      throw new Error("broken");
    });
    metrics.setGlobalMeterProvider({ getMeter });
    for (let turn = 0; turn < 3; turn++) expect(exportToOpenTelemetry()).toBe(false);
    repair();
    expect(getMeter).toHaveBeenCalledTimes(1);
    expect(counters().events["l0:repair:complete"]).toBe(1);
  });
});
