import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FORMER_NAMES } from "../../src/continuity-tools/index.ts";
import { AgentClient, cleanUp, newStoreFile } from "./client.ts";

let agent: AgentClient;
beforeAll(async () => {
  agent = await AgentClient.start("--file", newStoreFile(), "--project", "p");
});
afterAll(cleanUp);

describe("a client that was written for the tools of the version before", () => {
  test("is not offered them, and goes on by their names, inputs and answers; each says once what takes its place", async () => {
    const { tools } = await agent.client.listTools();
    const former = Object.keys(FORMER_NAMES);
    expect(tools.map(({ name }) => name).filter((name) => former.includes(name))).toEqual([]);

    const twice = { text: "Send the invoices", priority: 3, command_id: "goal-1" };
    const { goal_id } = await agent.call("create_goal", twice);
    expect(await agent.call("create_goal", twice)).toEqual({ goal_id, status: "active", priority: 3 });
    const { task_id } = await agent.call("add_task", { goal_id, title: "Write", command_id: "task-1" });
    expect(await agent.call("start_task", { task_id, command_id: "start-1" })).toMatchObject({
      task_id,
      status: "doing",
      next: { rule: "doing" },
      renamed: "start_task is now update_task with status doing; this name goes with the next version.",
    });
    expect(await agent.call("start_task", { task_id, command_id: "start-1" })).not.toHaveProperty("renamed");
    expect(await agent.ask("start_task", { task_id })).toMatchObject({ isError: true, code: "invalid-transition" });
    const stand = { task_id, where_we_left_off: "w", next_step: "n", blockers: ["BIC unknown"] };
    expect(await agent.call("update_checkpoint", stand)).toMatchObject({
      task_id,
      next_step: "n",
      timestamp: expect.stringMatching(/Z$/) as string,
    });
    expect(await agent.call("block_task", { task_id, blocker: "b" })).toMatchObject({ blockers: ["b"] });
    expect(await agent.call("pause_task", { task_id, reason: "r" })).toMatchObject({ status: "todo" });
    expect(await agent.call("get_next_step")).toMatchObject({ kind: "step", rule: "todo", next_step: "n" });

    const step = { step_id: "send", step_type: "non_idempotent", idempotency_key: "k" };
    expect(await agent.call("begin_step", step)).toMatchObject({ status: "run", attempt_id: 1, fencing_token: 1 });
    expect(await agent.call("fail_step", { step_id: "send", attempt_id: 1, error: "e" })).toMatchObject({
      status: "failed",
    });
    await agent.call("begin_step", step);
    const found = { step_id: "send", attempt_id: 2, outcome: "not_done", reason: "looked" };
    expect(await agent.call("resolve_step", found)).toMatchObject({ outcome: "not_done" });
    await agent.call("begin_step", step);
    expect(await agent.call("complete_step", { step_id: "send", attempt_id: 3, result: "x" })).toMatchObject({
      status: "completed",
    });
    expect(await agent.call("complete_step", { step_id: "send", attempt_id: 3, result: "x" })).toMatchObject({
      duplicate: true,
    });

    await agent.call("start_task", { task_id });
    expect(await agent.call("complete_task", { task_id, evidence: "e" })).toMatchObject({ status: "done" });
    expect(await agent.call("set_goal_status", { goal_id, status: "done", command_id: "close-1" })).toMatchObject({
      status: "done",
    });
    expect(await agent.call("get_active_work")).toMatchObject({ project_id: "p", next: { kind: "propose_tasks" } });
  });
});
