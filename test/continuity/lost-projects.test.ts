/** Rows of a project that no name leads to any more: without a look for them the project is hidden, and nobody is told. */
import { beforeEach, describe, expect, it } from "vitest";
import { Continuity, type ContinuityStore } from "../../src/continuity/index.ts";
import { removeProjects, storedProjects } from "../../src/continuity/removal.ts";
import { kinds, type Place } from "./places.ts";

for (const { skip, title, place: newPlace } of kinds()) {
  describe.skipIf(skip)(`lost projects on ${title}`, () => {
    let place: Place;
    let store: ContinuityStore;
    const fresh = (): Continuity => new Continuity({ store, snapshots: { everyEvents: 4 } });
    const readWorkflowId = async (name: string): Promise<string> =>
      String((await place.sql("SELECT workflow_id AS id FROM workflows WHERE project_id = ?", name))[0]!["id"]);

    beforeEach(async () => {
      place = await newPlace();
      store = await place.open();
      for (const [name, goals] of [
        ["long", 5],
        ["short", 1],
        ["whole", 1],
      ] as const) {
        const project = await fresh().project(name);
        for (let nth = 0; nth < goals; nth++) await project.createGoal({ text: `goal ${nth}` });
      }
    });

    it("finds none in an undamaged store, also of a project without an event", async () => {
      await fresh().project("empty");
      expect(await fresh().lostProjects()).toEqual([]);
      expect(await fresh().projects()).toEqual(["empty", "long", "short", "whole"]);
    });

    it("names a deleted row, by a snapshot where there is one, and fails no other project", async () => {
      const [long, short] = [await readWorkflowId("long"), await readWorkflowId("short")];
      await place.sql("DELETE FROM workflows WHERE project_id <> 'whole'");
      const lost = await fresh().lostProjects();
      expect(lost.map(({ workflow_id, project_id, events }) => [workflow_id, project_id, events]).toSorted()).toEqual(
        [
          [long, "long", 5],
          [short, null, 1],
        ].toSorted(),
      );
      expect(lost.find(({ workflow_id }) => workflow_id === long)!.message).toMatch(
        /^expected a row in workflows for workflow .* \(project long\); found none, and 5 events of it\. .*continuity restore`\. Nothing was changed\.$/,
      );
      expect(await fresh().projects()).toEqual(["long", "whole"]);
      expect((await (await fresh().project("whole")).verify()).damages).toEqual([]);
    });

    it("refuses a project whose row was deleted, and makes no new row over its events", async () => {
      await place.sql("DELETE FROM workflows WHERE project_id = 'short'");
      for (const attempt of [() => fresh().find("short"), () => fresh().project("short")])
        await expect(attempt()).rejects.toMatchObject({
          code: "damaged",
          message: expect.stringMatching(/for project short .*found none, and 1 events.*Nothing was executed/),
        });
      expect(await place.sql("SELECT project_id FROM workflows ORDER BY project_id")).toEqual([
        { project_id: "long" },
        { project_id: "whole" },
      ]);
      expect(await fresh().find("other")).toBeUndefined();
    });

    it("does not wait for other writers when the row is lost under a process that has the project open", async () => {
      const open = await fresh().project("long");
      await open.createGoal({ text: "another" });
      await place.sql("DELETE FROM workflows WHERE project_id = 'long'");
      await expect(open.createGoal({ text: "after the loss" })).rejects.toMatchObject({ code: "damaged" });
      expect(Number((await place.sql("SELECT count(*) AS n FROM events"))[0]!["n"])).toBe(8);
    });

    it.each([
      ["the name", "UPDATE workflows SET project_id = 'other' WHERE project_id = 'long'"],
      ["the id", "UPDATE workflows SET workflow_id = '00000000-0000-4000-8000-000000000000' WHERE project_id = 'long'"],
    ])("names a row in which %s was changed, and refuses both names", async (what, statement) => {
      await place.sql(statement);
      const lost = await fresh().lostProjects();
      expect(lost.some(({ message }) => message.includes("the name or the id was changed"))).toBe(true);
      const names = what === "the name" ? ["long", "other"] : ["long"];
      for (const name of names)
        for (const attempt of [() => fresh().find(name), () => fresh().project(name)])
          await expect(attempt(), name).rejects.toMatchObject({ code: "damaged" });
      expect(await fresh().projects()).toContain(what === "the name" ? "other" : "long");
    });

    it("is removed with everything that is left of it, by its name", async () => {
      await place.sql("DELETE FROM workflows WHERE project_id = 'long'");
      expect(await storedProjects(place.options, ["long", "none"])).toMatchObject([{ project_id: "long", events: 5 }]);
      expect((await removeProjects(place.options, ["long", "none"])).projects).toMatchObject([{ project_id: "long" }]);
      expect(await fresh().lostProjects()).toEqual([]);
      expect(Number((await place.sql("SELECT count(*) AS n FROM events"))[0]!["n"])).toBe(2);
    });

    it("finds what is left in each of the tables", async () => {
      const workflow_id = await readWorkflowId("short");
      const project = await fresh().project("short");
      const lease = await project.acquireLease({ owner_id: "executor" });
      await project.runStep(lease, { step_id: "s", step_type: "pure" }, async () => 1);
      await project.createGoal({ text: "one more, for a snapshot" });
      await place.sql("DELETE FROM workflows WHERE project_id = 'short'");
      const tables = ["events", "workflow_leases", "step_attempts", "completed_steps", "snapshots"];
      for (const table of tables) await place.sql(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
      for (const only of tables) {
        for (const table of tables.toReversed())
          if (table !== only) await place.sql(`DELETE FROM ${table} WHERE workflow_id = '${workflow_id}'`);
        expect(
          (await store.workflowsWithoutRow()).map((one) => one.workflow_id),
          only,
        ).toEqual([workflow_id]);
        for (const table of tables)
          if (table !== only)
            await place.sql(`INSERT INTO ${table} SELECT * FROM kept_${table} WHERE workflow_id = '${workflow_id}'`);
      }
    });
  });
}
