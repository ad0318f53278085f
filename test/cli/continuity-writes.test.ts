/** What people write at the command line: in the store and project that `continuity status` shows, and nothing by a slip. */
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
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

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

let state: string;
let ids: number;

const run = (...args: string[]): Promise<Run> => runHere(state, ["continuity", ...args]);
const json = (...args: string[]): Promise<Run> => run(...args, "--json");
const idOf = ({ data }: Run, kind: "goal" | "task"): string =>
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
    task: { status: "todo", goal_id: idOf(goal, "goal"), acceptance_criteria: ["VAT is shown", "-- and the date"] },
    next: { rule: "todo", next_step: "Write the template" },
  });
  const id = idOf(task, "task");
  const second = await json(
    "task",
    "add",
    "Send it",
    "--depends-on",
    id.slice(0, 8),
    "--goal",
    idOf(goal, "goal").slice(0, 6),
  );
  expect(second.data).toMatchObject({ task: { depends_on: [id] } });
  expect((await json("task", "start", idOf(second, "task"))).data).toMatchObject({
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
  const other = idOf(second, "task");
  for (const args of [
    ["start", other],
    ["complete", other],
  ])
    expect((await run("task", ...args)).status).toBe(0);
  expect((await json("goal", "status", idOf(goal, "goal"), "done")).data).toMatchObject({ goal: { status: "done" } });
  const { events } = (await json("history", "--after", "0")).data as { events: { author: unknown }[] };
  expect(events).toHaveLength(12);
  for (const { author } of events) expect(author).toMatchObject({ entry: "cli" });
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
    expect(idOf(second, "goal")).toBe(idOf(first, "goal"));
    expect((await json("goal", "create", "h", "--command-id", "c1")).data).toMatchObject({ code: "command-mismatch" });
  });
});
