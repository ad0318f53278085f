/** What a person sees of all projects of a store, of who holds what, and of what is damaged or lost. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { workflowId } from "../../src/continuity/base/workflow-id.ts";
import { textWidth } from "../../src/doctor/printable.ts";
import { Continuity, openSqliteStore, type Project } from "../../src/continuity/index.ts";
import { continuityFile } from "../../src/continuity-tools/index.ts";
import type { Run } from "./fixture.ts";
import { runHere } from "./in-process.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const STEP = {
  step_id: "send-1",
  step_type: "non_idempotent",
  idempotency_key: "invoice-17",
  input: { to: "ann" },
} as const;

let state: string;
let file: string;
const run = (...args: string[]): Promise<Run> => runHere(state, ["continuity", ...args], 80);
const json = (...args: string[]): Promise<Run> => run(...args, "--json");

/** Works on a project as a program did so long ago. */
async function inProject(name: string, work: (project: Project) => Promise<unknown>, ago = 0): Promise<void> {
  const continuity = new Continuity({
    store: openSqliteStore({ file }),
    now: () => Date.now() - ago,
    snapshots: { everyEvents: 3 },
  });
  try {
    await work(await continuity.project(name));
  } finally {
    await continuity.close();
  }
}

async function withTask(project: Project): Promise<string> {
  const { goal_id } = await project.createGoal({ text: `the goal of ${project.project_id}` });
  const { task_id } = await project.addTask({ goal_id, title: `the task of ${project.project_id}` });
  await project.startTask({ task_id });
  return task_id;
}

function sql(...statements: string[]): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  for (const statement of statements) database.exec(statement);
  database.close();
}

beforeEach(() => {
  state = newFolder();
  file = continuityFile(state);
});

