/** An agent that only does what it is told to do next, over sessions that end by kill -9. */
import { afterEach, expect, test } from "vitest";
import { AgentClient, cleanUp, newStoreFile } from "./client.ts";

afterEach(cleanUp);

/** For each task those that must be done before. */
const DEPENDS_ON = [[], [0], [0], [1, 2], [3], [3], [], [6], [4, 5, 7], [8], [8], [9, 10]];
const DEADLINE = 6;

test("twelve tasks are done by an agent that obeys: none of them waits for a blocked one, the urgent one comes first, and one that failed comes back", async () => {
  const args = ["--file", newStoreFile(), "--project", "p"];
  const start = (): Promise<AgentClient> => AgentClient.startWith({ name: "agent", args });
  let agent = await start();
  const { goal_id } = await agent.call("create_goal", { text: "Move the office", priority: 5 });
  const ids: unknown[] = [];
  for (const [at, before] of DEPENDS_ON.entries()) {
    const depends_on = before.map((one) => ids[one]);
    ids.push((await agent.call("add_task", { goal_id, title: `T${at}`, depends_on }))["task_id"]);
  }
  await agent.call("update_task", { task_id: ids[DEADLINE], due: "2026-11-26T18:00:00Z", retries: 1 });

  // The first task waits for a person: what is told is never that one, while another one can start.
  await agent.call("update_task", { task_id: ids[0], status: "blocked", why: "the landlord must answer" });
  for (let asked = 0; asked < 5; asked++)
    expect(await agent.call("get_work", { view: "next" })).toMatchObject({
      task_id: ids[DEADLINE],
      due: "2026-11-26T18:00:00.000Z",
      waits: { task_id: ids[0], blockers: ["the landlord must answer"] },
    });
  await agent.call("update_task", { task_id: ids[DEADLINE], status: "doing" });
  const failed = await agent.call("update_task", { task_id: ids[DEADLINE], status: "failed", why: "no van" });
  expect(failed).toMatchObject({ status: "todo", next: { task_id: ids[DEADLINE], failed_because: "no van" } });

  const order: number[] = [];
  for (let turn = 0; turn < 40; turn++) {
    if (turn === 2) await agent.call("update_task", { task_id: ids[0], status: "done", why: "answered" });
    const next = await agent.call("get_work", { view: "next" });
    expect(await agent.call("get_work", { view: "next" })).toEqual(next);
    if (next["kind"] !== "step") break;
    const { task_id } = next;
    // Nothing but what waits for a person is left.
    if (next["rule"] === "blocked") continue;
    await agent.call("update_task", { task_id, status: "doing" });
    if (turn % 2 === 1) {
      await agent.kill();
      agent = await start();
      expect(await agent.call("get_work", { view: "next" })).toMatchObject({ task_id, rule: "doing" });
    }
    await agent.call("update_task", { task_id, status: "done" });
    order.push(ids.indexOf(task_id));
  }
  expect(order.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(order[0]).toBe(DEADLINE);
  for (const [at, before] of DEPENDS_ON.entries())
    for (const one of before.filter((task) => task > 0)) expect(order.indexOf(one)).toBeLessThan(order.indexOf(at));
  expect(await agent.call("set_goal_status", { goal_id, status: "done" })).toMatchObject({ status: "done" });
});

test("a goal that is not wanted any more ends with its open tasks in one call", async () => {
  const agent = await AgentClient.startWith({ name: "agent", args: ["--file", newStoreFile(), "--project", "p"] });
  const { goal_id } = await agent.call("create_goal", { text: "Move the office" });
  for (const title of ["T0", "T1"]) await agent.call("add_task", { goal_id, title });
  expect(await agent.ask("set_goal_status", { goal_id, status: "dropped" })).toMatchObject({ code: "bad-input" });
  const end = { goal_id, status: "dropped", why: "we stay" };
  expect(await agent.call("set_goal_status", end)).toMatchObject({ status: "dropped", dropped_tasks: 2 });
  expect(await agent.call("set_goal_status", end)).toMatchObject({ status: "dropped", already: true });
  const { done } = await agent.call("get_work", { view: "done" });
  expect(done).toHaveLength(3);
  expect(done).toContainEqual(expect.objectContaining({ goal_id, status: "dropped", why: "we stay" }));
});
