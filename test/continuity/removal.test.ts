import { readFileSync, existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Continuity, type ContinuityStore, type Project } from "../../src/continuity/index.ts";
import { removeProjects, storedProjects, type TablesPlace } from "../../src/continuity/removal.ts";
import { kinds, type Place } from "./places.ts";
import { startS3, type PrivateS3 } from "./s3-server.ts";

const GONE = "agent:main:telegram:dm:1";
const OTHER = "agent:main:telegram:dm:2";
const WORDS = "the-goal-is-quokka";
const TABLES = ["workflows", "events", "snapshots", "workflow_leases", "step_attempts", "completed_steps"];

let s3: PrivateS3;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.remove());

/** Work with everything that is ever stored of it; `shared` is a result that several projects have. */
async function work(project: Project, words: string): Promise<void> {
  const { goal_id } = await project.createGoal({ text: words });
  for (let at = 0; at < 6; at++) await project.addTask({ goal_id, title: `${words} ${at} ${"and more ".repeat(50)}` });
  const lease = await project.acquireLease({ owner_id: "host/1/2/ab" });
  await project.runStep(lease, { step_id: "own", step_type: "pure" }, async () => ({ [words]: "own" }));
  await project.runStep(lease, { step_id: "shared", step_type: "pure" }, async () => "the same for both");
  await project.runStep(lease, { step_id: "large", step_type: "pure" }, async () => words.repeat(500));
  await lease.release();
}

describe.each(kinds())("a project that is removed, on $title", ({ kind, skip, place: newPlace }) => {
  it.skipIf(skip !== undefined)(
    "is gone with its snapshots, results and objects, and no other project has lost anything",
    async () => {
      const { place, continuity, store } = await filled(newPlace);
      const [found] = await storedProjects(place.options as TablesPlace, [GONE, "never-there"], {
        objects: s3.storage(),
      });
      expect(found).toMatchObject({ project_id: GONE, steps: 3, lease: undefined });
      expect(found!.objects.length).toBeGreaterThan(1);
      const { projects, left } = await removeProjects(place.options as TablesPlace, [GONE], { objects: s3.storage() });
      expect(projects).toEqual([found]);
      expect(left).toBeUndefined();
      for (const table of TABLES)
        expect(await place.sql(`SELECT 1 FROM ${table} WHERE workflow_id = ?`, found!.workflow_id), table).toEqual([]);
      expect(s3.names().filter((name) => name.startsWith(found!.workflow_id))).toEqual([]);
      const fresh = new Continuity({ store, objects: s3.storage() });
      expect(await fresh.projects()).toEqual([OTHER]);
      expect((await (await fresh.find(OTHER))!.verify()).damages).toEqual([]);
      expect((await removeProjects(place.options as TablesPlace, [GONE], { objects: s3.storage() })).projects).toEqual(
        [],
      );
      if (kind === "sqlite")
        for (const end of ["", "-wal"]) expect(readBytes(place, end).includes(WORDS), end).toBe(false);
      // A process that had it open knows nothing of it any more, and begins it anew under the same name.
      const open = await continuity.project(GONE);
      expect(await open.activeWork()).toMatchObject({ goals: [], tasks: [] });
      expect(await fresh.projects()).toEqual([OTHER]);
      await open.createGoal({ text: "something else" });
      expect((await open.activeWork()).goals).toMatchObject([{ text: "something else" }]);
      expect(await new Continuity({ store }).projects()).toEqual([GONE, OTHER]);
      expect((await (await continuity.project(GONE)).verify()).damages).toEqual([]);
    },
  );

  it.skipIf(skip !== undefined)(
    "is left alone while a step of it may be executed, and where its objects cannot be reached",
    async () => {
      const { place, continuity } = await filled(newPlace);
      await (await continuity.project(GONE)).acquireLease({ owner_id: "host/1/2/ab" });
      await expect(
        removeProjects(place.options as TablesPlace, [GONE], { objects: s3.storage() }),
      ).rejects.toMatchObject({ code: "lease-held", message: expect.stringContaining("host/1/2/ab") });
      await expect(removeProjects(place.options as TablesPlace, [GONE], { force: true })).rejects.toMatchObject({
        code: "no-object-storage",
      });
      expect(
        (await (await new Continuity({ store: await place.open(), objects: s3.storage() }).find(GONE))!.verify())
          .damages,
      ).toEqual([]);
      expect(
        (await removeProjects(place.options as TablesPlace, [GONE], { objects: s3.storage(), force: true })).projects,
      ).toHaveLength(1);
    },
  );

  it.skipIf(skip !== undefined).each(["objects-removed", "rows-removed"])(
    "is gone at the second try where the first was killed at %s",
    async (point) => {
      const { place } = await filled(newPlace);
      const reached = (at: string): void => {
        if (at === point) throw new Error("killed");
      };
      await expect(
        removeProjects(place.options as TablesPlace, [GONE], { objects: s3.storage(), reached }),
      ).rejects.toThrow("killed");
      await removeProjects(place.options as TablesPlace, [GONE], { objects: s3.storage() });
      expect(await storedProjects(place.options as TablesPlace, [GONE], { objects: s3.storage() })).toEqual([]);
      if (kind === "sqlite")
        for (const end of ["", "-wal"]) expect(readBytes(place, end).includes(WORDS), end).toBe(false);
    },
  );
});

async function filled(
  newPlace: () => Promise<Place>,
): Promise<{ place: Place; store: ContinuityStore; continuity: Continuity }> {
  const place = await newPlace();
  const store = await place.open();
  const continuity = new Continuity({ store, objects: s3.storage(), snapshots: { everyEvents: 4, inlineBytes: 1500 } });
  await work(await continuity.project(GONE), WORDS);
  await work(await continuity.project(OTHER), "the-other-goal");
  return { place, store, continuity };
}

function readBytes({ options }: Place, end: string): Buffer {
  const file = "file" in options ? options.file + end : "";
  return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}
