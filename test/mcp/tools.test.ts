import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { AgentClient, cleanUp, MAIN, newStoreFile, serverEnvironment } from "./client.ts";

/** Serves all projects; each test has one of its own. */
let all: AgentClient;
const file = newStoreFile();
beforeAll(async () => {
  all = await AgentClient.start("--file", file);
});
afterAll(cleanUp);

const NAMES = [
  "create_goal",
  "set_goal_status",
  "add_task",
  "start_task",
  "pause_task",
  "block_task",
  "complete_task",
  "update_checkpoint",
  "get_next_step",
  "get_active_work",
  "begin_step",
  "complete_step",
  "fail_step",
  "resolve_step",
];

describe("the tools of the MCP server", () => {
  test("an agent that does not know a project's name beforehand is offered every tool with a project_id, and told which only read", async () => {
    const { tools } = await all.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    for (const { name, title, description, inputSchema, annotations } of tools) {
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(inputSchema.required, name).toContain("project_id");
      expect(Object.keys(inputSchema.properties!)[0], name).toBe("project_id");
      expect(description!.length, name).toBeGreaterThan(40);
      expect(annotations, name).toEqual({
        title,
        readOnlyHint: name.startsWith("get_"),
        idempotentHint: !["create_goal", "add_task", "begin_step"].includes(name),
        destructiveHint: false,
        openWorldHint: false,
      });
    }
    expect(all.client.getInstructions()).toMatch(/get_active_work/);
  });

  test("work goes from goal to done, and every answer is short and says what comes next", async () => {
    const agent = all.of("done");
    const { goal_id, status } = await agent.call("create_goal", { text: "Send the invoices", priority: 3 });
    expect(status).toBe("active");
    const { task_id: write } = await agent.call("add_task", {
      goal_id,
      title: "Write the template",
      acceptance_criteria: ["VAT is shown"],
    });
    const { task_id: send, depends_on } = await agent.call("add_task", {
      goal_id,
      title: "Send them",
      depends_on: [write],
    });
    expect(depends_on).toEqual([write]);
    expect(await agent.call("get_next_step")).toMatchObject({
      kind: "step",
      rule: "todo",
      task_id: write,
      next_step: "Write the template",
      next_step_from: "title",
      acceptance_criteria: ["VAT is shown"],
    });
    expect(await agent.call("start_task", { task_id: write })).toMatchObject({
      task_id: write,
      status: "doing",
      next: { rule: "doing", task_id: write },
    });
    expect(
      await agent.call("update_checkpoint", {
        task_id: write,
        where_we_left_off: "The header is done.",
        next_step: "Write the footer",
        needed_context_refs: ["template.typ"],
      }),
    ).toMatchObject({ task_id: write, next_step: "Write the footer" });
    expect(await agent.call("block_task", { task_id: write, blocker: "BIC unknown" })).toMatchObject({
      status: "blocked",
      blockers: ["BIC unknown"],
    });
    expect(await agent.call("get_active_work")).toMatchObject({
      project_id: "done",
      active_task: write,
      unresolved_blockers: [{ task_id: write, blocker: "BIC unknown" }],
      goals: [{ goal_id, text: "Send the invoices", priority: 3 }],
      tasks: [
        { task_id: write, status: "blocked" },
        { task_id: send, status: "todo" },
      ],
      next: {
        rule: "blocked",
        next_step: "Write the footer",
        where_we_left_off: "The header is done.",
        required_context_refs: ["template.typ"],
      },
    });
    expect(await agent.call("pause_task", { task_id: write, reason: "the bank is closed" })).toMatchObject({
      status: "todo",
    });
    await agent.call("start_task", { task_id: write });
    expect(await agent.call("complete_task", { task_id: write, evidence: "it renders" })).toMatchObject({
      status: "done",
      next: { rule: "todo", task_id: send },
    });
    expect(await agent.call("set_goal_status", { goal_id, status: "paused" })).toEqual({
      goal_id,
      status: "paused",
      next: { kind: "propose_tasks" },
    });
    // The store is its owner's alone.
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("an open project of hundreds of tasks does not fill the model's context", async () => {
    const agent = all.of("much");
    const { goal_id } = await agent.call("create_goal", { text: "much" });
    for (let at = 0; at < 60; at++) await agent.call("add_task", { goal_id, title: `task ${at}` });
    const { tasks, more } = await agent.call("get_active_work");
    expect(tasks).toHaveLength(20);
    expect(more).toBe(40);
  });

  test("a step that is completed is not done again, one that failed may be", async () => {
    const agent = all.of("steps");
    await agent.call("create_goal", { text: "g" });
    const step = { step_id: "send-1", step_type: "non_idempotent", idempotency_key: "inv-1" };
    expect(await agent.call("begin_step", step)).toEqual({
      status: "run",
      step_id: "send-1",
      attempt_id: 1,
      idempotency_key: "inv-1",
      fencing_token: 1,
    });
    expect(await agent.call("fail_step", { step_id: "send-1", attempt_id: 1, error: "no network" })).toEqual({
      step_id: "send-1",
      attempt_id: 1,
      status: "failed",
    });
    expect(await agent.call("begin_step", step)).toMatchObject({
      status: "run",
      attempt_id: 2,
      earlier_attempts: 1,
      advice: expect.stringContaining("look whether it acted") as string,
    });
    expect(await agent.ask("begin_step", step)).toMatchObject({ isError: true, code: "step-open" });
    expect(await agent.call("complete_step", { step_id: "send-1", attempt_id: 2, result: "sent" })).toEqual({
      step_id: "send-1",
      attempt_id: 2,
      status: "completed",
    });
    expect(await agent.call("complete_step", { step_id: "send-1", attempt_id: 2, result: "sent" })).toMatchObject({
      duplicate: true,
    });
    expect(await agent.call("begin_step", step)).toEqual({
      status: "completed",
      step_id: "send-1",
      attempt_id: 2,
      result: "sent",
    });
  });
});

describe("a step that may have run, over MCP", () => {
  test("is shown with type, key and input, and resolved by another client", async () => {
    const agent = all.of("resolved");
    await agent.call("create_goal", { text: "Pay the plumber" });
    const pay = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "invoice-17", input: "900 EUR" };
    await agent.call("begin_step", pay);
    const shown = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "invoice-17", input: '"900 EUR"' };
    expect((await agent.call("get_active_work", {}))["open_steps"]).toMatchObject([shown]);
    expect((await agent.call("get_next_step", {}))["open_steps"]).toMatchObject([shown]);
    const found = { step_id: "pay", attempt_id: 1, outcome: "completed", reason: "the bank says so", result: "id 7" };
    expect(await agent.call("resolve_step", found)).toEqual({ step_id: "pay", attempt_id: 1, outcome: "completed" });
    expect(await agent.call("begin_step", pay)).toMatchObject({ status: "completed", result: "id 7" });
    expect(await agent.call("get_active_work", {})).not.toHaveProperty("open_steps");
  });
});

