import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { Continuity, type ContinuityStore, openPostgresStore, type Project } from "../../src/continuity/index.ts";

const why = whyNoPostgres();

describe.skipIf(why)(`a PostgreSQL server that is away${why === undefined ? "" : `: ${why}`}`, () => {
  let server: PrivatePostgres;
  const stores: ContinuityStore[] = [];
  let projects = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    server.resume();
    for (const store of stores) await store.close();
    await server.stop();
  });

  async function opened(patienceMs?: number): Promise<Continuity> {
    const store = await openPostgresStore({
      connectionString: server.url,
      connections: 3,
      ...(patienceMs === undefined ? {} : { patienceMs }),
    });
    stores.push(store);
    return new Continuity({ store });
  }

  /** Every kind of call, on a project with a lease. */
  async function calls(continuity: Continuity): Promise<Record<string, () => Promise<unknown>>> {
    const project: Project = await continuity.project(`p${++projects}`);
    const { goal_id } = await project.createGoal({ text: "g" });
    const lease = await project.acquireLease({ owner_id: "o" });
    const other = await project
      .as({ entry: "library", name: "other" })
      .steps.begin(lease, { step_id: "t", step_type: "pure" });
    return {
      command: () => project.addTask({ goal_id, title: "t" }),
      "command with an id": () => project.addTask({ goal_id, title: "t", command_id: "c" }),
      runStep: () => project.runStep(lease, { step_id: "s", step_type: "pure" }, async () => 1),
      begin: () => project.steps.begin(lease, { step_id: "b", step_type: "pure" }),
      complete: () => project.steps.complete(lease, other as { step_id: string; attempt_id: number }, 1),
      heartbeat: () => lease.heartbeat(),
      getNextStep: () => project.getNextStep(),
      state: () => project.state(),
      verify: () => project.verify(),
      history: async () => {
        for await (const _ of project.history());
      },
      project: () => continuity.project(`q${projects}`),
      find: () => continuity.find(`r${projects}`),
      projects: () => continuity.projects(),
      open: () => opened(),
    };
  }

  it("answers every call as soon as it is back, also after a crash in the middle of calls, and nothing is done twice", async () => {
    const continuity = await opened();
    for (const when of ["before the calls", "in the middle of the calls"]) {
      const all = await calls(continuity);
      if (when.startsWith("before")) await server.halt("immediate");
      const answers = Object.entries(all).map(async ([name, call]) => {
        const told = await call().then(
          () => "answered",
          (error: unknown) => String(error),
        );
        return [name, told];
      });
      if (when.startsWith("in")) {
        await sleep(5);
        await server.halt("immediate");
      }
      await sleep(300);
      await server.start();
      expect(await Promise.all(answers), when).toEqual(Object.keys(all).map((name) => [name, "answered"]));
      const verification = await (await continuity.project(`p${projects}`)).verify();
      // Of the project: goal, lease, two tasks, three steps begun and two completed.
      expect(verification, when).toMatchObject({ events: 9, completed_steps: 2, damages: [] });
    }
  });

  it("is waited for until the deadline of the call when it hangs, in each call, and then all goes on", async () => {
    const continuity = await opened(600);
    const all = await calls(continuity);
    delete all["open"];
    server.hang();
    const answers = await Promise.all(
      Object.entries(all).map(async ([name, call]) => {
        const error = await call().then(
          () => ({ code: "answered", message: "" }),
          (failed: { code: string; message: string }) => failed,
        );
        return [name, error.code, /PostgreSQL|the store/.test(error.message)];
      }),
    );
    server.resume();
    expect(answers).toEqual(Object.keys(all).map((name) => [name, "unavailable", true]));
    const project = await continuity.project(`p${projects}`);
    await project.createGoal({ text: "after" });
    expect((await project.verify()).damages).toEqual([]);
  });

  it("says what was waited for, and how long, and that a command which was sent may have been written", async () => {
    const continuity = await opened(400);
    const project = await continuity.project(`p${++projects}`);
    await project.createGoal({ text: "g" });
    server.hang();
    const [read, command] = await Promise.allSettled([continuity.projects(), project.createGoal({ text: "h" })]);
    server.resume();
    expect(String((read as PromiseRejectedResult).reason)).toMatch(
      /expected PostgreSQL to answer in time; found no answer for 0\.\d s, in \d tries; at last "no answer within/,
    );
    expect(String((command as PromiseRejectedResult).reason)).toMatch(/may have been written.*same command_id/);
  });

  it("hangs and goes on in the middle of a command: the command is carried out once, though it was sent twice", async () => {
    // Each try gets half a second; the first is carried out late.
    const continuity = await opened(1500);
    const project = await continuity.project(`p${++projects}`);
    await project.createGoal({ text: "g" });
    const lease = await project.acquireLease({ owner_id: "o" });
    server.hang();
    const command = project.createGoal({ text: "h" });
    const step = project.runStep(lease, { step_id: "s", step_type: "pure" }, async () => 1);
    await sleep(800);
    server.resume();
    await command;
    expect(await step).toEqual({ result: 1, executed: true });
    expect(await project.verify()).toMatchObject({ events: 5, completed_steps: 1, damages: [] });
  });

  it("closes although the server hangs", async () => {
    const continuity = await opened(300);
    await continuity.project("closing");
    server.hang();
    await continuity.close();
    server.resume();
  });
});
