import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { Continuity } from "../../../src/continuity/index.ts";
import { workflowId } from "../../../src/continuity/base/workflow-id.ts";
import { COPY_CRASHES, Crash } from "../crash-points.ts";
import { memoryObjects } from "../injected.ts";
import { kinds, type Place } from "../places.ts";
import { type Ledger, ledgerIn, TABLES, keyed } from "../tampered.ts";
import { removeProjects } from "../../../src/continuity/removal.ts";

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`a fork on ${title}`, () => {
    let spot: Place;
    let ledger: Ledger;
    beforeAll(async () => {
      spot = await place();
      ledger = await ledgerIn(spot, { everyEvents: 4 });
    });

    it("has the work and the steps of its source: completed ones return their results, open ones are open, and it is intact", async () => {
      const continuity = new Continuity({ store: ledger.store });
      const source = (await continuity.find("p"))!;
      const fork = await continuity.fork({ from: "p", to: "other" });
      expect(fork).toMatchObject({ project_id: "other", at: ledger.events, open_steps: ["left open"] });
      const project = (await continuity.find("other"))!;
      expect(await project.verify()).toMatchObject({ events: ledger.events + 1, damages: [] });
      const { workflow_id: _, project_id: _name, lease: _lease, unknown_since, ...state } = await project.state();
      expect(await source.state()).toMatchObject(state);
      expect(unknown_since).toMatchObject({ event_seq: fork.event_seq, from: "fork" });
      const lease = await project.acquireLease({ owner_id: "another" });
      let executed = 0;
      for (const { step_id } of await ledger.store.completedSteps(source.workflow_id)) {
        const run = async (): Promise<number> => (executed += 1);
        const [there, here] = [
          await source.steps.begin(ledger.lease, keyed(step_id)),
          await project.runStep(lease, keyed(step_id), run),
        ];
        expect(there).toMatchObject({ status: "completed", result: here.result });
      }
      expect(executed).toBe(0);
      // Open in both, and resolved differently.
      await project.steps.resolve(lease, { step_id: "left open", attempt_id: 1, outcome: "not_done", reason: "seen" });
      expect((await source.activeWork()).open_steps).toMatchObject([{ step_id: "left open" }]);
      const events = [];
      for await (const { event_type, data, author } of project.history()) events.push({ event_type, data, author });
      expect(events[ledger.events]).toMatchObject({
        event_type: "project_forked",
        data: { source: { project_id: "p", event_seq: ledger.events } },
      });
      const authors = [];
      for await (const { author } of source.history()) authors.push(author);
      expect(events.slice(0, ledger.events).map(({ author }) => author)).toEqual(authors);
      expect((await source.verify()).damages).toEqual([]);
    });

    it("shares nothing with its source: it stays whole when the source is removed, with its objects", async () => {
      const own = await place();
      const objects = memoryObjects();
      const { store } = await ledgerIn(own, { everyEvents: 1000, objects });
      await new Continuity({ store, objects }).fork({ from: "p", to: "other" });
      await removeProjects(own.options, ["p"], { objects, force: true });
      const project = (await new Continuity({ store, objects }).find("other"))!;
      expect((await project.verify()).damages).toEqual([]);
      expect([...objects.objects.keys()].every((name) => name.startsWith(project.workflow_id))).toBe(true);
    });

    it("is refused of a project that is not there, into one that is, and at a position that is not there", async () => {
      const continuity = new Continuity({ store: await (await place()).open() });
      await (await continuity.project("a")).createGoal({ text: "g" });
      await (await continuity.project("b")).createGoal({ text: "g" });
      await continuity.project("empty");
      for (const [options, code] of [
        [{ from: "nobody", to: "c" }, "not-found"],
        [{ from: "a", to: "b" }, "project-exists"],
        [{ from: "a", to: "a" }, "project-exists"],
        [{ from: "a", to: " " }, "bad-input"],
        [{ from: "a", to: "c", at: 0 }, "bad-input"],
        [{ from: "a", to: "c", at: 2 }, "bad-input"],
        [{ from: "a", to: "c", at: 0.5 }, "bad-input"],
        [{ from: "empty", to: "c" }, "bad-input"],
      ] as const)
        await expect(continuity.fork(options), JSON.stringify(options)).rejects.toMatchObject({ code });
      expect(await continuity.projects()).toEqual(["a", "b", "empty"]);
      await continuity.fork({ from: "a", to: "empty" });
      expect((await (await continuity.project("empty")).verify()).damages).toEqual([]);
    });

    it("at any position has the state of that position, and can be forked again", async () => {
      const continuity = new Continuity({ store: ledger.store });
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: ledger.events }), async (at) => {
          const [one, two] = [`fork ${(nth += 1)}`, `fork of fork ${nth}`];
          await continuity.fork({ from: "p", to: one, at });
          await continuity.fork({ from: one, to: two });
          for (const [name, events] of [
            [one, at + 1],
            [two, at + 2],
          ] as const)
            expect(await (await continuity.project(name)).verify()).toMatchObject({ events, damages: [] });
          const done = await ledger.store.completedSteps((await continuity.project(two)).workflow_id);
          expect((await (await continuity.project(two)).state()).completed_steps).toBe(done.length);
        }),
        { numRuns: 6 },
      );
    });

    for (const [point, { written }] of Object.entries(COPY_CRASHES))
      it(`is ${written ? "there as a whole" : "not there at all"} when the process dies at ${point}`, async () => {
        const to = `dies at ${point}`;
        const crashPoint = (name: string): void => {
          if (name === point) throw new Crash(name);
        };
        const dying = new Continuity({ store: await spot.open(crashPoint), crashPoint });
        await expect(dying.fork({ from: "p", to })).rejects.toThrow(Crash);
        const there = [];
        for (const table of TABLES)
          if (table !== "step_results" && table !== "snapshots")
            there.push(
              (await spot.sql(`SELECT 1 AS n FROM ${table} WHERE workflow_id = ? LIMIT 1`, workflowId(to))).length,
            );
        expect(new Set(there)).toEqual(new Set([written ? 1 : 0]));
        const continuity = new Continuity({ store: ledger.store });
        if (!written) await continuity.fork({ from: "p", to });
        expect((await (await continuity.project(to)).verify()).damages).toEqual([]);
      });
  });
}