describe("what the MCP server refuses", () => {
  test("a refusal is an answer the model can read and act on, and nothing is written", async () => {
    const agent = all.of("refused");
    const { goal_id } = await agent.call("create_goal", { text: "g" });
    const { task_id: first } = await agent.call("add_task", { goal_id, title: "first" });
    const { task_id: second } = await agent.call("add_task", { goal_id, title: "second", depends_on: [first] });
    const cases: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
      ["start_task", { task_id: "nonsense" }, "not-found", /Open ones: .*first/],
      ["start_task", { task_id: second }, "dependencies-open", /"first"\) is todo/],
      ["complete_task", { task_id: first }, "invalid-transition", /to be doing.*it is todo/],
      ["set_goal_status", { goal_id, status: "done" }, "tasks-open", /first/],
      ["create_goal", { txt: "x" }, "bad-input", /create_goal\(text, priority\?, command_id\?\)/],
      ["get_next_step", { now: true }, "bad-input", /now/],
      ["begin_step", { step_id: "s", step_type: "non_idempotent" }, "idempotency-key-required", /idempotency_key/],
      ["begin_step", { step_id: "s" }, "bad-input", /step_type/],
      ["complete_step", { step_id: "s", attempt_id: 1 }, "step-not-started", /Begin the step first/],
    ];
    const before = await agent.call("get_active_work");
    for (const [name, input, code, message] of cases) {
      const answer = await agent.ask(name, input);
      expect(answer, name).toMatchObject({ isError: true, code });
      expect(answer.text, name).toMatch(message);
    }
    expect(await agent.call("get_active_work")).toEqual(before);
  });

  test("a tool that is not there is the protocol's error, and the server goes on", async () => {
    await expect(all.ask("drop_everything")).rejects.toThrow(/expected one of the tools create_goal/);
    expect((await all.client.listTools()).tools).toHaveLength(NAMES.length);
  });

  test("a slip in a project's name makes no project, and the right names are told", async () => {
    const store = newStoreFile();
    const agent = await AgentClient.start("--file", store);
    expect(await agent.ask("get_active_work", { project_id: "invoices" })).toMatchObject({
      isError: true,
      code: "not-found",
      text: expect.stringContaining("Nothing is recorded yet") as string,
    });
    await agent.call("create_goal", { project_id: "invoices", text: "g" });
    for (const name of ["get_active_work", "get_next_step"]) {
      expect(await agent.ask(name, { project_id: "invoces" }), name).toMatchObject({
        isError: true,
        code: "not-found",
        text: expect.stringContaining("Recorded projects: invoices") as string,
      });
    }
    expect(await agent.ask("get_next_step", {})).toMatchObject({ isError: true, code: "bad-input" });
    expect((await agent.client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      "continuity://invoices/where-were-we",
    ]);
  });

  test("a server for one project reaches no other one, by no tool, prompt or resource", async () => {
    const { goal_id } = await all.call("create_goal", { project_id: "secret", text: "the secret goal" });
    const { task_id } = await all.call("add_task", { project_id: "secret", goal_id, title: "the secret task" });
    const one = await AgentClient.start("--file", file, "--project", "mine");
    const told = [
      await one.ask("start_task", { task_id }),
      await one.ask("get_active_work"),
      await one.ask("get_active_work", { project_id: "secret" }),
      (await one.client.listResources()).resources,
      (await one.client.listResourceTemplates()).resourceTemplates,
      (await one.client.getPrompt({ name: "where_were_we", arguments: { project_id: "secret" } })).messages,
    ];
    await expect(one.client.readResource({ uri: "continuity://secret/where-were-we" })).rejects.toThrow(
      "expected a resource continuity://mine/where-were-we",
    );
    expect(JSON.stringify(told)).not.toMatch(/secret (?:goal|task)/);
    expect((await one.client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      "continuity://mine/where-were-we",
    ]);
    expect(await one.ask("get_next_step", { project_id: "secret" })).toMatchObject({
      isError: true,
      code: "bad-input",
    });
    expect(
      (await one.client.listTools()).tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})),
    ).not.toContain("project_id");
  });

  test("a file of another program is refused at the start in words, and nothing goes to standard output", async () => {
    const foreign = newStoreFile();
    mkdirSync(dirname(foreign));
    const database = new DatabaseSync(foreign);
    database.exec("CREATE TABLE t (a); PRAGMA user_version = 7");
    database.close();
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, "continuity", "mcp", "--file", foreign], {
      env: serverEnvironment(),
      encoding: "utf8",
      input: "",
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("refused (foreign)");
    expect(existsSync(`${foreign}-wal`)).toBe(false);
  });
});

