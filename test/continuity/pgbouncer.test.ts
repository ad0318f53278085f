import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PrivatePgBouncer, startPgBouncer, whyNoPgBouncer } from "../../harness/pgbouncer.ts";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { Continuity, openPostgresStore, type Project } from "../../src/continuity/index.ts";
import { removeProjects, storedProjects } from "../../src/continuity/removal.ts";
import { createStatements, POSTGRES_TYPES } from "../../src/continuity/sql/rows/schema.ts";

const why = whyNoPostgres() ?? whyNoPgBouncer();

describe.skipIf(why)(`PgBouncer in transaction mode${why === undefined ? "" : `: ${why}`}`, () => {
  let server: PrivatePostgres;
  let pooler: PrivatePgBouncer;
  let sql: pg.Client;
  const closing: Continuity[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    pooler = await startPgBouncer(server.url);
    sql = new pg.Client({ connectionString: server.url });
    sql.on("error", () => undefined);
    await sql.connect();
    // What a session has that did not say otherwise.
    await sql.query("ALTER DATABASE postgres SET timezone = 'Asia/Kolkata'");
  });
  afterAll(async () => {
    for (const one of closing) await one.close();
    await sql.end();
    await pooler.stop();
    await server.stop();
  });

  async function opened(schema: string, address = pooler.url): Promise<Continuity> {
    const store = await openPostgresStore({ connectionString: address, schema, connections: 4 });
    const continuity = new Continuity({ store, snapshots: { everyEvents: 5 } });
    closing.push(continuity);
    return continuity;
  }

  /** Every kind of operation, by two processes in turns. */
  async function worked(one: Project, other: Project): Promise<void> {
    const { goal_id } = await one.createGoal({ text: "g", command_id: "c" });
    expect((await other.createGoal({ text: "g", command_id: "c" })).goal_id).toBe(goal_id);
    const { task_id } = await other.addTask({ goal_id, title: "t" });
    await one.startTask({ task_id });
    await other.updateCheckpoint({ task_id, where_we_left_off: "w", next_step: "n" });
    const lease = await one.acquireLease({ owner_id: "one" });
    await expect(other.acquireLease({ owner_id: "other" })).rejects.toMatchObject({ code: "lease-held" });
    await lease.heartbeat();
    await one.runStep(lease, { step_id: "a", step_type: "pure" }, async () => 1);
    const pay = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "k" } as const;
    const failing = one.runStep(lease, pay, async () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    await lease.release();
    const second = await other.acquireLease({ owner_id: "other" });
    await other.steps.resolve(second, { step_id: "pay", attempt_id: 1, outcome: "completed", reason: "r", result: 2 });
    expect(await other.runStep(second, pay, async () => 3)).toEqual({ result: 2, executed: false });
    await one.completeTask({ task_id });
    expect((await other.getNextStep()).kind).toBe("propose_tasks");
  }

  it("carries out every operation, and every table is in its schema, whatever the session says", async () => {
    const continuity = await opened("pooled");
    const [one, other] = [await continuity.project("p"), await (await opened("pooled")).project("p")];
    await worked(one, other);
    const verification = await one.verify();
    expect(verification).toMatchObject({ completed_steps: 2, damages: [] });
    expect(verification.snapshots).toBeGreaterThan(0);
    let events = 0;
    for await (const _ of other.history()) events += 1;
    expect(events).toBe(verification.events);
    expect(await (await opened("pooled", server.url)).project("p").then((project) => project.verify())).toEqual(
      verification,
    );
    const { rows } = await sql.query(
      "SELECT DISTINCT table_schema FROM information_schema.tables WHERE table_name IN ('events', 'workflows')",
    );
    expect(rows).toEqual([{ table_schema: "pooled" }]);
    const place = { connectionString: pooler.url, schema: "pooled" };
    expect(await storedProjects(place, ["p"])).toMatchObject([{ project_id: "p", events: verification.events }]);
    await removeProjects(place, ["p"], { force: true });
    expect(await continuity.find("nobody")).toBeUndefined();
    expect(await continuity.projects()).toEqual([]);
  });

  it("mixes up nothing when many clients share a few connections: names of statements are another client's there", async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => opened("crowd")));
    const projects = await Promise.all(all.map((one) => one.project("p")));
    await Promise.all(
      projects.flatMap((project, at) =>
        Array.from({ length: 8 }, (_, n) =>
          project.createGoal({ text: `goal ${at}/${n}`, command_id: `c ${at}/${n}` }),
        ),
      ),
    );
    expect(Object.keys((await projects[0]!.state()).goals)).toHaveLength(48);
    expect(await projects[1]!.verify()).toMatchObject({ events: 48, damages: [] });
  });

  it("opens a store that was made with a search_path, and goes on with it", async () => {
    await sql.query("CREATE SCHEMA made");
    await sql.query("SET search_path = made");
    await sql.query("CREATE TABLE schema_versions (version INT NOT NULL)");
    for (const statement of createStatements(POSTGRES_TYPES)) await sql.query(statement);
    await sql.query("INSERT INTO schema_versions VALUES (1)");
    await sql.query("RESET search_path");
    const project = await (await opened("made")).project("p");
    await project.createGoal({ text: "g" });
    expect((await project.verify()).damages).toEqual([]);
  });

  it("refuses an address with server options in a sentence, and at once", async () => {
    const connectionString = `${pooler.url}?options=-c%20work_mem%3D8MB`;
    await expect(openPostgresStore({ connectionString, schema: "x" })).rejects.toMatchObject({
      code: "not-writable",
      message: expect.stringMatching(/PgBouncer.*options.*Remove options/) as string,
    });
  });

  it("waits behind it for a server that restarts", async () => {
    const project = await (await opened("restarted")).project("p");
    await project.createGoal({ text: "before" });
    await server.halt("immediate");
    const during = project.createGoal({ text: "during" });
    await server.start();
    await during;
    expect(await project.verify()).toMatchObject({ events: 2, damages: [] });
  });
});
