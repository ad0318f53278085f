import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Continuity, type ContinuityStore, type ObjectStorage, type Project } from "../../../src/continuity/index.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { COPY_CRASHES, Crash } from "../crash-points.ts";
import { memoryObjects } from "../injected.ts";
import { kinds, type Kind } from "../places.ts";
import { ledgerIn, keyed, TABLES } from "../tampered.ts";

const on = kinds();
const [sqlite, postgres] = on as [Kind, Kind];

/** Everything of a project that both databases hold, but for times of leases. */
async function dumpProject(store: ContinuityStore, workflow_id: string): Promise<object> {
  const events = await store.eventsAfter(workflow_id, 0, 10_000);
  const completed = await store.completedSteps(workflow_id);
  return {
    workflow: await store.workflow(workflow_id),
    events: events.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) as unknown })),
    attempts: await store.attempts(workflow_id),
    completed: completed.toSorted((a, b) => (a.step_id < b.step_id ? -1 : 1)),
    results: await Promise.all(completed.map(({ result_checksum }) => store.result(result_checksum))),
    token: (await store.lease(workflow_id))?.fencing_token,
  };
}

async function copied(
  from: Continuity,
  kind: Kind,
  options: { readonly exact?: boolean; readonly objects?: ObjectStorage } = {},
): Promise<{ readonly store: ContinuityStore; readonly continuity: Continuity }> {
  const file = join(newFolder(), "backup.jsonl");
  await from.backup({ file });
  const store = await (await kind.place()).open();
  const { exact = false, objects } = options;
  const continuity = new Continuity({ store, ...(objects && { objects }) });
  const { projects } = await continuity.restore({ file, exact });
  expect(projects.flatMap(({ damages }) => damages)).toEqual([]);
  return { store, continuity };
}

describe.skipIf(postgres.skip)("a backup of everything that a ledger can hold", () => {
  it("is the way from SQLite to PostgreSQL and back: an exact restoration has the same events and rows, and runs no step again", async () => {
    const ledger = await ledgerIn(await sqlite.place(), { everyEvents: 4 });
    const source = new Continuity({ store: ledger.store });
    const there = await copied(source, postgres, { exact: true });
    const back = await copied(there.continuity, sqlite, { exact: true });
    const whole = await dumpProject(ledger.store, ledger.workflow_id);
    expect(await dumpProject(there.store, ledger.workflow_id)).toEqual(whole);
    expect(await dumpProject(back.store, ledger.workflow_id)).toEqual(whole);
    for (const { continuity, store } of [there, back]) {
      const project = (await continuity.find("p"))!;
      expect(await project.verify()).toMatchObject({ events: ledger.events, damages: [] });
      const lease = await project.acquireLease({ owner_id: "another" });
      expect(lease.fencing_token).toBe(ledger.lease.fencing_token + 1);
      let executed = 0;
      for (const { step_id } of await store.completedSteps(project.workflow_id))
        expect(await project.runStep(lease, keyed(step_id), async () => void (executed += 1)), step_id).toMatchObject({
          executed: false,
        });
      expect(executed).toBe(0);
      await expect(project.steps.begin(lease, keyed("given up"))).rejects.toMatchObject({
        code: "step-abandoned",
      });
      expect((await project.activeWork()).open_steps).toMatchObject([{ step_id: "left open" }]);
    }
  });
});

