import { setTimeout as sleep } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { briefing, Continuity, openPostgresStore, type Project } from "../../src/continuity/index.ts";
import { type DbosEngine, type DbosStep, openDbosEngine, type StepBody } from "../../src/continuity/dbos/index.ts";
import { ownerName, makeWorkflowId } from "../../src/continuity/dbos/identity.ts";
import { loadDbos } from "../../src/continuity/dbos/sdk.ts";

const ignore = (): void => undefined;
const SILENT = { info: ignore, debug: ignore, warn: ignore, error: ignore };
const skip = whyNoPostgres();
const PURE = { step_id: "s", step_type: "pure" } as const;
const PAY = { step_id: "s", step_type: "non_idempotent", idempotency_key: "k" } as const;

describe.skipIf(skip)(`steps that DBOS executes${skip === undefined ? "" : `: ${skip}`}`, () => {
  let server: PrivatePostgres;
  let continuity: Continuity;
  let engine: DbosEngine;
  let act: DbosStep;
  /** What the body of `act` does in the test that runs. */
  let body: StepBody;
  let parent: (project_id: string) => Promise<unknown>;
  let crashes = false;
  let projects = 0;
  const newProject = (): Promise<Project> => continuity.project(`p${++projects}`);
  const listTypes = async (project: Project): Promise<string[]> => {
    const types: string[] = [];
    for await (const { event_type } of project.history()) types.push(event_type);
    return types;
  };

  beforeAll(async () => {
    server = await startPostgres();
    continuity = new Continuity({
      store: await openPostgresStore({ connectionString: server.url }),
      crashPoint: (name) => {
        if (crashes && name === "commit:before") throw new Error("crashed");
      },
    });
    engine = await openDbosEngine({ continuity, DBOS });
    act = engine.step("act", (execution) => body(execution));
    parent = DBOS.registerWorkflow(
      async (project_id: string) => [
        await act.run(project_id, PURE),
        await DBOS.runStep(async () => "after", { name: "after" }),
      ],
      { name: "parent" },
    );
    DBOS.setConfig({ name: "test", systemDatabaseUrl: server.url, logger: SILENT });
    await DBOS.launch();
  });
  afterAll(async () => {
    await engine?.settled();
    await DBOS.shutdown();
    await continuity?.close();
    await server?.stop();
  });

  it("are executed once and need no lease: an agent that holds the project's lease does not make them wait", async () => {
    const project = await newProject();
    const lease = await project.acquireLease({ owner_id: "agent" });
    let times = 0;
    body = async ({ attempt_id, input }) => {
      await DBOS.sleep(1);
      return DBOS.runStep(async () => ({ times: ++times, attempt_id, input }), { name: "act" });
    };
    const request = { ...PURE, input: { a: 1 } };
    const result = { times: 1, attempt_id: 1, input: { a: 1 } };
    expect(await act.run(project.project_id, request)).toEqual({ result, executed: true });
    expect(await act.run(project.project_id, request)).toEqual({ result, executed: false });
    expect(await project.runStep(lease, request, () => Promise.reject(new Error("twice")))).toEqual({
      result,
      executed: false,
    });
    expect(await listTypes(project)).toEqual(["lease_acquired", "step_started", "step_completed"]);
    expect(await DBOS.getWorkflowStatus(`${project.project_id}/s`)).toMatchObject({ status: "SUCCESS" });
    expect((await project.verify()).damages).toEqual([]);
    await expect(act.run(project.project_id, { ...request, input: 2 })).rejects.toMatchObject({
      code: "step-mismatch",
    });
  });

  it("are not begun under a lease meanwhile, nor the other way round: two executors would do one thing", async () => {
    const project = await newProject();
    const lease = await project.acquireLease({ owner_id: "agent" });
    const { goal_id } = await project.createGoal({ text: "g" });
    await project.addTask({ goal_id, title: "t" });
    let release = (): void => undefined;
    body = () => new Promise<void>((resolve) => (release = resolve));
    const handle = await act.start(project.project_id, PURE);
    while ((await project.state()).open_steps["s"] === undefined);
    for (const request of [PURE, { ...PURE, step_type: "idempotent" }] as const)
      await expect(project.steps.begin(lease, request)).rejects.toMatchObject({
        code: request === PURE ? "step-open" : "step-mismatch",
      });
    // Nobody is to find out what the engine still does.
    const said = briefing(await project.activeWork(), { now: Date.now() }) ?? "";
    expect(said).toMatch(/^Executed by a durable engine \(leave them to it[^\n]*s, attempt 1/m);
    expect(said).not.toMatch(/may have run|resolve_step/);
    release();
    expect(await handle.result()).toEqual({ result: null, executed: true });
    const other = { ...PURE, step_id: "t" };
    await project.steps.begin(lease, other);
    await expect(act.run(project.project_id, other)).rejects.toMatchObject({ code: "step-open" });
    // The lease is over, and its executor is fenced.
    await lease.release();
    body = async () => "mine";
    expect(await act.run(project.project_id, other)).toEqual({ result: "mine", executed: true });
  });

  it("run again after a failure if they may, in a workflow of the next number; else somebody finds out first", async () => {
    const project = await newProject();
    body = async () => Promise.reject(new Error("no room"));
    await expect(act.run(project.project_id, PURE)).rejects.toThrow("no room");
    expect((await project.state()).open_steps).toEqual({});
    body = async ({ earlier_attempts }) => earlier_attempts;
    expect(await act.run(project.project_id, PURE)).toEqual({ result: 1, executed: true });
    expect(await DBOS.getWorkflowStatus(`${project.project_id}/s/2`)).toMatchObject({ status: "SUCCESS" });

    const second = await newProject();
    body = async () => Promise.reject(new Error("no answer"));
    await expect(act.run(second.project_id, PAY)).rejects.toThrow("no answer");
    expect((await second.state()).open_steps["s"]).toMatchObject({ error: "no answer", attempt_id: 1 });
    await expect(act.run(second.project_id, PAY)).rejects.toMatchObject({ code: "step-unknown" });
    const lease = await second.acquireLease({ owner_id: "person" });
    await second.steps.resolve(lease, { step_id: "s", attempt_id: 1, outcome: "not_done", reason: "not in the books" });
    body = async () => "paid";
    expect(await act.run(second.project_id, PAY)).toEqual({ result: "paid", executed: true });
    expect((await second.verify()).damages).toEqual([]);
  });

  it("that DBOS has completed and the ledger has not are completed there by the same call, and by a recovery", async () => {
    const project = await newProject();
    for (const step_id of ["s", "t"]) {
      body = async () => void (crashes = true);
      await expect(act.run(project.project_id, { ...PAY, step_id, idempotency_key: step_id })).rejects.toThrow(
        "crashed",
      );
      await engine.settled();
      crashes = false;
      expect((await project.state()).completed_steps).toBe(step_id === "s" ? 0 : 1);
      expect(await DBOS.getWorkflowStatus(`${project.project_id}/${step_id}`)).toMatchObject({ status: "SUCCESS" });
      if (step_id === "t") expect(await engine.recover()).toEqual({ resumed: [], settled: 1, refused: [] });
      body = () => Promise.reject(new Error("twice"));
      const { result } = await act.run(project.project_id, { ...PAY, step_id, idempotency_key: step_id });
      expect(result).toBe(null);
    }
    expect((await listTypes(project)).filter((type) => type === "step_completed")).toHaveLength(2);
  });

  it("that DBOS took for this process and never began are resumed: nothing else would ever go on with them", async () => {
    const project = await newProject();
    let times = 0;
    body = async () => ++times;
    await DBOS.registerQueue("much later");
    const handle = await act.start(project.project_id, PURE, {
      queueName: "much later",
      enqueueOptions: { delaySeconds: 3600 },
    });
    // What a dispatch leaves that fails after DBOS has taken the workflow: DBOS only logs that.
    const database = new pg.Client({ connectionString: server.url });
    await database.connect();
    await database.query(
      "UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = $1 WHERE workflow_uuid = $2",
      [DBOS.executorID, handle.workflowID],
    );
    await database.end();
    expect(await engine.recover()).toMatchObject({ resumed: [] });
    // DBOS is given time to begin what it took.
    await sleep(5200);
    expect(await Promise.all([engine.recover(), engine.recover()])).toMatchObject([
      { resumed: [handle.workflowID] },
      { resumed: [] },
    ]);
    expect(await handle.result()).toEqual({ result: 1, executed: true });
    expect(times).toBe(1);
  });

  it("that the ledger has begun and DBOS does not know are continued by the same call, unless they may have acted", async () => {
    const project = await newProject();
    const begin = (step_id: string, request: object): Promise<unknown> =>
      project
        .engineSteps(ownerName(makeWorkflowId(project.project_id, step_id, 1)))
        .begin({ ...(request as typeof PURE), step_id: step_id as "s" });
    await begin("s", PURE);
    body = async ({ attempt_id }) => attempt_id;
    expect(await act.run(project.project_id, PURE)).toEqual({ result: 1, executed: true });
    await begin("t", PAY);
    await expect(act.run(project.project_id, { ...PAY, step_id: "t" })).rejects.toMatchObject({ code: "step-unknown" });
    const again = { ...PAY, step_id: "t", repeat: "after-unknown" } as const;
    expect(await act.run(project.project_id, again)).toEqual({ result: 2, executed: true });
  });

  it("keep what the engine found out, also after a person gave them up", async () => {
    const project = await newProject();
    let release = (): void => undefined;
    body = () => new Promise<void>((resolve) => (release = resolve));
    const handle = await act.start(project.project_id, PAY);
    while ((await project.state()).open_steps["s"] === undefined);
    const lease = await project.acquireLease({ owner_id: "person" });
    await project.steps.resolve(lease, { step_id: "s", attempt_id: 1, outcome: "abandoned", reason: "too long" });
    await expect(act.run(project.project_id, PAY)).rejects.toMatchObject({ code: "step-abandoned" });
    release();
    expect(await handle.result()).toEqual({ result: null, executed: true });
    expect(await act.run(project.project_id, PAY)).toEqual({ result: null, executed: false });
    expect((await project.verify()).damages).toEqual([]);
  });

  it("whose result is no JSON keep it as a text, which says so in DBOS and in the ledger", async () => {
    const project = await newProject();
    body = async () => 1n;
    const first = await act.run(project.project_id, PURE);
    expect(first).toMatchObject({ result_form: "text", executed: true });
    expect(await act.run(project.project_id, PURE)).toEqual({ ...first, executed: false });
  });

  it("are refused before anything is recorded when the request is wrong, or has what would have no effect", async () => {
    const project = await newProject();
    for (const wrong of [
      { ...PURE, retries: { attempts: 2, backoffMs: 1 } },
      { ...PURE, input: Number.NaN },
      { ...PAY, idempotency_key: "" },
    ])
      await expect(act.run(project.project_id, wrong)).rejects.toMatchObject({ code: "bad-input" });
    expect(await listTypes(project)).toEqual([]);
    expect(await DBOS.getWorkflowStatus(`${project.project_id}/s`)).toBeNull();
  });

  it("can be a part of a workflow, on a queue: a replay goes the same way, although the ledger has grown", async () => {
    const project = await newProject();
    body = async () => "inner";
    const expected = [{ result: "inner", executed: true }, "after"];
    const handle = await DBOS.startWorkflow(parent, { workflowID: project.project_id })(project.project_id);
    expect(await handle.getResult()).toEqual(expected);
    const again = await DBOS.forkWorkflow(project.project_id, 3);
    expect(await again.getResult({ pollingIntervalMs: 20 })).toEqual(expected);

    await DBOS.registerQueue("one", { globalConcurrency: 1, minPollingIntervalMs: 10 });
    let [running, most] = [0, 0];
    body = async () => {
      most = Math.max(most, ++running);
      await DBOS.sleep(5);
      running--;
    };
    const runs = ["a", "b", "c"].map((step_id) =>
      act.run(project.project_id, { ...PURE, step_id }, { queueName: "one" }),
    );
    await Promise.all(runs);
    expect(most).toBe(1);
  });
});

it("two steps have two workflow ids, also where names have a slash: one would else get the other's result", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "/", "%", "2", "F"), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(name, name, name, (a, b, c) => {
      expect(makeWorkflowId(`${a}/${b}`, c, 1)).not.toBe(makeWorkflowId(a, `${b}/${c}`, 1));
      expect(makeWorkflowId(a, `${b}/2`, 1)).not.toBe(makeWorkflowId(a, b, 2));
      expect(makeWorkflowId(a, b.replaceAll("/", "%2F"), 1) === makeWorkflowId(a, b, 1)).toBe(!b.includes("/"));
    }),
  );
  expect(makeWorkflowId("invoices", "send-17", 1)).toBe("invoices/send-17");
});

it("without DBOS, or with one that lacks a function, the refusal says what to install", async () => {
  const missing = (): Promise<unknown> => import(`no-such-package-${"x"}`);
  await expect(loadDbos(missing)).rejects.toMatchObject({
    code: "no-engine",
    message: expect.stringContaining("npm i @dbos-inc/dbos-sdk@5") as string,
  });
  await expect(loadDbos(async () => ({ DBOS: {} }))).rejects.toMatchObject({ code: "no-engine" });
});
