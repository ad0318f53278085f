/** What people write at the command line: in the store and project that `continuity status` shows, and nothing by a slip. */
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { newFolder } from "../../harness/temporary.ts";
import { continuityFile } from "../../src/continuity-tools/index.ts";
import {
  authorBy,
  briefing,
  Continuity,
  openSqliteStore,
  type Project,
  type Task,
} from "../../src/continuity/index.ts";
import { type Run, userEnvironment } from "./fixture.ts";
import { runHere } from "./in-process.ts";

let state: string;
let ids: number;

const run = (...args: string[]): Promise<Run> => runHere(state, ["continuity", ...args]);
const json = (...args: string[]): Promise<Run> => run(...args, "--json");
const readId = ({ data }: Run, kind: "goal" | "task"): string =>
  (data[kind] as Readonly<Record<string, string>>)[`${kind}_id`]!;

/** Works on the project as another program does, with ids that are easy to tell apart. */
async function inStore<Value>(work: (project: Project) => Promise<Value>, project = "invoices"): Promise<Value> {
  const continuity = new Continuity({
    store: openSqliteStore({ file: continuityFile(state) }),
    newId: () => `${(++ids).toString(16).padStart(4, "0")}beef-0000-4000-8000-000000000000`,
  });
  try {
    return await work(await continuity.project(project));
  } finally {
    await continuity.close();
  }
}

beforeEach(() => {
  state = newFolder();
  ids = 0;
});

test("a whole piece of work, from the first goal to the last task", async () => {
  const goal = await json(
    "goal",
    "create",
    "Send the invoices",
    "--priority",
    "5",
    "--new",
    "--project",
    "agent:main:main",
  );
  expect(goal).toMatchObject({
    status: 0,
    data: {
      ok: true,
      project_id: "agent:main:main",
      place: continuityFile(state),
      goal: { priority: 5 },
      warnings: [],
    },
  });
  const task = await json(
    "task",
    "add",
    "Write the template",
    "--acceptance-criterion",
    "VAT is shown",
    "--acceptance-criterion",
    "-- and the date",
  );
  expect(task.data).toMatchObject({
    task: { status: "todo", goal_id: readId(goal, "goal"), acceptance_criteria: ["VAT is shown", "-- and the date"] },
    next: { rule: "todo", next_step: "Write the template" },
  });
  const id = readId(task, "task");
  const second = await json(
    "task",
    "add",
    "Send it",
    "--depends-on",
    id.slice(0, 8),
    "--goal",
    readId(goal, "goal").slice(0, 6),
  );
  expect(second.data).toMatchObject({ task: { depends_on: [id] } });
  expect((await json("task", "start", readId(second, "task"))).data).toMatchObject({
    ok: false,
    code: "dependencies-open",
  });
  expect((await json("task", "start", id.toUpperCase().slice(0, 8))).data).toMatchObject({ task: { status: "doing" } });
  expect(
    (
      await json(
        "checkpoint",
        "--where-we-left-off",
        "The header is done",
        "--next-step",
        "Write the footer",
        "--needed-context-ref",
        "t.typ",
        "--blocker",
        "BIC unknown",
      )
    ).data,
  ).toMatchObject({
    checkpoint: { task_id: id, needed_context_refs: ["t.typ"], blockers: ["BIC unknown"] },
    next: { next_step: "Write the footer" },
  });
  expect((await json("task", "block", id, "--blocker", "Bob is away")).data).toMatchObject({
    task: { blockers: ["Bob is away"] },
  });
  expect((await json("task", "pause", id, "--reason", "later")).data).toMatchObject({
    task: { pause_reason: "later" },
  });
  expect((await json("task", "start", id)).status).toBe(0);
  const done = await run("task", "complete", id, "--evidence", "t.pdf");
  expect(done).toMatchObject({ status: 0, stderr: "" });
  expect(done.stdout).toBe(
    `task ${id} is done: Write the template\n  project    agent:main:main\n  next       Send it\n`,
  );
  const other = readId(second, "task");
  for (const args of [
    ["start", other],
    ["complete", other],
  ])
    expect((await run("task", ...args)).status).toBe(0);
  expect((await json("goal", "status", readId(goal, "goal"), "done")).data).toMatchObject({ goal: { status: "done" } });
  const { events } = (await json("history", "--after", "0")).data as { events: { author: unknown }[] };
  expect(events).toHaveLength(12);
  for (const { author } of events) expect(author).toMatchObject({ entry: "cli" });
  // What is finished has left the state, and is found by the beginning of its id all the same.
  expect((await json("goal", "status", readId(goal, "goal").slice(0, 8), "active")).data).toMatchObject({
    goal: { status: "active" },
  });
  expect((await json("task", "start", id.slice(0, 8))).data).toMatchObject({ task: { task_id: id, status: "doing" } });
  expect((await json("status")).data).toMatchObject({ counts: { doing: 1, done: 1 } });
  expect((await run("verify")).status).toBe(0);
});

