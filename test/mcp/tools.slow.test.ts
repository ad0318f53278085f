import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { AgentClient, cleanUp, newStoreFile, serverEnvironment } from "./client.ts";

/** Serves all projects; each test has one of its own. */
let all: AgentClient;
const file = newStoreFile();
beforeAll(async () => {
  all = await AgentClient.start("--file", file);
});
afterAll(cleanUp);

const NAMES = ["get_work", "create_goal", "add_task", "update_task", "set_goal_status", "step"];

describe("the tools of the MCP server", () => {
  test("an agent that does not know a project's name beforehand is offered every tool with a project_id, and told which only read", async () => {
    const { tools } = await all.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    for (const { name, title, description, inputSchema, annotations } of tools) {
      expect(inputSchema, name).toMatchObject({ type: "object" });
      expect(inputSchema.required, name).toContain("project_id");
      expect(Object.keys(inputSchema.properties!)[0], name).toBe("project_id");
      expect(title!.length, name).toBeGreaterThan(5);
      expect(description!.length, name).toBeGreaterThan(20);
      expect(annotations, name).toEqual({
        readOnlyHint: name === "get_work",
        idempotentHint: true,
        destructiveHint: false,
        openWorldHint: false,
      });
    }
    expect(all.client.getInstructions()).toMatch(/get_work/);
  });

  test("work goes from goal to done, and every answer is short and says what comes next", async () => {
    const agent = all.inProject("done");
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
    expect(await agent.call("get_work", { view: "next" })).toMatchObject({
      kind: "step",
      rule: "todo",
      task_id: write,
      next_step: "Write the template",
      next_step_from: "title",
      acceptance_criteria: ["VAT is shown"],
    });
    expect(await agent.call("update_task", { task_id: write, status: "doing" })).toMatchObject({
      task_id: write,
      status: "doing",
      next: { rule: "doing", task_id: write },
    });
    expect(
      await agent.call("update_task", {
        task_id: write,
        where_we_left_off: "The header is done.",
        next_step: "Write the footer",
        needed_context_refs: ["template.typ"],
      }),
    ).toEqual({ task_id: write, status: "doing" });
    expect(await agent.call("update_task", { task_id: write, status: "blocked", why: "BIC unknown" })).toMatchObject({
      status: "blocked",
      next: { rule: "blocked", blockers: ["BIC unknown"], next_step: "Write the footer" },
    });
    expect(await agent.call("get_work")).toMatchObject({
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
    const closed = { status: "todo", why: "the bank is closed" };
    expect(await agent.call("update_task", { task_id: write, ...closed })).toMatchObject({ status: "todo" });
    expect(await agent.call("update_task", { task_id: write, status: "done", why: "it renders" })).toMatchObject({
      status: "done",
      next: { rule: "todo", task_id: send },
    });
    expect(await agent.call("set_goal_status", { goal_id, status: "paused", priority: 4 })).toEqual({
      goal_id,
      status: "paused",
      priority: 4,
      next: { kind: "propose_tasks", note: expect.stringContaining("Propose tasks to the user") as string },
    });
    // The store is its owner's alone.
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("an open project of hundreds of tasks does not fill the model's context, and the rest can be asked for", async () => {
    const agent = all.inProject("much");
    const { goal_id } = await agent.call("create_goal", { text: "much" });
    for (let at = 0; at < 60; at++) await agent.call("add_task", { goal_id, title: `task ${at}` });
    const { tasks, more } = await agent.call("get_work");
    expect(tasks).toHaveLength(20);
    expect(more).toBe(40);
    const rest = (await agent.call("get_work", { offset: 40 }))["tasks"] as { title: string }[];
    expect(rest.map(({ title }) => title)).toEqual(Array.from({ length: 20 }, (_, at) => `task ${40 + at}`));
  });

  test("a step that is completed is not done again, one that failed may be", async () => {
    const agent = all.inProject("steps");
    await agent.call("create_goal", { text: "g" });
    const begin = {
      action: "begin",
      step_id: "send-1",
      idempotency_key: "inv-1",
      input: "to Ada",
    };
    expect(await agent.call("step", begin)).toEqual({
      status: "run",
      step_id: "send-1",
      attempt_id: 1,
      idempotency_key: "inv-1",
    });
    const failed = { action: "fail", step_id: "send-1", attempt_id: 1, why: "no network" };
    expect(await agent.call("step", failed)).toEqual({ step_id: "send-1", attempt_id: 1, status: "failed" });
    expect(await agent.call("step", failed)).toMatchObject({ status: "failed", already: true });
    expect(await agent.call("step", begin)).toMatchObject({
      status: "run",
      attempt_id: 2,
      earlier_attempts: 1,
    });
    // An answer that was lost and asked for again: no second attempt, and the number of the first one.
    expect(await agent.call("step", begin)).toMatchObject({
      status: "open",
      already: true,
      attempt_id: 2,
      note: expect.stringContaining("If you do not know, do not act") as string,
    });
    const completed = { action: "complete", step_id: "send-1", attempt_id: 2, result: "sent" };
    expect(await agent.call("step", completed)).toEqual({ step_id: "send-1", attempt_id: 2, status: "completed" });
    expect(await agent.call("step", completed)).toMatchObject({ status: "completed", already: true });
    expect(await agent.ask("step", { ...completed, result: "sent twice" })).toMatchObject({
      isError: true,
      code: "step-not-started",
      text: expect.stringMatching(
        /was completed 2.*with another result.*Begin the step with the same fields/,
      ) as string,
    });
    expect(await agent.call("step", begin)).toEqual({
      status: "completed",
      step_id: "send-1",
      attempt_id: 2,
      result: "sent",
    });
  });

  test("one character that has changed in a step is told apart from another step, with what is recorded and what to do", async () => {
    const agent = all.inProject("changed");
    await agent.call("create_goal", { text: "g" });
    const begin = {
      action: "begin",
      step_id: "pay",
      idempotency_key: "17",
      input: "900 EUR",
    };
    await agent.call("step", begin);
    for (const change of [{ input: "900 EUR " }, { idempotency_key: "18" }])
      expect(await agent.ask("step", { ...begin, ...change }), JSON.stringify(change)).toMatchObject({
        isError: true,
        code: "step-mismatch",
        text: expect.stringMatching(
          /key "17", input "\\"900 EUR\\"".*may have acted.*tool step \(action resolve\).*the same action under another step_id happens twice/,
        ) as string,
      });
  });
});

describe("a call that is repeated", () => {
  test("is a success that says so, and changes nothing", async () => {
    const agent = all.inProject("again");
    const goal = { text: "Send the invoices" };
    const { goal_id } = await agent.call("create_goal", goal);
    expect(await agent.call("create_goal", goal)).toMatchObject({ goal_id, status: "active", already: true });
    const task = { goal_id, title: "Write", acceptance_criteria: ["VAT"] };
    const { task_id } = await agent.call("add_task", task);
    expect(await agent.call("add_task", task)).toMatchObject({ task_id, status: "todo", already: true });
    for (const update of [
      { status: "doing" },
      { where_we_left_off: "w", next_step: "n" },
      { status: "blocked", why: "no BIC" },
      { status: "done", why: "it renders", title: "Write it" },
    ]) {
      const first = await agent.call("update_task", { task_id, ...update });
      expect(first).not.toHaveProperty("already");
      const { seq } = await agent.call("get_work");
      // Of a task that is done the title cannot be edited, so the repetition is of the status alone.
      const { title: _, ...again } = update as Record<string, unknown>;
      expect(await agent.call("update_task", { task_id, ...again }), JSON.stringify(update)).toEqual({
        ...first,
        already: true,
      });
      expect(await agent.call("get_work")).toMatchObject({ seq });
    }
    const { task_id: unwanted } = await agent.call("add_task", { goal_id, title: "Fax them" });
    const drop = { task_id: unwanted, status: "dropped", why: "nobody has a fax" };
    expect(await agent.call("update_task", drop)).toMatchObject({ status: "dropped" });
    expect(await agent.call("update_task", drop)).toMatchObject({ status: "dropped", already: true });
    expect(await agent.call("set_goal_status", { goal_id, status: "done" })).not.toHaveProperty("already");
    expect(await agent.call("set_goal_status", { goal_id, status: "done" })).toMatchObject({ already: true });
    // A call whose answer was lost comes late: the goal that it created is done by now.
    expect(await agent.call("create_goal", goal)).toMatchObject({ goal_id, status: "done", already: true });
  });

  test("with the same title for other work is a second task, which names the first one", async () => {
    const agent = all.inProject("alike");
    const { goal_id } = await agent.call("create_goal", { text: "g" });
    const { task_id: first } = await agent.call("add_task", { goal_id, title: "Run the tests" });
    expect(
      await agent.call("add_task", { goal_id, title: "Run the tests", acceptance_criteria: ["on Windows"] }),
    ).toMatchObject({ status: "todo", same_title: [first], note: expect.stringContaining("same work") as string });
  });

  test("of another client's goal or task is that one, with whose words they are", async () => {
    const store = newStoreFile();
    const [one, two] = [
      await AgentClient.startWith({ name: "one", args: ["--file", store, "--project", "p"] }),
      await AgentClient.startWith({ name: "two", args: ["--file", store, "--project", "p"] }),
    ];
    const goals = await Promise.all([one, two, one, two].map((agent) => agent.call("create_goal", { text: "g" })));
    expect(new Set(goals.map(({ goal_id }) => goal_id)).size).toBe(1);
    expect(goals.filter(({ already }) => already !== true)).toHaveLength(1);
    expect(JSON.stringify(goals)).toMatch(/"written_by":\{"text":"MCP client \\"(?:one|two)\\""\}/);
  });
});

describe("a step that may have run, over MCP", () => {
  test("is shown with type, key and input and who has the lease, and resolved by another client", async () => {
    const agent = all.inProject("resolved");
    const { goal_id } = await agent.call("create_goal", { text: "Pay the plumber" });
    const { task_id } = await agent.call("add_task", { goal_id, title: "Pay" });
    const pay = {
      step_id: "pay",
      idempotency_key: "invoice-17",
      input: "900 EUR",
      task_id,
    };
    await agent.call("step", { action: "begin", ...pay });
    const shown = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "invoice-17", input: '"900 EUR"' };
    expect(await agent.call("get_work")).toMatchObject({ open_steps: [shown] });
    expect(await agent.call("get_work", { view: "next" })).toMatchObject({ open_steps: [shown] });
    expect(await agent.call("get_work", { view: "steps" })).toMatchObject({
      open_steps: [shown],
      lease: { owner: expect.stringContaining("/") as string, until: expect.stringMatching(/Z$/) as string },
    });
    // A task that is dropped takes none of its steps with it.
    expect(await agent.call("update_task", { task_id, status: "dropped", why: "paid in cash" })).toMatchObject({
      open_steps: ["pay"],
      note: expect.stringContaining("may have run") as string,
    });
    // Nor does a step begin under a task that is not wanted.
    expect(
      await agent.ask("step", { action: "begin", ...pay, step_id: "pay-2", idempotency_key: "invoice-18" }),
    ).toMatchObject({ isError: true, text: expect.stringMatching(/was dropped .*: "paid in cash"/) as string });
    const found = {
      action: "resolve",
      step_id: "pay",
      attempt_id: 1,
      outcome: "completed",
      why: "the bank",
      result: "id 7",
    };
    expect(await agent.call("step", found)).toEqual({ step_id: "pay", attempt_id: 1, status: "completed" });
    expect(await agent.call("step", found)).toMatchObject({ status: "completed", already: true });
    expect(await agent.call("step", { action: "begin", ...pay })).toMatchObject({
      status: "completed",
      result: "id 7",
    });
    expect(await agent.call("get_work")).not.toHaveProperty("open_steps");
  });
});

describe("what the MCP server refuses", () => {
  test("a refusal is an answer the model can read and act on, and nothing is written", async () => {
    const agent = all.inProject("refused");
    const { goal_id } = await agent.call("create_goal", { text: "g" });
    const { task_id: first } = await agent.call("add_task", { goal_id, title: "first" });
    const { task_id: second } = await agent.call("add_task", { goal_id, title: "second", depends_on: [first] });
    const cases: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
      ["update_task", { task_id: "nonsense", status: "doing" }, "not-found", /Open ones: .*first/],
      ["update_task", { task_id: second, status: "done" }, "dependencies-open", /"first"\) is todo/],
      ["update_task", { task_id: first, status: "dropped", why: "w" }, "dependencies-open", /Edit depends_on/],
      ["update_task", { task_id: first, status: "dropped" }, "bad-input", /why: the reason/],
      ["update_task", { task_id: first, status: "blocked" }, "bad-input", /why: what the task waits for/],
      ["update_task", { task_id: first, status: "finished" }, "bad-input", /todo, doing, blocked/],
      ["update_task", { task_id: first, next_step: "n" }, "bad-input", /where_we_left_off and next_step together/],
      [
        "update_task",
        { task_id: first, depends_on: [second] },
        "dependencies-open",
        /waits for.*Leave that dependency out/,
      ],
      ["update_task", { task_id: first }, "bad-input", /a status, a checkpoint/],
      ["set_goal_status", { goal_id, status: "done" }, "tasks-open", /first.*or drop/],
      ["set_goal_status", { goal_id }, "bad-input", /a status, text or priority/],
      ["create_goal", { txt: "x" }, "bad-input", /create_goal\(text, priority\?\)/],
      ["create_goal", { text: "x".repeat(2001) }, "bad-input", /\/text must not have more than 2000 characters/],
      ["get_work", { now: true }, "bad-input", /now/],
      ["get_work", { task_id: "none" }, "not-found", /Open ones/],
      ["get_work", { view: "changes", since: "last week" }, "bad-input", /seq of an earlier answer.*ISO time/],
      [
        "step",
        { action: "begin", step_id: "s" },
        "bad-input",
        /step with action begin\(action, step_id, idempotency_key/,
      ],
      [
        "step",
        { action: "begin", step_id: "s", idempotency_key: "k", step_type: "pure" },
        "bad-input",
        /idempotency_key\?, input\?/,
      ],
      ["step", { action: "complete", step_id: "s" }, "bad-input", /attempt_id/],
      ["step", { action: "complete", step_id: "s", attempt_id: 1 }, "step-not-started", /Begin the step first/],
      ["step", { action: "fail", step_id: "s", attempt_id: 1, why: "w" }, "step-not-started", /Begin the step first/],
      ["step", { action: "do", step_id: "s" }, "bad-input", /action/],
    ];
    const before = await agent.call("get_work");
    for (const [name, input, code, message] of cases) {
      const answer = await agent.ask(name, input);
      expect(answer, name).toMatchObject({ isError: true, code });
      expect(answer.text, name).toMatch(message);
    }
    // Only a lease was acquired.
    expect(await agent.call("get_work")).toEqual({ ...before, seq: Number(before["seq"]) + 1 });
    expect(await agent.call("get_work", { since: String(before["seq"]) })).toMatchObject({ changes: [] });
  });

  test("a tool that is not there is the protocol's error, and the server goes on", async () => {
    await expect(all.ask("drop_everything")).rejects.toThrow(/expected one of the tools get_work/);
    expect((await all.client.listTools()).tools).toHaveLength(NAMES.length);
  });

  test("a slip in a project's name makes no project, and the right names are told", async () => {
    const store = newStoreFile();
    const agent = await AgentClient.start("--file", store);
    expect(await agent.ask("get_work", { project_id: "invoices" })).toMatchObject({
      isError: true,
      code: "not-found",
      text: expect.stringContaining("Nothing is recorded yet") as string,
    });
    await agent.call("create_goal", { project_id: "invoices", text: "g" });
    for (const view of ["overview", "next"]) {
      expect(await agent.ask("get_work", { project_id: "invoces", view }), view).toMatchObject({
        isError: true,
        code: "not-found",
        text: expect.stringContaining("Recorded projects: invoices") as string,
      });
    }
    expect(await agent.ask("get_work", {})).toMatchObject({ isError: true, code: "bad-input" });
    expect((await agent.client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      "continuity://invoices/where-were-we",
    ]);
  });

  test("a server for one project reaches no other one, by no tool, prompt or resource", async () => {
    const { goal_id } = await all.call("create_goal", { project_id: "secret", text: "the secret goal" });
    const { task_id } = await all.call("add_task", { project_id: "secret", goal_id, title: "the secret task" });
    const one = await AgentClient.start("--file", file, "--project", "mine");
    const told = [
      await one.ask("update_task", { task_id, status: "doing" }),
      await one.ask("get_work"),
      await one.ask("get_work", { project_id: "secret" }),
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
    expect(await one.ask("get_work", { project_id: "secret" })).toMatchObject({
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
    const agent = await AgentClient.start("--file", file);
    const project_id = "my agent\n/../é?";
    const { goal_id } = await agent.call("create_goal", { project_id, text: "Send the invoices" });
    const { task_id } = await agent.call("add_task", { project_id, goal_id, title: "Write the template" });
    await agent.call("update_task", { project_id, task_id, status: "doing" });
    await agent.call("update_task", {
      project_id,
      task_id,
      where_we_left_off: "The header is done.",
      next_step: "Write the footer",
    });

    // The one before has ended; while it lives, the task is its own.
    await agent.close();
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
    for (const view of ["next", "overview", "doing"])
      expect(await agent.call("get_work", { view }), view).toMatchObject({
        ask_first: expect.stringContaining("ask whether to continue") as string,
      });
    // Only reading it makes it no younger.
    expect(JSON.stringify(await agent.client.getPrompt({ name: "where_were_we" }))).toContain("do NOT continue it");
    await agent.call("add_task", { goal_id, title: "new" });
    expect(await agent.call("get_work")).not.toHaveProperty("ask_first");
  });
});

test("a model is shown what a client has hidden in what it records, in every answer, and the recorded text is the same", async () => {
  const hidden = "a\u200bb\u{e0041}\u2028c\u0085\u202e 👩‍🚀 می‌خواهم";
  const agent = await AgentClient.start("--file", newStoreFile(), "--project", "p");
  const { goal_id } = await agent.call("create_goal", { text: hidden });
  await agent.call("add_task", { goal_id, title: hidden });
  const { text } = await agent.ask("get_work", { view: "overview" });
  const prompt = await agent.client.getPrompt({ name: "where_were_we" });
  const refusal = await agent.ask("get_work", { task_id: hidden });
  for (const told of [text, (prompt.messages[0]!.content as { text: string }).text, refusal.text]) {
    expect(told).toContain(String.raw`a\u200bb\udb40\udc41\u2028c\u0085\u202e 👩‍🚀 می‌خواهم`);
    expect(told).not.toMatch(/[\u0085\u200b\u2028\u202e\u{e0041}]/u);
  }
  expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(hidden));
});

test("an operator reads what the server has measured, as a resource and on standard error, without a project's name", async () => {
  const agent = await AgentClient.start("--file", newStoreFile(), "--project", "secret plan");
  await agent.client.callTool({ name: "create_goal", arguments: { text: "g" } });
  const { contents } = await agent.client.readResource({ uri: "continuity://metrics" });
  const [content] = contents as { text: string }[];
  expect(JSON.parse(content!.text)).toMatchObject({
    events_replayed_per_restore: { latest: 0, largest: 0 },
    restore_time_ms: { latest: expect.any(Number) as number },
    journal_size_since_snapshot_bytes: { latest: expect.any(Number) as number },
  });
  expect(content!.text).not.toContain("secret");
  process.kill(agent.transport.pid!, "SIGUSR2");
  await expect.poll(() => agent.stderr).toContain('metrics {"restore_time_ms"');
});
