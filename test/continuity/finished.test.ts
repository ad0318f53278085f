import { describe, expect, it } from "vitest";
import { authorBy, Continuity, type Project } from "../../src/continuity/index.ts";
import { kinds } from "./places.ts";

/** Work with one finished task under a goal that goes on. */
async function oneDone(project: Project): Promise<{ goal_id: string; done: string }> {
  const { goal_id } = await project.createGoal({ text: "Move the site" });
  const { task_id: done } = await project.addTask({ goal_id, title: "Move the pictures", command_id: "add" });
  await project.startTask({ task_id: done });
  await project.updateCheckpoint({ task_id: done, where_we_left_off: "Half are copied.", next_step: "Copy the rest" });
  const finished = await project.completeTask({ task_id: done, evidence: "412 files" });
  expect(finished).toMatchObject({ title: "Move the pictures", status: "done", evidence: "412 files" });
  return { goal_id, done };
}

describe.each(kinds())("finished work on $title", ({ skip, place }) => {
  it.skipIf(skip)("leaves the state, so that each command costs the same however much was done before", async () => {
    const project = await new Continuity({ store: await (await place()).open() }).project("site");
    const { goal_id, done } = await oneDone(project);
    await project.setGoalStatus({ goal_id, status: "done" });
    const state = await project.state();
    expect([state.goals, state.tasks, state.checkpoints]).toEqual([{}, {}, {}]);
    expect(state.finished).toEqual({ goals: 1, tasks: 1 });
    const last = await project.finished([goal_id, done, "nothing"]);
    expect(last.goals[goal_id]).toMatchObject({ text: "Move the site", status: "done" });
    expect(last.tasks[done]).toMatchObject({ evidence: "412 files", status: "done" });
    expect(last.checkpoints[done]).toMatchObject({ next_step: "Copy the rest" });
  });

  it.skipIf(skip)("is reopened as it was, also by another process and author", async () => {
    const spot = await place();
    const project = await new Continuity({ store: await spot.open() }).project("site");
    const { goal_id, done } = await oneDone(project);
    await project.setGoalStatus({ goal_id, status: "done" });
    const other = (await new Continuity({ store: await spot.open() }).project("site")).as(authorBy("mcp", "editor"));
    await expect(other.startTask({ task_id: done })).rejects.toMatchObject({ code: "goal-not-active" });
    await expect(other.addTask({ goal_id, title: "More" })).rejects.toMatchObject({ code: "goal-not-active" });
    expect(await other.setGoalStatus({ goal_id, status: "active" })).toMatchObject({ text: "Move the site" });
    expect(await other.startTask({ task_id: done })).toMatchObject({
      title: "Move the pictures",
      status: "doing",
      evidence: null,
    });
    expect(await other.getNextStep()).toMatchObject({ task_id: done, next_step: "Copy the rest" });
    expect((await other.state()).finished).toEqual({ goals: 0, tasks: 0 });
    expect((await project.verify()).damages).toEqual([]);
  });

  it.skipIf(skip)("is refused with its name and status, not as unknown", async () => {
    const project = await new Continuity({ store: await (await place()).open() }).project("site");
    const { done } = await oneDone(project);
    const handle = { task_id: done, where_we_left_off: "x", next_step: "y" };
    for (const refused of [
      project.completeTask({ task_id: done }),
      project.pauseTask({ task_id: done }),
      project.blockTask({ task_id: done, blocker: "rain" }),
      project.updateCheckpoint(handle),
    ])
      await expect(refused).rejects.toMatchObject({
        code: "invalid-transition",
        message: expect.stringMatching(/Move the pictures.* done/),
      });
  });

  it.skipIf(skip)("satisfies those that depend on it, until it is reopened", async () => {
    const project = await new Continuity({ store: await (await place()).open() }).project("site");
    const { goal_id, done } = await oneDone(project);
    const { task_id } = await project.addTask({ goal_id, title: "Tell the users", depends_on: [done] });
    expect(await project.getNextStep()).toMatchObject({ task_id, rule: "todo" });
    await project.startTask({ task_id: done });
    await expect(project.startTask({ task_id })).rejects.toMatchObject({ code: "dependencies-open" });
    await project.completeTask({ task_id: done });
    expect(await project.startTask({ task_id })).toMatchObject({ status: "doing", depends_on: [done] });
  });

  it.skipIf(skip)("answers a command that is delivered again after it", async () => {
    const project = await new Continuity({ store: await (await place()).open() }).project("site");
    const { goal_id, done } = await oneDone(project);
    const again = await project.addTask({ goal_id, title: "Move the pictures", command_id: "add" });
    expect(again).toMatchObject({ task_id: done, status: "done" });
  });
});