describe("texts", () => {
  beforeEach(() => inStore((project) => project.createGoal({ text: "goal" })));

  test("come from a file, without its last line end, and what is no text is refused before anything is written", async () => {
    const file = join(newFolder(), "title");
    writeFileSync(file, "Ümläute, and\nanother line\r\n\n");
    expect((await json("task", "add", "--title-file", file)).data).toMatchObject({
      task: { title: "Ümläute, and\nanother line" },
    });
    writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00]));
    expect((await json("task", "add", "--title-file", file)).data).toMatchObject({
      code: "bad-input",
      message: expect.stringMatching(/bytes that are not UTF-8\. Nothing was written/),
    });
    writeFileSync(file, "x".repeat(2_000_000));
    expect((await json("task", "add", "--title-file", file)).data).toMatchObject({
      code: "bad-input",
      message: expect.stringContaining("more than 1,048,576 bytes"),
    });
    expect((await json("task", "add", "--title-file", join(file, "below"))).data).toMatchObject({
      ok: false,
      code: "ENOTDIR",
    });
    expect((await json("task", "add", "  ")).data).toMatchObject({ code: "bad-input" });
    expect((await json("status")).data).toMatchObject({ counts: { todo: 1 } });
  });

  test("come from standard input, and the reader of a pipe may close it", () => {
    const env = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: state, NO_COLOR: "1" };
    const command = `printf 'from a pipe\\n' | "$0" "$1" continuity task add --title-file - | head -c 20`;
    const { stdout, stderr } = spawnSync("sh", ["-c", command, process.execPath, MAIN], { env, encoding: "utf8" });
    expect({ length: stdout.length, stderr }).toEqual({ length: 20, stderr: "" });
    return inStore(async (project) => {
      const { tasks } = await project.activeWork();
      expect(tasks.map(({ title }) => title)).toEqual(["from a pipe"]);
      // What agents are shown of it is marked as the command line's.
      const told = briefing(await project.activeWork(), {
        now: Date.now(),
        reader: authorBy("openclaw", "agent:main:main"),
      });
      expect(told).toContain('[by the command line] "from a pipe"');
    });
  });

  test("that are missing or given twice are wrong usage", async () => {
    for (const [args, message] of [
      [["task", "add"], "missing the title"],
      [["task", "add", "t", "--title-file", "f"], "given twice"],
      [["goal", "create"], "missing the text"],
      [["task", "block", "0001", "--blocker", "b", "--blocker-file", "f"], "given twice"],
      [["checkpoint", "--next-step", "n"], "missing --where-we-left-off"],
      [["checkpoint", "--next-step-file", "-", "--where-we-left-off-file", "-"], "only one text"],
    ] as const)
      expect(await json(...args), args.join(" ")).toMatchObject({
        status: 2,
        data: { code: "usage", message: expect.stringContaining(message) },
      });
  });
});

describe("which goal or task is meant", () => {
  let tasks: readonly Task[];
  beforeEach(async () => {
    tasks = await inStore(async (project) => {
      const { goal_id } = await project.createGoal({ text: "goal" });
      return [await project.addTask({ goal_id, title: "one" }), await project.addTask({ goal_id, title: "two" })];
    });
  });

  test("the beginning of an id has to be of four characters, and of one task only", async () => {
    const [one, two] = tasks.map(({ task_id }) => task_id.slice(0, 4));
    expect((await json("task", "start", one!.slice(0, 3))).data).toMatchObject({
      code: "bad-input",
      message: expect.stringMatching(`first 4 characters.*${one}beef.*"one".*${two}beef.*"two"`),
    });
    expect((await json("task", "start", "1")).data).toMatchObject({ code: "bad-input" });
    expect((await json("task", "start", "ffff")).data).toMatchObject({
      code: "not-found",
      message: expect.stringContaining(`${one}beef`),
    });
    expect((await json("task", "start", two!)).data).toMatchObject({ task: { task_id: tasks[1]!.task_id } });
    const [third] = await inStore(async (project) => {
      ids = 0x10000;
      const { goal_id } = await project.createGoal({ text: "another" });
      return [await project.addTask({ goal_id, title: "three" }), await project.addTask({ goal_id, title: "four" })];
    });
    expect((await json("task", "start", "1000")).data).toMatchObject({
      code: "bad-input",
      message: expect.stringMatching(/several begin: 1000.beef.*1000.beef.*Give more of it\. Nothing was written/),
    });
    expect((await json("task", "start", third!.task_id.slice(0, 5))).data).toMatchObject({ ok: true });
    expect((await json("task", "add", "t")).data).toMatchObject({
      code: "bad-input",
      message: expect.stringContaining("--goal"),
    });
  });

  test("a task of another project is none of this one's", async () => {
    await inStore(async (project) => void (await project.createGoal({ text: "goal" })), "other");
    expect((await json("task", "start", tasks[0]!.task_id.slice(0, 4), "--project", "other")).data).toMatchObject({
      code: "not-found",
    });
    expect((await json("task", "start", tasks[0]!.task_id.slice(0, 4))).data).toMatchObject({
      code: "bad-input",
      message: expect.stringContaining("--project"),
    });
    expect((await json("task", "start", tasks[0]!.task_id.slice(0, 4), "--project", "invoices")).status).toBe(0);
  });

  test("a checkpoint without a task is of the one in progress, and of none that is guessed", async () => {
    const write = ["checkpoint", "--where-we-left-off", "here", "--next-step", "there"];
    expect((await json(...write)).data).toMatchObject({
      code: "not-found",
      message: expect.stringContaining("a task in progress; found none"),
    });
    for (const { task_id } of tasks) expect((await run("task", "start", task_id)).status).toBe(0);
    expect((await json(...write)).data).toMatchObject({
      code: "bad-input",
      message: expect.stringContaining("several are in progress"),
    });
  });
});

