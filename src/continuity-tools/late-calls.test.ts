import { afterAll, expect, test } from "vitest";
import { Continuity, openSqliteStore, type Project } from "../continuity/index.ts";
import { workTools } from "./index.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
let clock = Date.parse("2026-11-20T10:00:00Z");
const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }), now: () => (clock += 1000) });
afterAll(() => continuity.close());
const tools = new Map(workTools({ now: () => clock }).map((tool) => [tool.name, tool]));

async function openAgent(name: string): Promise<{
  readonly project: Project;
  readonly call: (tool: string, input: object) => Promise<Record<string, unknown>>;
}> {
  const project = (await continuity.project(name)).as({ entry: "mcp", name: "editor" });
  const call = async (tool: string, input: object): Promise<Record<string, unknown>> =>
    (await tools.get(tool)!.run(project, input)) as Record<string, unknown>;
  return { project, call };
}

test("a create_goal whose answer was lost makes no second goal when it is repeated after the first one is done", async () => {
  const { project, call } = await openAgent("goal");
  const goal = { text: "Send the invoices", priority: 4 };
  const { goal_id } = await call("create_goal", goal);
  await call("set_goal_status", { goal_id, status: "done" });
  for (let at = 0; at < 30; at++) await call("create_goal", { text: `another ${at}` });
  const events = await project.position();
  expect(await call("create_goal", goal)).toMatchObject({ goal_id, status: "done", priority: 4, already: true });
  expect(await project.position()).toBe(events);

  // Taken up again, it is the open one.
  await call("set_goal_status", { goal_id, status: "active" });
  expect(await call("create_goal", goal)).toMatchObject({ goal_id, status: "active", already: true });
  await call("set_goal_status", { goal_id, status: "done" });

  // Next month's invoices are another goal.
  clock += DAY_MS;
  const next = await call("create_goal", goal);
  expect(next).not.toHaveProperty("already");
  expect(next["goal_id"]).not.toBe(goal_id);
});

test("the same holds for add_task, of tasks with the same words and the same goal", async () => {
  const { call } = await openAgent("task");
  const { goal_id } = await call("create_goal", { text: "g" });
  const task = { goal_id, title: "Write", acceptance_criteria: ["VAT"] };
  const { task_id } = await call("add_task", task);
  await call("update_task", { task_id, status: "done", why: "it renders" });
  expect(await call("add_task", task)).toMatchObject({ task_id, status: "done", already: true });
  const other = await call("add_task", { ...task, acceptance_criteria: ["VAT", "BIC"] });
  expect(other).not.toHaveProperty("already");
  // One that was dropped was not done.
  await call("update_task", { task_id: other["task_id"], status: "dropped", why: "not wanted" });
  const third = await call("add_task", { ...task, acceptance_criteria: ["VAT", "BIC"] });
  expect(third).not.toHaveProperty("already");
  clock += DAY_MS;
  expect(await call("add_task", task)).not.toHaveProperty("already");
});
