import { describe, expect, it } from "vitest";
import { briefing, Continuity, type LedgerEvent, workNotice } from "../../src/continuity/index.ts";
import { injected } from "./injected.ts";
import { kinds } from "./places.ts";

const A = { entry: "mcp", name: "A" } as const;
const B = { entry: "mcp", name: "B" } as const;
const PERSON = { entry: "cli", name: "Ann" } as const;
const HOUR_MS = 60 * 60_000;

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`what an agent is to do next, on ${title}`, () => {
    async function fresh() {
      const clock = injected();
      const continuity = new Continuity({ store: await (await place()).open(), ...clock });
      const project = await continuity.project("p");
      const add = async (goal_id: string, name: string, more: object = {}): Promise<string> =>
        (await project.addTask({ goal_id, title: name, ...more })).task_id;
      return { clock, project, add, a: project.as(A), b: project.as(B), person: project.as(PERSON) };
    }

    it("is never a blocked task while another one can start; the blocked one is named as what waits", async () => {
      const { project, add } = await fresh();
      const { goal_id: low } = await project.createGoal({ text: "Tidy the archive", priority: 0 });
      const bob = await add(low, "Ask Bob for his key");
      await project.startTask({ task_id: bob });
      await project.blockTask({ task_id: bob, blocker: "Bob is on holiday" });
      expect(await project.getNextStep()).toMatchObject({ rule: "blocked", task_id: bob, can_start: null });
      const { goal_id: high } = await project.createGoal({ text: "Production is down", priority: 100 });
      const restart = await add(high, "Restart the database");
      const work = await project.activeWork();
      expect(work).toMatchObject({ next: { rule: "blocked", task_id: bob }, can_start: { task_id: restart } });
      const text = briefing(work, { now: 0 }) ?? "";
      expect(text).toMatch(/^Goal: "Production is down"$/m);
      expect(text).toMatch(/^Next step: "Restart the database"$/m);
      expect(text).toMatch(/^Waits: task .*"Ask Bob for his key"$/m);
      expect(text).toMatch(/^It waits for: "Bob is on holiday"$/m);
      expect(workNotice(work, { now: 0 })).toContain(restart);
      expect(workNotice(work, { now: 0 })).not.toContain(bob);
    });

    it("is ranked by the priority of the task or of its goal, then by what is due first, then by age", async () => {
      const { project, add } = await fresh();
      const { goal_id } = await project.createGoal({ text: "g", priority: 5 });
      const old = await add(goal_id, "old");
      const later = await add(goal_id, "later", { due: "2026-11-26T18:00:00+01:00" });
      const sooner = await add(goal_id, "sooner", { due: "2026-11-26T16:59:00Z" });
      const day = await add(goal_id, "that day", { due: "2026-11-26" });
      const first = await add(goal_id, "first", { priority: 6 });
      const last = await add(goal_id, "last", { priority: -1 });
      const order = async (): Promise<string[]> => (await project.activeWork()).ready.map(({ task_id }) => task_id);
      expect(await order()).toEqual([first, sooner, later, day, old, last]);
      expect((await project.state()).tasks[day]!.due).toBe("2026-11-26T23:59:59.999Z");
      await project.editTask({ task_id: first, priority: null });
      await project.editTask({ task_id: sooner, due: null });
      expect(await order()).toEqual([later, day, old, sooner, first, last]);
      expect((await project.state()).tasks[first]).not.toHaveProperty("priority");
      await expect(project.editTask({ task_id: first, priority: null })).rejects.toMatchObject({
        code: "invalid-transition",
      });
      for (const due of ["tomorrow!!", "2026-11-26T18:00:00", "2026-13-01"])
        await expect(project.editTask({ task_id: old, due })).rejects.toMatchObject({ code: "bad-input" });
    });

    it("comes back after a failure as often as was asked, with the reason; then it is blocked by that, and hides nothing", async () => {
      const { project, add } = await fresh();
      const { goal_id } = await project.createGoal({ text: "g" });
      const task_id = await add(goal_id, "Book a van", { retries: 2 });
      for (const times of [1, 2]) {
        await project.startTask({ task_id });
        expect(await project.failTask({ task_id, reason: `no van ${times}` })).toMatchObject({
          status: "todo",
          failures: times,
        });
        expect(await project.getNextStep()).toMatchObject({
          task_id,
          failures: times,
          failed_because: `no van ${times}`,
        });
      }
      // An answer was lost: the same words again are no other failure.
      expect(await project.updateTask({ task_id, status: "failed", why: "no van 2" })).toMatchObject({ already: true });
      await project.updateTask({ task_id, status: "failed", why: "no van 3" });
      expect((await project.state()).tasks[task_id]).toMatchObject({
        status: "blocked",
        blockers: ["no van 3"],
        failures: 3,
      });
      const other = await add(goal_id, "Pack");
      expect(await project.getNextStep()).toMatchObject({ task_id, can_start: { task_id: other } });
      await project.updateTask({ task_id, status: "done" });
      await project.startTask({ task_id });
      expect((await project.state()).tasks[task_id]).not.toHaveProperty("failures");
      expect((await project.verify()).damages).toEqual([]);
    });

    it("is nothing of a goal that was dropped or has failed: its open tasks go with it, in one event each", async () => {
      const { project, add } = await fresh();
      const { goal_id } = await project.createGoal({ text: "Move the office" });
      const first = await add(goal_id, "first");
      const second = await add(goal_id, "second", { depends_on: [first] });
      const { goal_id: other } = await project.createGoal({ text: "Other" });
      const outside = await add(other, "outside", { depends_on: [second] });
      const end = { goal_id, status: "dropped", reason: "we stay" } as const;
      const before = await project.position();
      await expect(project.endGoal(end)).rejects.toMatchObject({
        code: "dependencies-open",
        message: expect.stringContaining(outside) as string,
      });
      expect(await project.position()).toBe(before);
      await project.editTask({ task_id: outside, depends_on: [] });
      const from = await project.position();
      expect(await project.endGoal(end)).toMatchObject({ goal: { status: "dropped" }, dropped: [second, first] });
      const events: LedgerEvent[] = [];
      for await (const event of project.history({ after: from })) events.push(event);
      expect(
        events.map(({ event_type, data }) => [event_type, data["task_id"] ?? data["goal_id"], data["reason"]]),
      ).toEqual([
        ["goal_status_changed", goal_id, "we stay"],
        ["task_dropped", second, "we stay"],
        ["task_dropped", first, "we stay"],
      ]);
      expect(await project.endGoal(end)).toMatchObject({ already: true, dropped: [] });
      expect((await project.state()).finished).toEqual({ goals: 1, tasks: 0 });
      await project.setGoalStatus({ goal_id, status: "active" });
      expect((await project.state()).finished).toEqual({ goals: 0, tasks: 0 });
      expect((await project.verify()).damages).toEqual([]);
    });

    it("is nothing of a goal whose end was cut off by a kill, and the repetition of that call completes it", async () => {
      const { project, add } = await fresh();
      const { goal_id } = await project.createGoal({ text: "Move the office" });
      await add(goal_id, "first");
      const task_id = await add(goal_id, "second");
      const end = { goal_id, status: "failed", reason: "no office", command_id: "c" } as const;
      const { dropTask } = project;
      project.dropTask = () => Promise.reject(new Error("killed"));
      await expect(project.endGoal(end)).rejects.toThrow("killed");
      project.dropTask = dropTask;
      expect(await project.getNextStep()).toMatchObject({ kind: "propose_tasks", can_start: null });
      await expect(project.startTask({ task_id })).rejects.toMatchObject({ code: "goal-not-active" });
      expect((await project.endGoal(end)).dropped).toHaveLength(2);
      // The command is delivered once more, after somebody took the goal up again.
      await project.setGoalStatus({ goal_id, status: "active" });
      const third = await add(goal_id, "third");
      expect((await project.endGoal(end)).dropped).toEqual([]);
      expect((await project.state()).tasks).toHaveProperty(third);
    });

    it("is not what another one does, and a goal of which another one does a task does not end but by a person", async () => {
      const { a, b, person, add } = await fresh();
      const { goal_id } = await a.createGoal({ text: "g" });
      const [one, two] = [await add(goal_id, "one"), await add(goal_id, "two")];
      await a.startTask({ task_id: one });
      expect(await b.getNextStep()).toMatchObject({ task_id: two, can_start: { task_id: two } });
      expect((await b.activeWork()).held).toMatchObject([{ task_id: one, holder: { author: A } }]);
      const end = { goal_id, status: "dropped", reason: "not wanted" } as const;
      for (const refused of [
        () => b.startTask({ task_id: one }),
        () => b.completeTask({ task_id: one }),
        () => b.failTask({ task_id: one, reason: "r" }),
        () => b.dropTask({ task_id: one, reason: "r" }),
        () => b.updateTask({ task_id: one, status: "todo" }),
        () => b.updateCheckpoint({ task_id: one, where_we_left_off: "x", next_step: "y" }),
        () => b.endGoal(end),
      ])
        await expect(refused()).rejects.toMatchObject({
          code: "claim-held",
          message: expect.stringContaining('MCP client "A" holds it') as string,
        });
      expect((await person.endGoal(end)).dropped).toHaveLength(2);
      expect(await a.toldEnds()).toMatchObject([{ task_id: one, why: "person", to: null }]);
      expect(await a.toldEnds()).toEqual([]);
      expect(await b.toldEnds()).toEqual([]);
    });

    it("is what a person gives to an agent, and not to another one any more; both are told", async () => {
      const { a, b, person, add } = await fresh();
      const { goal_id } = await a.createGoal({ text: "g" });
      const task_id = await add(goal_id, "one");
      await a.startTask({ task_id });
      await person.giveTask(task_id, { author: B, session: null });
      expect(await b.getNextStep()).toMatchObject({ rule: "doing", task_id });
      await expect(a.completeTask({ task_id })).rejects.toMatchObject({ code: "claim-held" });
      expect(await a.toldEnds()).toMatchObject([{ task_id, isGiven: false }]);
      expect(await b.toldEnds()).toMatchObject([{ task_id, isGiven: true }]);
      expect(await person.giveTask(task_id, null)).toBe(true);
      expect(await person.giveTask(task_id, null)).toBe(false);
      expect(await a.startTask({ task_id })).toMatchObject({ status: "doing" });
    });

    it("that was given before it was begun stays its holder's through a checkpoint, until the holder gives it back", async () => {
      const { a, b, person, add } = await fresh();
      const { goal_id } = await a.createGoal({ text: "g" });
      const task_id = await add(goal_id, "one");
      await person.giveTask(task_id, { author: B, session: null });
      await b.updateCheckpoint({ task_id, where_we_left_off: "read it", next_step: "begin" });
      await person.updateCheckpoint({ task_id, where_we_left_off: "read it", next_step: "begin with the second part" });
      await expect(a.startTask({ task_id })).rejects.toMatchObject({ code: "claim-held" });
      await b.updateTask({ task_id, status: "todo" });
      expect(await a.startTask({ task_id })).toMatchObject({ status: "doing" });
    });

    it("is free again when its holder has made no call for long, by the store's clock, and both are told once", async () => {
      const { clock, a, b, add } = await fresh();
      const { goal_id } = await a.createGoal({ text: "g" });
      const task_id = await add(goal_id, "one");
      await a.startTask({ task_id });
      if ((await b.activeWork()).held[0]!.until === null) expect.fail("a claim of an agent without an end");
      if (title !== "SQLite") return;
      for (let call = 0; call < 5; call++) {
        clock.pass(10 * 60_000);
        await a.keepClaims();
      }
      await expect(b.startTask({ task_id })).rejects.toMatchObject({ code: "claim-held" });
      clock.pass(HOUR_MS);
      expect(await b.getNextStep()).toMatchObject({ task_id });
      await b.startTask({ task_id });
      await expect(a.completeTask({ task_id })).rejects.toMatchObject({ code: "claim-held" });
      for (const [who, isGiven] of [
        [a, false],
        [b, true],
      ] as const) {
        expect(await who.toldEnds()).toMatchObject([{ task_id, why: "unused", isGiven }]);
        expect(await who.toldEnds()).toEqual([]);
      }
    });
  });
}
