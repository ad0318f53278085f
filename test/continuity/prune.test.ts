import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { authorBy, Continuity, type ContinuityStore, type Lease, type Project } from "../../src/continuity/index.ts";
import { injected, START } from "./injected.ts";
import { kinds, type Place } from "./places.ts";

const pay = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "k" } as const;

interface World {
  readonly place: Place;
  readonly project: Project;
  readonly lease: Lease;
  readonly open: (everyEvents?: number) => Promise<Project>;
}

let names = 0;

/** Work of ten hours: each hour a task is done, and one step is; a task, a step and a goal stay open. */
async function tenHours(place: Place): Promise<World> {
  const clock = injected(`prune ${names}`);
  const name = `site ${++names}`;
  const open = async (everyEvents = 1000): Promise<Project> => {
    const store: ContinuityStore = await place.open();
    return new Continuity({ store, ...clock, snapshots: { everyEvents } }).project(name);
  };
  const project = (await open()).as(authorBy("openclaw", "agent:main"));
  const { goal_id } = await project.createGoal({ text: "Move the site" });
  const lease = await project.acquireLease({ owner_id: "a", ttlMs: 24 * 3_600_000 });
  await project.runStep(lease, pay, async () => "paid");
  const { task_id } = await project.addTask({ goal_id, title: "Stays open" });
  await project.startTask({ task_id });
  for (let hour = 0; hour < 10; hour++) {
    clock.pass(3_600_000);
    const done = await project.addTask({ goal_id, title: `Task of hour ${hour}` });
    await project.runStep(lease, { step_id: `step ${hour}`, step_type: "pure" }, async () => hour);
    await project.updateCheckpoint({ task_id, where_we_left_off: `hour ${hour}`, next_step: `hour ${hour + 1}` });
    await project.startTask({ task_id: done.task_id });
    await project.completeTask({ task_id: done.task_id });
  }
  await project.steps.begin(lease, { step_id: "left open", step_type: "pure" });
  return { place, project, lease, open };
}

const hours = (after: number): Date => new Date(START + after * 3_600_000);

async function count(project: Project): Promise<number> {
  let events = 0;
  for await (const event of project.history()) events += event ? 1 : 0;
  return events;
}

