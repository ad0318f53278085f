import { describe, expect, it } from "vitest";
import { Continuity, type Project } from "../../src/continuity/index.ts";
import { kinds } from "./places.ts";

const build = { step_id: "build", step_type: "idempotent", input: { commit: "4f2a" }, recordBegin: false } as const;

async function listTypes(project: Project): Promise<string[]> {
  const types: string[] = [];
  for await (const { event_type } of project.history()) types.push(event_type);
  return types;
}

describe.each(kinds())("a step whose begin is not recorded, on $title", ({ skip, place }) => {
  it.skipIf(skip)("is completed by one event, returns its result and is not executed again", async () => {
    const spot = await place();
    const project = await new Continuity({ store: await spot.open() }).project("site");
    const lease = await project.acquireLease({ owner_id: "a" });
    expect(await project.runStep(lease, build, async () => ({ size: 4711 }))).toEqual({
      result: { size: 4711 },
      executed: true,
    });
    expect(await listTypes(project)).toEqual(["lease_acquired", "step_completed"]);
    const other = await new Continuity({ store: await spot.open() }).project("site");
    for (const request of [build, { ...build, recordBegin: true }])
      expect(await other.runStep(lease, request, async () => expect.fail("executed again"))).toEqual({
        result: { size: 4711 },
        executed: false,
      });
    await expect(other.runStep(lease, { ...build, input: {} }, async () => 1)).rejects.toMatchObject({
      code: "step-mismatch",
    });
    expect((await project.verify()).damages).toEqual([]);
    expect((await project.state()).open_steps).toEqual({});
  });

  it.skipIf(skip)("leaves nothing behind when its body fails, and replaces an attempt that was left open", async () => {
    const project = await new Continuity({ store: await (await place()).open() }).project("site");
    const killed = await project.acquireLease({ owner_id: "killed" });
    await project.steps.begin(killed, { ...build, recordBegin: true });
    const lease = await project.acquireLease({ owner_id: "b", takeOverFrom: "killed" });
    await expect(project.runStep(lease, build, () => Promise.reject(new Error("no room")))).rejects.toThrow("no room");
    expect(await listTypes(project)).toEqual(["lease_acquired", "step_started", "lease_acquired"]);
    await project.runStep(lease, build, async () => 1);
    expect((await project.state()).open_steps).toEqual({});
    expect((await project.verify()).damages).toEqual([]);
  });

  it.skipIf(skip)("has one result, also when two calls execute it at once", async () => {
    const project = await new Continuity({ store: await (await place()).open() }).project("site");
    const lease = await project.acquireLease({ owner_id: "a" });
    let executions = 0;
    const both = await Promise.all([1, 2].map(() => project.runStep(lease, build, async () => ++executions)));
    expect(new Set(both.map(({ result }) => result)).size).toBe(1);
    expect(await listTypes(project)).toEqual(["lease_acquired", "step_completed"]);
  });

  it.skipIf(skip)(
    "is refused for a step that must not happen twice, and under a lease that was taken over",
    async () => {
      const project = await new Continuity({ store: await (await place()).open() }).project("site");
      const lease = await project.acquireLease({ owner_id: "a" });
      const pay = { ...build, step_type: "non_idempotent", idempotency_key: "k" } as const;
      await expect(project.runStep(lease, pay, async () => expect.fail("executed"))).rejects.toMatchObject({
        code: "bad-input",
        message: expect.stringMatching(/must not happen twice.*recordBegin: false/),
      });
      await project.acquireLease({ owner_id: "b", takeOverFrom: "a" });
      await expect(project.runStep(lease, build, async () => 1)).rejects.toMatchObject({ code: "fenced" });
      expect((await project.verify()).damages).toEqual([]);
    },
  );
});
