import { afterEach, describe, expect, it } from "vitest";
import { injected, memoryObjects } from "../../../test/continuity/injected.ts";
import { Continuity, type ContinuityOptions } from "../continuity.ts";
import { Metrics } from "./metrics.ts";
import { openSqliteStore } from "../sql/sqlite.ts";
import type { ContinuityStore } from "./store.ts";

const closing: ContinuityStore[] = [];
afterEach(async () => {
  for (const store of closing.splice(0)) await store.close();
});

/** A store in memory and continuities on it, each as a process that was started anew. */
function measured(options: Partial<ContinuityOptions> = {}): {
  metrics: Metrics;
  labels: Set<string>;
  started: () => Continuity;
  clock: ReturnType<typeof injected>;
} {
  const [store, metrics, clock, labels] = [
    openSqliteStore({ file: ":memory:" }),
    new Metrics(),
    injected(),
    new Set<string>(),
  ];
  closing.push(store);
  const started = (): Continuity =>
    new Continuity({
      store,
      ...clock,
      metrics: (name, value, of) => {
        labels.add(of.project_id);
        metrics.sink(name, value, of);
      },
      ...options,
    });
  return { metrics, labels, started, clock };
}

describe("the metrics in docs/continuity.md", () => {
  it("have the six names given there, and are 0 before anything was measured", () => {
    expect(new Metrics().values()).toEqual({
      restore_time_ms: 0,
      events_replayed_per_restore: 0,
      time_since_last_snapshot_sec: 0,
      journal_size_since_snapshot_bytes: 0,
      lease_acquisition_failures: 0,
      idempotency_cache_hits: 0,
    });
  });

  it("keep values as they are, add counters up, and remember the largest", () => {
    const metrics = new Metrics();
    for (const value of [3, 9, 5]) metrics.sink("events_replayed_per_restore", value, { project_id: "p" });
    for (const value of [1, 1]) metrics.sink("idempotency_cache_hits", value, { project_id: "p" });
    expect(metrics.values()).toMatchObject({ events_replayed_per_restore: 5, idempotency_cache_hits: 2 });
    expect(metrics.largest("events_replayed_per_restore")).toBe(9);
  });

  it("events_replayed_per_restore stays under 100 over 1,000 events with the default policy, wherever a process is started", async () => {
    const { metrics, started } = measured();
    let restores = 0;
    let project = await started().project("p");
    const { goal_id } = await project.createGoal({ text: "g" });
    const { task_id } = await project.addTask({ goal_id, title: "t" });
    await project.startTask({ task_id });
    for (let event = 4; event <= 1000; event++) {
      await project.updateCheckpoint({ task_id, where_we_left_off: `event ${event}`, next_step: "the next" });
      // Has no factor in common with the policy: every distance from a snapshot occurs.
      if (event % 17 !== 0) continue;
      project = await started().project("p");
      await project.state();
      restores += 1;
      expect(metrics.values().events_replayed_per_restore, "what lies behind the latest snapshot").toBe(event % 50);
    }
    expect(restores).toBe(58);
    expect(metrics.largest("events_replayed_per_restore")).toBeLessThan(100);
    expect(metrics.values().restore_time_ms).toBeGreaterThan(0);
    expect((await project.verify()).events).toBe(1000);
  });

  it("time and size since the last snapshot grow with each event and begin anew with a snapshot", async () => {
    const { metrics, started, clock } = measured({ snapshots: { everyEvents: 3 } });
    const project = await started().project("p");
    const found: number[][] = [];
    for (let event = 1; event <= 5; event++) {
      clock.pass(2000);
      await project.createGoal({ text: `goal ${event}` });
      const { time_since_last_snapshot_sec, journal_size_since_snapshot_bytes } = metrics.values();
      found.push([time_since_last_snapshot_sec, journal_size_since_snapshot_bytes]);
    }
    expect(found.map(([seconds]) => seconds)).toEqual([0, 2, 4, 2, 4]);
    const sizes: number[] = [];
    for await (const event of project.history()) {
      const { checksum: _, ...payload } = event;
      sizes.push(JSON.stringify(payload).length);
    }
    expect(found.map(([, bytes]) => bytes)).toEqual([
      sizes[0],
      sizes[0]! + sizes[1]!,
      sizes[0]! + sizes[1]! + sizes[2]!,
      sizes[3],
      sizes[3]! + sizes[4]!,
    ]);
  });

  it("count leases that were not got and results that were had already, under the project's name", async () => {
    const { metrics, started, labels } = measured({ objects: memoryObjects() });
    const project = await started().project("the project");
    const lease = await project.acquireLease({ owner_id: "a" });
    await expect(project.acquireLease({ owner_id: "b" })).rejects.toMatchObject({ code: "lease-held" });
    let executed = 0;
    for (let time = 1; time <= 3; time++)
      await project.runStep(lease, { step_id: "s", step_type: "pure" }, async () => ++executed);
    await project.steps.complete(lease, { step_id: "s", attempt_id: 1 }, 1);
    expect([executed, metrics.values()]).toMatchObject([
      1,
      { lease_acquisition_failures: 1, idempotency_cache_hits: 3 },
    ]);
    expect([...labels]).toEqual(["the project"]);
  });
});