describe.each(kinds())("a pruned ledger on $title", ({ skip, place }) => {
  let spot: Place;
  beforeAll(async () => {
    if (skip === undefined) spot = await place();
  });

  it.skipIf(skip)("has the same state, runs no step again, and is accepted by verification", async () => {
    const { project, lease, open } = await tenHours(spot);
    const before = await project.state();
    const all = await count(project);
    const dry = await project.prune({ before: hours(5.5), dryRun: true });
    expect([await count(project), dry.base_event_seq]).toEqual([all, 0]);
    const pruned = await project.prune({ before: hours(5.5) });
    expect(pruned).toMatchObject({ removed: dry.removed, kept: dry.kept });
    expect(pruned.removed).toBeGreaterThan(15);
    for (const reader of [project, await open(), await open(3)]) {
      expect(await reader.state()).toEqual(before);
      expect((await reader.verify()).damages).toEqual([]);
      for (const [request, result] of [
        [pay, "paid"],
        [{ step_id: "step 0", step_type: "pure" }, 0],
        [{ step_id: "step 9", step_type: "pure" }, 9],
      ] as const)
        expect(await reader.runStep(lease, request, async () => expect.fail("executed again"))).toMatchObject({
          result,
        });
    }
    expect(await project.begunBy()).toEqual(authorBy("openclaw", "agent:main"));
    expect(await count(project)).toBe(all - pruned.base_event_seq + 2);
  });

  it.skipIf(skip)("goes on, keeps its beginning while snapshots come and go, and can be pruned again", async () => {
    const { project, open } = await tenHours(spot);
    await project.prune({ before: hours(3.5) });
    const other = (await open(2)).as(project.author);
    const { task_id } = Object.values((await other.state()).tasks)[0]!;
    for (let at = 0; at < 12; at++)
      await other.updateCheckpoint({ task_id, where_we_left_off: `${at}`, next_step: `${at + 1}` });
    await other.rebuildSnapshots();
    const state = await (await open()).state();
    expect(state.checkpoints[task_id]).toMatchObject({ next_step: "12" });
    expect((await other.verify()).damages).toEqual([]);
    const again = await other.prune({ before: hours(8.5) });
    expect(again.removed).toBeGreaterThan(10);
    expect(await other.prune({ before: hours(8.5) })).toMatchObject({ removed: 0 });
    expect(await (await open()).state()).toEqual(state);
    expect((await project.verify()).damages).toEqual([]);
  });

  it.skipIf(skip)("is read by a process that was idle since an event which is gone, or stands alone now", async () => {
    const { project, lease, open } = await tenHours(spot);
    const idle = await open();
    for (const reader of [idle, project]) await reader.state();
    const other = await open();
    await other.prune({ before: hours(20) });
    await other.createGoal({ text: "Later" });
    await other.runStep(lease, { step_id: "later", step_type: "pure" }, async () => 1);
    await other.prune({ before: hours(20) });
    for (const reader of [idle, project]) expect(await reader.state()).toEqual(await other.state());
  });

  it.skipIf(skip)("says of what was finished before that it is gone", async () => {
    const { project } = await tenHours(spot);
    let first = "";
    for await (const { event_type, data } of project.history())
      if (event_type === "task_completed" && first === "") first = String(data["task_id"]);
    await project.prune({ before: hours(5.5) });
    await expect(project.startTask({ task_id: first })).rejects.toMatchObject({ code: "not-found" });
  });

  it.skipIf(skip)("is damage when somebody takes out one more row, or moves the beginning", async () => {
    const { place: here, project, open } = await tenHours(spot);
    const { base_event_seq: base } = await project.prune({ before: hours(5.5) });
    const of = `workflow_id = '${project.workflow_id}'`;
    const rows = async (table: string): Promise<readonly object[]> => here.sql(`SELECT * FROM ${table} WHERE ${of}`);
    const steps = (await rows("events")) as { event_seq: number | string; event_type: string }[];
    const kept = steps.find(
      ({ event_seq, event_type }) => Number(event_seq) < base && event_type === "step_completed",
    )!;
    for (const statement of [
      `UPDATE workflows SET base_event_seq = 0 WHERE ${of}`,
      `UPDATE workflows SET base_event_seq = ${base + 1} WHERE ${of}`,
      `DELETE FROM events WHERE ${of} AND event_seq = ${kept.event_seq}`,
      `DELETE FROM events WHERE ${of} AND event_seq = ${base}`,
      `DELETE FROM snapshots WHERE ${of}`,
    ]) {
      await here.sql("BEGIN").catch(() => undefined);
      const backup = {
        events: await rows("events"),
        snapshots: await rows("snapshots"),
        workflows: await rows("workflows"),
      };
      await here.sql("COMMIT").catch(() => undefined);
      await here.sql(statement);
      expect((await (await open()).verify()).damages, statement).not.toEqual([]);
      for (const [table, before] of Object.entries(backup)) {
        await here.sql(`DELETE FROM ${table} WHERE ${of}`);
        for (const row of before) {
          const values = Object.values(row).map((value) =>
            value === null || typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value),
          );
          await here.sql(
            `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${values.map(() => "?").join(", ")})`,
            ...(values as string[]),
          );
        }
      }
      expect((await (await open()).verify()).damages, `as before: ${statement}`).toEqual([]);
    }
  });

  it.skipIf(skip)("refuses to remove what is damaged, and a time that is none", async () => {
    const { place: here, project, open } = await tenHours(spot);
    await expect(project.prune({ before: new Date("tomorrow") })).rejects.toMatchObject({ code: "bad-input" });
    await here.sql(`UPDATE events SET checksum = 'x' WHERE workflow_id = '${project.workflow_id}' AND event_seq = 4`);
    await expect((await open()).prune({ before: hours(5.5) })).rejects.toMatchObject({ code: "damaged" });
  });

  it.skipIf(skip)("is the same wherever it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 3 }), async (cuts) => {
        const { project, open } = await tenHours(spot);
        const state = await project.state();
        for (const cut of cuts) await project.prune({ before: hours(cut + 0.5) });
        expect(await (await open()).state()).toEqual(state);
        expect((await project.verify()).damages).toEqual([]);
      }),
      { numRuns: 4 },
    );
  });
});