describe("edits", () => {
  let tasks: readonly Task[];
  beforeEach(async () => {
    tasks = await inStore(async (project) => {
      const { goal_id } = await project.createGoal({ text: "goal" });
      const one = await project.addTask({ goal_id, title: "one", acceptance_criteria: ["it works"] });
      return [one, await project.addTask({ goal_id, title: "two", depends_on: [one.task_id] })];
    });
  });

  test("change what is given, leave what is not, and can empty a list", async () => {
    const [one, two] = tasks.map(({ task_id }) => task_id.slice(0, 4)) as [string, string];
    expect((await json("task", "edit", one, "--title", "first")).data).toMatchObject({
      task: { title: "first", acceptance_criteria: ["it works"], author: { entry: "cli" } },
    });
    expect(
      (await json("task", "edit", one, "--acceptance-criterion", "a", "--acceptance-criterion", "b")).data,
    ).toMatchObject({
      task: { title: "first", acceptance_criteria: ["a", "b"] },
    });
    expect((await json("task", "edit", one, "--no-acceptance-criterion")).data).toMatchObject({
      task: { acceptance_criteria: [] },
    });
    expect((await json("task", "edit", one, "--depends-on", two)).data).toMatchObject({ code: "dependencies-open" });
    expect((await json("task", "edit", two, "--no-depends-on")).data).toMatchObject({ task: { depends_on: [] } });
    expect((await json("goal", "edit", tasks[0]!.goal_id, "--priority", "-3")).data).toMatchObject({
      goal: { text: "goal", priority: -3 },
    });
    for (const args of [
      ["task", "edit", one],
      ["goal", "edit", tasks[0]!.goal_id],
    ])
      expect(await json(...args), args.join(" ")).toMatchObject({ status: 2, data: { code: "usage" } });
  });

  test("a task is dropped with a reason, and not while another one waits for it", async () => {
    const [one, two] = tasks.map(({ task_id }) => task_id.slice(0, 4)) as [string, string];
    expect((await json("task", "drop", one)).data).toMatchObject({ code: "usage" });
    expect((await json("task", "drop", one, "--reason", "r")).data).toMatchObject({ code: "dependencies-open" });
    for (const which of [two, one])
      expect((await json("task", "drop", which, "--reason", "not wanted")).data).toMatchObject({ ok: true });
    expect((await json("goal", "status", tasks[0]!.goal_id, "done")).data).toMatchObject({ goal: { status: "done" } });
    expect((await run("history")).stdout).toMatch(/task dropped|dropped: two: not wanted/);
    expect((await run("verify")).status).toBe(0);
  });
});

describe("a project", () => {
  test("is created on request only, so that a slip makes none, and nothing is left of a refused one", async () => {
    expect((await json("goal", "create", "g", "--project", "p")).data).toMatchObject({
      code: "not-found",
      message: expect.stringContaining("--new --project <name>"),
    });
    expect((await json("goal", "create", "g", "--new")).data).toMatchObject({ code: "bad-input" });
    expect((await json("goal", "create", "x".repeat(3000), "--new", "--project", "p")).data).toMatchObject({
      code: "bad-input",
    });
    expect(
      (await json("goal", "create", "g", "--new", "--project", "agent:main:main", "--store", "mcp")).data,
    ).toMatchObject({ code: "bad-input" });
    expect(readdirSync(state)).toEqual([]);
    const made = await json("goal", "create", "g", "--new", "--project", "p");
    expect(made).toMatchObject({ status: 0, data: { warnings: [expect.stringContaining("agents do not see it")] } });
    const again = await json("goal", "create", "h", "--new", "--project", "p");
    expect(again.data).toMatchObject({ ok: true, warnings: [] });
    expect((await json("goal", "create", "i", "--project", "q")).data).toMatchObject({ code: "not-found" });
    expect((await json("goal", "create", "i")).data).toMatchObject({ ok: true, project_id: "p" });
  });

  test("gets a command with an id once", async () => {
    const create = ["goal", "create", "g", "--command-id", "c1", "--new", "--project", "p"];
    const [first, second] = [await json(...create), await json(...create)];
    expect(readId(second, "goal")).toBe(readId(first, "goal"));
    expect((await json("goal", "create", "h", "--command-id", "c1")).data).toMatchObject({ code: "command-mismatch" });
  });
});