describe("where were we", () => {
  test("prompt and resource hold the recorded next step, for a conversation that begins anew", async () => {
    const agent = all;
    const project_id = "my agent\n/../é?";
    const { goal_id } = await agent.call("create_goal", { project_id, text: "Send the invoices" });
    const { task_id } = await agent.call("add_task", { project_id, goal_id, title: "Write the template" });
    await agent.call("start_task", { project_id, task_id });
    await agent.call("update_checkpoint", {
      project_id,
      task_id,
      where_we_left_off: "The header is done.",
      next_step: "Write the footer",
    });

    const next = await AgentClient.start("--file", file);
    expect((await next.client.listPrompts()).prompts).toMatchObject([
      { name: "where_were_we", arguments: [{ name: "project_id", required: true }] },
    ]);
    const { messages } = await next.client.getPrompt({ name: "where_were_we", arguments: { project_id } });
    expect(messages).toMatchObject([{ role: "user", content: { type: "text" } }]);
    expect(JSON.stringify(messages)).toMatch(
      /Where we left off: \\"The header is done\.\\".*Next step: \\"Write the footer\\"/,
    );
    const { resources } = await next.client.listResources();
    const { contents } = await next.client.readResource({
      uri: resources.find(({ name }) => name === String.raw`where we were: "my agent\n/../é?"`)!.uri,
    });
    expect(JSON.stringify(contents)).toContain(String.raw`Next step: \"Write the footer\"`);
    expect((await next.client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: "continuity://{project_id}/where-were-we" },
    ]);
    await expect(next.client.readResource({ uri: "continuity://%E0%A4%A/where-were-we" })).rejects.toThrow(
      /expected a resource/,
    );
    await expect(next.client.getPrompt({ name: "where_were_we", arguments: { project_id: "none" } })).rejects.toThrow(
      /Recorded projects/,
    );
    await expect(next.client.getPrompt({ name: "other" })).rejects.toThrow(/expected the prompt where_were_we/);
  });

  test("work that has rested for days is asked about and not gone on with", async () => {
    const continuity = new Continuity({
      store: openSqliteStore({ file }),
      now: () => Date.now() - 3 * 24 * 60 * 60 * 1000,
    });
    const project = await continuity.project("old");
    const { goal_id } = await project.createGoal({ text: "g" });
    await project.addTask({ goal_id, title: "old" });
    await continuity.close();
    const agent = await AgentClient.start("--file", file, "--project", "old");
    for (const name of ["get_next_step", "get_active_work"])
      expect(await agent.call(name), name).toMatchObject({
        ask_first: expect.stringContaining("ask whether to continue") as string,
      });
    // Only reading it makes it no younger.
    expect(JSON.stringify(await agent.client.getPrompt({ name: "where_were_we" }))).toContain("do NOT continue it");
    await agent.call("add_task", { goal_id, title: "new" });
    expect(await agent.call("get_next_step")).not.toHaveProperty("ask_first");
  });
});