describe("status of several projects", () => {
  beforeEach(async () => {
    await inProject("a-idle", (project) => project.createGoal({ text: "g" }));
    await inProject("b-working", withTask);
    await inProject("c-rested", withTask, 3 * DAY_MS);
    await inProject("d-blocked", async (project) =>
      project.blockTask({ task_id: await withTask(project), blocker: "Bob \u001b[2J\u202eis away" }),
    );
    await inProject("e-step", async (project) => {
      await withTask(project);
      const lease = await project.acquireLease({ owner_id: "laptop/1/2/ab" });
      await project.steps.begin(lease, STEP);
      await lease.release();
    });
  });

  test("what needs a person comes first, each in a few lines, and nothing recorded acts on the terminal", async () => {
    const { status, stdout, stderr } = await run("status");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("need a person\n");
    expect(stdout.match(/^[a-e]-\w+$/gm)).toEqual(["e-step", "d-blocked", "c-rested", "b-working"]);
    expect(stdout).toMatch(
      /\ne-step\n {2}needs you {2}1 step may have run\n {2}resolve {4}(?:npx )?openclaw-integrity continuity resolve --project e-step\n/,
    );
    expect(stdout).toMatch(
      /d-blocked\n {2}needs you {2}blocked: Bob \\u001b\[2J\\u202eis away\n {2}tasks {6}1 blocked\n/,
    );
    expect(stdout).toMatch(/c-rested\n {2}needs you {2}rested for 3 days/);
    expect(stdout).toMatch(/b-working\n {2}tasks {6}1 doing\n {2}next {7}the task of b-working\n/);
    expect(stdout).toContain("Nothing open: a-idle\n");
    for (const line of stdout.split("\n").filter((one) => !one.includes(state)))
      expect(textWidth(line), line).toBeLessThanOrEqual(80);
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });

  test("as JSON each project has what the status of one has", async () => {
    const { status, data } = await json("status");
    expect(status).toBe(0);
    const projects = data["projects"] as readonly Readonly<Record<string, unknown>>[];
    expect(projects.map(({ project_id, needs }) => [project_id, needs])).toEqual([
      ["e-step", "unknown_step"],
      ["d-blocked", "blocked"],
      ["c-rested", "rested"],
      ["b-working", null],
      ["a-idle", null],
    ]);
    const { place, ok, warnings, ...one } = (await json("status", "--project", "e-step")).data;
    expect([place, ok, warnings]).toEqual([file, true, []]);
    expect(projects[0]).toEqual(one);
  });

  test("a damaged project is named first and hides no other; so is one whose row is lost", async () => {
    sql(
      "UPDATE events SET payload = replace(payload, 'the goal', 'the goat') WHERE payload LIKE '%the goal of b-working%'",
      "DELETE FROM snapshots WHERE workflow_id = (SELECT workflow_id FROM workflows WHERE project_id = 'b-working')",
      "DELETE FROM workflows WHERE project_id IN ('a-idle', 'c-rested')",
    );
    const { status, stdout } = await run("status");
    expect(status).toBe(3);
    expect(stdout).toMatch(/^b-working\n {2}unreadable expected event 1/m);
    expect(stdout).toMatch(/^c-rested\n {2}unreadable expected a row in workflows/m);
    expect(stdout).toMatch(/^a project without a name \(workflow [-0-9a-f]{36}\)\n/m);
    expect(stdout.indexOf("\ne-step")).toBeGreaterThan(stdout.indexOf("a project without a name"));
    expect((await json("status")).data).toMatchObject({ ok: false, projects: { length: 5 } });
  });

  test("a narrow terminal gets narrow lines, but for commands and paths, which can be copied", async () => {
    for (const args of [["status"], ["status", "--project", "e-step"], ["next", "--project", "d-blocked"]]) {
      const { stdout } = await runHere(state, ["continuity", ...args], 50);
      const lines = stdout.split("\n").filter((one) => !/openclaw-integrity continuity|need a person$/.test(one));
      for (const line of lines) expect(textWidth(line), line).toBeLessThanOrEqual(50);
    }
  });

  test("many projects are counted, not listed", async () => {
    for (let nth = 0; nth < 30; nth++) await inProject(`many-${nth}`, withTask);
    const { stdout } = await run("status");
    expect(stdout).toContain("35 projects in ");
    expect(stdout).toContain("and 14 projects more; --json and --html show all");
    expect((await json("status")).data["projects"]).toHaveLength(35);
  });
});

describe("the page", () => {
  test("of all projects and of one, for its owner only, beside what is printed", async () => {
    for (const name of ["a", "b"]) await inProject(name, withTask);
    const page = join(newFolder(), "page.html");
    const all = await json("status", "--html", page);
    expect(all).toMatchObject({ status: 0, data: { page, projects: { length: 2 } } });
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(readFileSync(page, "utf8")).toMatch(
      /2 projects: none needs a person.*the task of [ab].*task added: the task of/s,
    );
    const one = await run("status", "--html", page, "--project", "b");
    expect(one.stdout).toContain(`\n\nthe page is in ${page}\n`);
    expect(readFileSync(page, "utf8")).not.toContain("the task of a");
    expect(readdirSync(dirname(page))).toEqual(["page.html"]);
  });

  test("is not written where there is no folder, and shows what cannot be read", async () => {
    for (const name of ["a", "b"]) await inProject(name, withTask);
    const nowhere = join(newFolder(), "nowhere", "page.html");
    expect((await json("status", "--html", nowhere)).data).toMatchObject({ code: "not-writable" });
    sql("DELETE FROM workflows WHERE project_id = 'a'");
    const page = join(newFolder(), "page.html");
    expect(await json("status", "--html", page)).toMatchObject({ status: 3, data: { page } });
    expect(readFileSync(page, "utf8")).toContain("It cannot be read.");
  });
});

describe("verify", () => {
  beforeEach(async () => {
    for (const name of ["long", "whole"]) await inProject(name, withTask);
    await inProject("short", (project) => project.createGoal({ text: "g" }));
  });

  test("a lost row is damage, of all projects and of the one that is named", async () => {
    sql("DELETE FROM workflows WHERE project_id <> 'whole'");
    const all = await run("verify");
    expect(all.status).toBe(1);
    expect(all.stdout).toMatch(/^long: LOST, with 3 events\n {2}expected a row in workflows/m);
    expect(all.stdout).toMatch(/^a project without a name \(workflow .*\): LOST, with 1 event\n/m);
    expect(all.stdout).toMatch(/^whole: intact \(3 events/m);
    expect((await json("verify")).data).toMatchObject({
      ok: false,
      damages: 2,
      lost: { length: 2 },
      projects: [{ project_id: "whole" }],
    });
    expect(await json("verify", "--project", "short")).toMatchObject({
      status: 1,
      data: { damages: 1, projects: [], lost: [{ events: 1 }] },
    });
    sql("DELETE FROM workflows");
    expect(await json("verify")).toMatchObject({ status: 1, data: { damages: 3, faults: [], projects: [] } });
    sql(
      "INSERT INTO workflows (workflow_id, project_id, created_at, last_event_seq, head_checksum) SELECT workflow_id, 'whole', min(timestamp), max(event_seq), " +
        "(SELECT checksum FROM events last WHERE last.workflow_id = events.workflow_id ORDER BY event_seq DESC LIMIT 1) " +
        `FROM events WHERE workflow_id = '${workflowId("whole")}' GROUP BY workflow_id`,
    );
    expect(await json("verify", "--project", "whole")).toMatchObject({ status: 0, data: { damages: 0, lost: [] } });
    expect(await json("verify", "--project", "none")).toMatchObject({ status: 1, data: { code: "not-found" } });
    for (const command of ["status", "next", "history", "export"])
      expect((await json(command, "--project", "short")).data, command).toMatchObject({ code: "damaged" });
    expect((await json("goal", "create", "g", "--new", "--project", "short")).data).toMatchObject({ code: "damaged" });
  });

  test.each([
    ["name", "UPDATE workflows SET project_id = 'other' WHERE project_id = 'long'"],
    ["id", "UPDATE workflows SET workflow_id = '00000000-0000-4000-8000-000000000000' WHERE project_id = 'long'"],
  ])("a row in which the %s was changed is damage, also of the one that is named", async (_, statement) => {
    sql(statement);
    const all = await run("verify");
    expect(all.status).toBe(1);
    expect(all.stdout.replaceAll(/\n {2}/g, " ")).toMatch(/LOST.*the name or the id was changed/);
    expect(all.stdout).toContain("whole: intact");
    expect((await run("verify", "--project", "long")).status).toBe(1);
  });
});

describe("who holds the lease", () => {
  const OWNER = fileURLToPath(new URL("lease-owner.ts", import.meta.url));
  let owner: ChildProcess | undefined;
  // Also of a test that failed in the middle: a process that nobody ends keeps the output of all tests open.
  afterEach(() => owner?.kill("SIGKILL"));
  /** A process that holds the lease, with a step in the middle. */
  async function begin(): Promise<ChildProcess> {
    owner = spawn(process.execPath, [OWNER, file], { stdio: ["ignore", "pipe", "inherit"] });
    await once(owner.stdout!, "data");
    return owner;
  }

  test("a running process is named as such, and its step is in progress; after a kill -9 the step may have run", async () => {
    const child = await begin();
    const running = await run("status");
    expect(running.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /lease \S+\/\d+\/\S+, since 2\d{3}-.*until .*from now.*a process with its id runs/,
    );
    expect(running.stdout).toMatch(/In progress\n {2}send-1, attempt 1/);
    expect(running.stdout).not.toContain("may have run");
    expect((await json("status")).data).toMatchObject({
      needs: null,
      lease: { is_held: true, owner_state: "running" },
    });
    expect((await run("resolve")).stdout).toContain("wait until the lease is free");
    child.kill("SIGKILL");
    await once(child, "close");
    const ended = await run("status");
    expect(ended.stdout.replaceAll(/\s+/g, " ")).toContain("its process has ended");
    expect(ended.stdout).toMatch(/Started, may have run\n {2}send-1/);
    expect((await json("status")).data).toMatchObject({
      needs: "unknown_step",
      lease: { is_held: true, owner_state: "gone" },
    });
  });

  test("a lease that ended without a release is free, and says whose it was", async () => {
    await inProject(
      "p",
      async (project) => {
        await project.acquireLease({ owner_id: "elsewhere\u202e", ttlMs: 60_000 });
      },
      DAY_MS,
    );
    const { stdout } = await run("status");
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /lease free: its time ended 23 hours ago, .* without a release by elsewhere\\u202e, .*cannot be told from here/,
    );
    expect((await json("status")).data).toMatchObject({
      lease: { is_held: false, owner_state: "unknown", owner_id: "elsewhere\u202e" },
    });
  });
});

describe("resolve without a step", () => {
  test("lists what can be resolved, of all projects, with a command for the same store", async () => {
    const before = file;
    file = join(newFolder(), "a store.sqlite");
    for (const name of ["one", "two words"])
      await inProject(name, async (project) => {
        const lease = await project.acquireLease({ owner_id: "laptop/1/2/ab" });
        await project.steps.begin(lease, STEP);
        await lease.release();
      });
    await inProject("three", withTask);
    const { status, stdout } = await run("resolve", "--file", file);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /Project one: 1 step without a known outcome\n {2}send-1, attempt 1, .*key\s+invoice-17; input \{"to":"ann"\}/s,
    );
    expect(stdout).not.toContain("three");
    const command = /continuity resolve (.*'two words'.*)$/m.exec(stdout)![1]!;
    expect(command).toBe(
      `--file '${file}' --project 'two words' --outcome completed --reason 'how that is known' send-1`,
    );
    expect((await json("resolve", "--file", file)).data).toMatchObject({
      open_steps: [{ project_id: "one", step_id: "send-1", in_progress: false }, { project_id: "two words" }],
    });
    const words = [
      "resolve",
      "--file",
      file,
      "--project",
      "two words",
      "--outcome",
      "completed",
      "--reason",
      "r",
      "send-1",
    ];
    expect((await run(...words)).status).toBe(0);
    expect((await json("resolve", "--file", file, "--project", "two words")).data).toMatchObject({ open_steps: [] });
    file = before;
  });

  test("each attempt that may have run is listed with its command, and none is resolved by guess", async () => {
    await inProject("one", async (project) => {
      for (const owner_id of ["a", "b"]) {
        const lease = await project.acquireLease({ owner_id, ...(owner_id === "b" ? { takeOverFrom: "a" } : {}) });
        await project.steps.begin(lease, { ...STEP, repeat: "after-unknown" });
        if (owner_id === "b") await lease.release();
      }
    });
    const { stdout } = await run("resolve");
    for (const attempt of [1, 2]) expect(stdout).toContain(`--attempt ${attempt} send-1`);
    const words = ["--outcome", "not_done", "--reason", "r", "send-1"];
    expect(await run("resolve", ...words)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/--attempt: attempts 1, 2/),
    });
    expect((await run("resolve", "--attempt", "1", ...words)).status).toBe(0);
    expect((await json("resolve")).data).toMatchObject({ open_steps: [{ attempt_id: 2 }] });
    expect((await run("resolve", ...words)).status).toBe(0);
    expect((await json("resolve")).data).toMatchObject({ open_steps: [] });
  });

  test("a step that a durable engine executes needs no person, and is listed as that engine's", async () => {
    await inProject("engine", async (project) => {
      await withTask(project);
      await project.engineSteps("dbos/engine/send-1").begin(STEP);
    });
    expect((await json("status")).data).toMatchObject({ needs: null });
    expect((await run("status")).stdout).not.toMatch(/may have run|find out/i);
    expect((await run("next")).stdout).toMatch(/send-1, attempt 1: executed by a durable engine/);
    expect((await run("resolve")).stdout).toMatch(/A durable engine executes it, and ends it\./);
    expect((await json("resolve")).data).toMatchObject({ open_steps: [{ step_id: "send-1", in_progress: true }] });
    const page = join(newFolder(), "status.html");
    await run("status", "--html", page);
    expect(readFileSync(page, "utf8")).toMatch(/in progress<\/span><small>by a durable engine/);
  });

  test("half of a resolution is wrong usage, and writes nothing", async () => {
    await inProject("p", withTask);
    for (const args of [["--outcome", "completed"], ["send-1"], ["send-1", "--outcome", "completed"]])
      expect((await json("resolve", ...args)).data, args.join(" ")).toMatchObject({ code: "usage" });
  });
});
