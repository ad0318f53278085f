import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { Continuity, type ContinuityStore, openPostgresStore } from "../../src/continuity/index.ts";

const why = whyNoPostgres();

describe.skipIf(why)(`requests to PostgreSQL${why === undefined ? "" : `: ${why}`}`, () => {
  let server: PrivatePostgres;
  const stores: ContinuityStore[] = [];
  // The real one, counted.
  const queries = vi.spyOn(pg.Client.prototype, "query");
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    queries.mockRestore();
    for (const store of stores) await store.close();
    await server.stop();
  });

  async function opened(): Promise<Continuity> {
    const store = await openPostgresStore({ connectionString: server.url, connections: 1 });
    stores.push(store);
    return new Continuity({ store });
  }
  async function requests(work: () => Promise<unknown>): Promise<number> {
    queries.mockClear();
    await work();
    return queries.mock.calls.length;
  }

  it("are one for a command, with an id too, one for the end of a step, and one for the state", async () => {
    const project = await (await opened()).project("p");
    const { goal_id } = await project.createGoal({ text: "g" });
    const lease = await project.acquireLease({ owner_id: "o" });
    const step = await project.steps.begin(lease, { step_id: "s", step_type: "pure" });
    const counted = {
      command: await requests(() => project.addTask({ goal_id, title: "t" })),
      "command with an id": await requests(() => project.addTask({ goal_id, title: "t", command_id: "c" })),
      complete: await requests(() => project.steps.complete(lease, step, { a: 1 })),
      state: await requests(() => project.state()),
      heartbeat: await requests(() => lease.heartbeat()),
    };
    expect(counted).toEqual({ command: 1, "command with an id": 1, complete: 1, state: 1, heartbeat: 1 });
    // Its record is read before, as a whole.
    expect(await requests(() => project.steps.begin(lease, { step_id: "t", step_type: "pure" }))).toBe(2);
    expect((await project.verify()).damages).toEqual([]);
  });

  it("are two for a command that waits for another writer: none waits for a third answer with the project held", async () => {
    const [one, other] = [await (await opened()).project("held"), await (await opened()).project("held")];
    const { goal_id } = await one.createGoal({ text: "g" });
    await other.addTask({ goal_id, title: "1" });
    // One that does not know of the other's command, and two for the command itself.
    expect(await requests(() => one.addTask({ goal_id, title: "a $1 'quoted' \\ backslash; COMMIT; --" }))).toBe(3);
    await other.addTask({ goal_id, title: "2" });
    expect(await requests(() => one.addTask({ goal_id, title: "b" }))).toBe(2);
    expect(Object.values((await other.state()).tasks).map(({ title }) => title)).toEqual(
      expect.arrayContaining(["a $1 'quoted' \\ backslash; COMMIT; --", "b"]),
    );
    expect(await one.verify()).toMatchObject({ events: 5, damages: [] });
  });

  it("find a command that was delivered before, although none looks for it first, and another one under its id", async () => {
    const [one, other] = [await (await opened()).project("q"), await (await opened()).project("q")];
    const { goal_id } = await one.createGoal({ text: "g", command_id: "c" });
    expect((await other.createGoal({ text: "g", command_id: "c" })).goal_id).toBe(goal_id);
    expect((await one.createGoal({ text: "g", command_id: "c" })).goal_id).toBe(goal_id);
    const task = await one.addTask({ goal_id, title: "t", command_id: "t" });
    await one.startTask({ task_id: task.task_id, command_id: "s" });
    // Refused by the state, if it were another command.
    expect((await one.startTask({ task_id: task.task_id, command_id: "s" })).status).toBe("doing");
    await expect(one.createGoal({ text: "h", command_id: "c" })).rejects.toMatchObject({ code: "command-mismatch" });
    await expect(one.startTask({ task_id: task.task_id, command_id: "c" })).rejects.toMatchObject({
      code: "command-mismatch",
    });
    expect(await one.verify()).toMatchObject({ events: 3, damages: [] });
  });
});
