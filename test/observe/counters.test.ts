import { beforeEach, describe, expect, it, vi } from "vitest";
import { resetCounters } from "../../src/observe/counters.ts";
import { BUCKETS_MS, counters, emit, EVENT_NAMES, prometheusText } from "../../src/observe/index.ts";
import { emitSample } from "./samples.ts";

beforeEach(resetCounters);

describe("the counters", () => {
  it("count every event by name and by kind", () => {
    for (const name of EVENT_NAMES) emitSample(name);
    emit("l0:repair:complete", () => ({ gate: "body", messages: 3 }), {
      kinds: { orphaned_tool_result: 2, displaced_tool_result: 5 },
    });
    emit("l0:recovery:complete", () => ({ steps: 1, rungs: [], isArchived: false }), { kind: "answered" });
    const { events, kinds } = counters();
    expect(Object.keys(events)).toEqual(EVENT_NAMES);
    expect(events).toMatchObject({ "l0:repair:complete": 2, "l0:recovery:complete": 2, "l0:cycle:pending": 1 });
    expect(kinds).toMatchObject({
      "l0:repair:complete": { orphaned_tool_result: 2, displaced_tool_result: 5 },
      "l0:recovery:complete": { answered: 1 },
    });
  });

  it("put each duration into the one bucket it fits in, also one above all of them", () => {
    for (const ms of [0, 7, 20_000, 60_000])
      emit("l0:checkpoint:created", () => ({ checkpointId: "c", messageIndex: 0 }), {
        since: performance.now() - ms,
        kind: "manual",
      });
    const { count, sumMs, maxMs, buckets } = counters().durations["l0:checkpoint:created"]!;
    expect({ count, inBuckets: buckets.reduce((sum, each) => sum + each), last: buckets.at(-1) }).toEqual({
      count: 4,
      inBuckets: 4,
      last: 1,
    });
    expect(buckets[BUCKETS_MS.indexOf(10)]).toBe(1);
    expect(sumMs).toBeGreaterThanOrEqual(80_007);
    expect(maxMs).toBeGreaterThanOrEqual(60_000);
  });

  it("stay bounded whatever kinds come", () => {
    for (let kind = 0; kind < 1000; kind++) emit("l0:guard:failed", undefined, { kind: `part ${kind}` });
    const kinds = counters().kinds["l0:guard:failed"]!;
    expect(Object.keys(kinds).length).toBeLessThan(70);
    expect(Object.values(kinds).reduce((sum, count) => sum + count)).toBe(1000);
  });

  it("take a kind that is called like something every object has", () => {
    for (const kind of ["__proto__", "constructor", "toString"]) emit("l0:guard:failed", undefined, { kind });
    expect(Object.entries(counters().kinds["l0:guard:failed"]!)).toEqual([
      ["__proto__", 1],
      ["constructor", 1],
      ["toString", 1],
    ]);
  });

  it("are handed out as a copy", () => {
    emit("l0:cycle:pending", () => ({ callId: "a" }));
    counters().events["l0:cycle:pending"] = 99;
    expect(counters().events["l0:cycle:pending"]).toBe(1);
  });

  it("are one for all copies of the module in a process: the guard's and a plugin's", async () => {
    vi.resetModules();
    const copy = await import("../../src/observe/index.ts");
    expect(copy.emit).not.toBe(emit);
    copy.emit("l0:cycle:pending", () => ({ callId: "a" }));
    emit("l0:cycle:pending", () => ({ callId: "b" }));
    expect(copy.counters().events["l0:cycle:pending"]).toBe(2);
    expect(counters()).toEqual(copy.counters());
  });
});

describe("Prometheus' text", () => {
  const samples = (text: string): Map<string, number> =>
    new Map(
      text
        .trimEnd()
        .split("\n")
        .filter((line) => !line.startsWith("#"))
        .map((line) => {
          const [, series, value] =
            /^([a-z_]+\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\}) (\d+(?:\.\d+)?(?:e-\d+)?)$/.exec(line) ?? [];
          expect(series, line).toBeDefined();
          return [series!, Number(value)];
        }),
    );

  it("has every event, also those that did not occur, so that a rate can be taken of the first one", () => {
    emit("l0:cycle:pending", () => ({ callId: "a" }));
    const events = [...samples(prometheusText())].filter(([series]) =>
      series.startsWith("openclaw_integrity_events_total"),
    );
    expect(events).toEqual(
      EVENT_NAMES.map((event) => [
        `openclaw_integrity_events_total{event="${event}"}`,
        event === "l0:cycle:pending" ? 1 : 0,
      ]),
    );
  });

  it("has histograms whose buckets add up", () => {
    for (const ms of [0, 7, 20_000, 60_000])
      emit("l0:checkpoint:committed", () => ({ checkpointId: "c" }), { since: performance.now() - ms });
    const found = samples(prometheusText());
    const readCounter = (suffix: string, more = ""): number | undefined =>
      found.get(`openclaw_integrity_duration_seconds_${suffix}{event="l0:checkpoint:committed"${more}}`);
    const buckets = [...BUCKETS_MS.map((ms) => String(ms / 1000)), "+Inf"].map((bound) =>
      readCounter("bucket", `,le="${bound}"`)!,
    );
    expect(buckets).toEqual(buckets.toSorted((left, right) => left - right));
    expect([
      readCounter("bucket", ',le="0.01"'),
      readCounter("bucket", ',le="30"'),
      buckets.at(-1),
      readCounter("count"),
    ]).toEqual([2, 3, 4, 4]);
    expect(readCounter("sum")).toBeGreaterThanOrEqual(80.007);
  });

  it("can be read whatever a kind is called", () => {
    emit("l0:guard:failed", undefined, { kind: 'a "b" \\ c\nd' });
    expect([...samples(prometheusText()).keys()]).toContain(
      'openclaw_integrity_kinds_total{event="l0:guard:failed",kind="a \\"b\\" \\\\ c\\nd"}',
    );
  });
});