for (const kind of on) {
  describe.skipIf(kind.skip)(`a backup that is restored into ${kind.title}`, () => {
    it("ends every lease of before and gives no token twice, also not one that was given behind the backup", async () => {
      const ledger = await ledgerIn(await sqlite.place(), { everyEvents: 4 });
      const file = join(newFolder(), "backup.jsonl");
      await new Continuity({ store: ledger.store }).backup({ file });
      const later = await (await ledger.fresh()).acquireLease({ owner_id: "later", takeOverFrom: "executor" });
      const store = await (await kind.place()).open();
      const continuity = new Continuity({ store });
      expect(await continuity.restore({ file })).toMatchObject({
        projects: [{ project_id: "p", outcome: "restored", open_steps: ["left open"], lost: null, damages: [] }],
      });
      const project = (await continuity.find("p"))!;
      const lease = await project.acquireLease({ owner_id: "next" });
      expect(lease.fencing_token).toBeGreaterThan(later.fencing_token + 100_000);
      // The executor of before goes on with the restored store.
      await expect(project.steps.complete(ledger.lease, { step_id: "left open", attempt_id: 1 })).rejects.toMatchObject(
        { code: "fenced" },
      );
      expect((await project.verify()).damages).toEqual([]);
      const [event] = await store.eventsAfter(project.workflow_id, ledger.events, 1);
      expect(event).toMatchObject({ event_type: "project_restored" });
    });

    it("says also of a project without an event that what was done since is not known, and pays nothing again; once, however often it is repeated", async () => {
      const source = new Continuity({ store: await (await sqlite.place()).open() });
      const before = await source.project("p");
      const file = join(newFolder(), "backup.jsonl");
      await source.backup({ file });
      const store = await (await kind.place()).open();
      const continuity = new Continuity({ store });
      expect(await continuity.restore({ file })).toMatchObject({
        projects: [{ outcome: "restored", event_seq: 1, damages: [] }],
      });
      const pay = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "invoice" } as const;
      let paid = 0;
      const payStep = async (project: Project): Promise<unknown> =>
        project.runStep(await project.acquireLease({ owner_id: "till" }), pay, async () => void (paid += 1));
      await payStep(before);
      const project = (await continuity.find("p"))!;
      expect(await project.activeWork()).toMatchObject({ unknown_since: { event_seq: 1 } });
      await expect(payStep(project)).rejects.toMatchObject({ code: "step-unknown" });
      expect(paid).toBe(1);
      expect((await project.verify()).damages).toEqual([]);
      const end = await store.workflow(project.workflow_id);
      expect(await continuity.restore({ file })).toMatchObject({ projects: [{ outcome: "present", damages: [] }] });
      expect(await store.workflow(project.workflow_id)).toEqual(end);
    });

    it("carries results of an object storage, and puts them into the one of the other store before a row names them", async () => {
      const [objects, target] = [memoryObjects(), memoryObjects()];
      const ledger = await ledgerIn(await sqlite.place(), { everyEvents: 1000, objects });
      const source = new Continuity({ store: ledger.store, objects });
      const file = join(newFolder(), "backup.jsonl");
      await expect(new Continuity({ store: ledger.store }).backup({ file })).rejects.toMatchObject({
        code: "no-object-storage",
      });
      expect(existsSync(file)).toBe(false);
      await source.backup({ file });
      const store = await (await kind.place()).open();
      await expect(new Continuity({ store }).restore({ file })).rejects.toMatchObject({ code: "no-object-storage" });
      expect(await store.workflows()).toEqual([]);
      await new Continuity({ store, objects: target }).restore({ file });
      expect(target.objects.size).toBe(3);
      const project = (await new Continuity({ store, objects: target }).find("p"))!;
      expect((await project.verify()).damages).toEqual([]);
    });

    it("holds each project apart: one is restored by its name, and a repetition completes the rest", async () => {
      const source = new Continuity({ store: await (await sqlite.place()).open() });
      for (const name of ["a", "b", 'c "\u202e\n'])
        await (await source.project(name)).createGoal({ text: `the goal of ${name}` });
      await source.project("without an event");
      const file = join(newFolder(), "backup.jsonl");
      expect((await source.backup({ file })).projects.map(({ project_id }) => project_id)).toHaveLength(4);
      const continuity = new Continuity({ store: await (await kind.place()).open() });
      // A program that was started before has made its project.
      await continuity.project("a");
      await expect(continuity.restore({ file, projects: ["z"] })).rejects.toMatchObject({ code: "not-found" });
      await continuity.restore({ file, projects: ["b"] });
      expect(await continuity.projects()).toEqual(["a", "b"]);
      const { projects } = await continuity.restore({ file });
      expect(projects.map(({ project_id, outcome }) => [project_id, outcome])).toEqual([
        ["a", "restored"],
        ["b", "present"],
        ['c "\u202e\n', "restored"],
        ["without an event", "restored"],
      ]);
      for (const name of await continuity.projects())
        expect((await (await continuity.project(name)).verify()).damages).toEqual([]);
    });

    for (const [point, { written }] of Object.entries(COPY_CRASHES))
      it(`is ${written ? "there as a whole" : "not there at all"} when the process dies at ${point}, and a repetition completes it`, async () => {
        const ledger = await ledgerIn(await sqlite.place(), { everyEvents: 4 });
        const file = join(newFolder(), "backup.jsonl");
        await new Continuity({ store: ledger.store }).backup({ file });
        const spot = await kind.place();
        const crashPoint = (name: string): void => {
          if (name === point) throw new Crash(name);
        };
        const dying = new Continuity({ store: await spot.open(crashPoint), crashPoint });
        await expect(dying.restore({ file })).rejects.toThrow(Crash);
        const there = [];
        for (const table of TABLES.filter((name) => name !== "snapshots"))
          there.push((await spot.sql(`SELECT 1 AS n FROM ${table} LIMIT 1`)).length);
        expect(new Set(there)).toEqual(new Set([written ? 1 : 0]));
        const continuity = new Continuity({ store: await spot.open() });
        await continuity.restore({ file });
        expect((await (await continuity.project("p")).verify()).damages).toEqual([]);
      });

    it("does not touch a project that has other events, and says what to do", async () => {
      const source = new Continuity({ store: await (await sqlite.place()).open() });
      await (await source.project("a")).createGoal({ text: "old" });
      await (await source.project("b")).createGoal({ text: "old" });
      const file = join(newFolder(), "backup.jsonl");
      await source.backup({ file });
      const continuity = new Continuity({ store: await (await kind.place()).open() });
      await (await continuity.project("b")).createGoal({ text: "other" });
      await expect(continuity.restore({ file })).rejects.toMatchObject({
        code: "project-exists",
        message: expect.stringMatching(/project b .*Back up what is there.*Nothing was written/s),
      });
      expect(await continuity.projects()).toEqual(["b"]);
    });
  });
}

describe("the file of a backup", () => {
  it("is readable by its owner only, replaces nothing without being told, and leaves nothing beside", async () => {
    const continuity = new Continuity({ store: await (await sqlite.place()).open() });
    await (await continuity.project("a")).createGoal({ text: "g" });
    const folder = newFolder();
    const file = join(folder, "backup.jsonl");
    await continuity.backup({ file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const first = readFileSync(file, "utf8");
    await (await continuity.project("a")).createGoal({ text: "h" });
    await expect(continuity.backup({ file })).rejects.toMatchObject({ code: "not-writable" });
    expect(readFileSync(file, "utf8")).toBe(first);
    await continuity.backup({ file, replace: true });
    expect(readFileSync(file, "utf8")).not.toBe(first);
    expect(readdirSync(folder)).toEqual(["backup.jsonl"]);
  });
});