test("a task has a rank, is tried again after a failure, and its goal ends with it, for a reason", async () => {
  const goal_id = readId(await json("goal", "create", "Move the office", "--new", "--project", "invoices"), "goal");
  const rank = ["--priority", "7", "--due", "2026-11-26T18:00:00+01:00", "--retries", "1"];
  const added = await json("task", "add", "Book a van", ...rank);
  const task_id = readId(added, "task");
  expect(added.data["task"]).toMatchObject({ priority: 7, due: "2026-11-26T17:00:00.000Z", retries: 1 });
  expect(await run("task", "add", "x", "--due", "tomorrow, please")).toMatchObject({ status: 1 });
  await run("task", "start", task_id);
  expect(await run("task", "fail", task_id)).toMatchObject({ status: 2 });
  expect((await json("task", "fail", task_id, "--reason", "no van")).data).toMatchObject({
    task: { status: "todo", failures: 1 },
    next: { task_id, failed_because: "no van" },
  });
  expect((await run("next")).stdout).toMatch(/failed +once, last: no van/);
  const edited = await json("task", "edit", task_id, "--no-priority", "--no-due", "--no-retries");
  for (const name of ["priority", "due", "retries"]) expect(edited.data["task"]).not.toHaveProperty(name);
  await run("task", "start", task_id);
  expect((await json("task", "fail", task_id, "--reason", "no van at all")).data["task"]).toMatchObject({
    status: "blocked",
    blockers: ["no van at all"],
  });
  expect(await run("goal", "status", goal_id, "dropped")).toMatchObject({ status: 2 });
  expect(await run("goal", "status", goal_id, "paused", "--reason", "r")).toMatchObject({ status: 2 });
  const ended = await run("goal", "status", goal_id, "dropped", "--reason", "we stay");
  expect(ended.stdout).toContain(`goal ${goal_id} is dropped (tasks dropped with it: 1): Move the office`);
  expect((await run("history")).stdout).toMatch(/goal dropped: Move the office: we stay/);
});

test("a person sees who does a task and what else can start, frees it, gives it to another one, or keeps it", async () => {
  const [a, b] = [authorBy("mcp", "A"), authorBy("mcp", "B")];
  const added = await inStore(async (project) => {
    const { goal_id } = await project.as(a).createGoal({ text: "Ship 1.0" });
    const [mails, log, key] = [
      await project.addTask({ goal_id, title: "Email the customers" }),
      await project.addTask({ goal_id, title: "Write the changelog" }),
      await project.addTask({ goal_id, title: "Ask for the key" }),
    ];
    await project.as(a).startTask({ task_id: mails.task_id });
    return [mails, log, key].map(({ task_id }) => task_id);
  });
  const [mails, log, key] = added as [string, string, string];
  const isRefusedTo = (author: typeof a): Promise<unknown> =>
    inStore((project) =>
      project
        .as(author)
        .startTask({ task_id: mails })
        .catch(({ code }) => code as unknown),
    );
  for (const command of ["status", "next"])
    expect((await run(command)).stdout.replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(`held Email the customers \\(${mails}\\): MCP client "A", free from .* without a call of it`),
    );
  expect(await isRefusedTo(b)).toBe("claim-held");
  expect((await run("task", "release", mails, "--to", "B")).stdout).toContain('is for MCP client "B" alone');
  expect(await isRefusedTo(a)).toBe("claim-held");
  expect((await run("task", "take", mails, "--by", "Ann")).status).toBe(0);
  for (const one of [a, b]) expect(await isRefusedTo(one)).toBe("claim-held");
  expect((await run("task", "release", mails)).stdout).toContain("is free for any agent");
  expect((await run("task", "release", mails)).stdout).toContain("is free for any agent already");
  await run("task", "complete", mails);
  await run("task", "start", key);
  await run("task", "block", key, "--blocker", "Bob is away");
  expect((await run("next")).stdout.replaceAll(/\s+/g, " ")).toContain(`can start Write the changelog (${log})`);
});
