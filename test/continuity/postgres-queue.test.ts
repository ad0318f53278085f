import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { Continuity, type ContinuityStore, openPostgresStore } from "../../src/continuity/index.ts";

const why = whyNoPostgres();
const [WRITERS, EACH] = [8, 6];

describe.skipIf(why)(`writers of one project on PostgreSQL${why === undefined ? "" : `: ${why}`}`, () => {
  let server: PrivatePostgres;
  const stores: ContinuityStore[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await server.stop();
  });
  async function opened(connections: number): Promise<ContinuityStore> {
    const store = await openPostgresStore({ connectionString: server.url, connections });
    stores.push(store);
    return store;
  }

  it("wait for each other instead of deciding again and again", async () => {
    let decided = 0;
    const crashPoint = (point: string): void => void (decided += point === "commit:before" ? 1 : 0);
    const all = await Promise.all(
      Array.from(
        { length: WRITERS },
        async () => await new Continuity({ store: await opened(2), crashPoint }).project("hot"),
      ),
    );
    await Promise.all(
      all.map(async (project, writer) => {
        for (let at = 0; at < EACH; at++) await project.createGoal({ text: `${writer}/${at}` });
      }),
    );
    const verification = await all[0]!.verify();
    expect(verification).toMatchObject({ events: WRITERS * EACH, damages: [] });
    // Each command once, and again only where writers met without having met before.
    expect(decided).toBeLessThanOrEqual(WRITERS * EACH + 2 * WRITERS);
  });

  it("do not need a second connection for what is read while they hold the project", async () => {
    const store = await opened(1);
    const other = await opened(1);
    const mine = await new Continuity({ store }).project("narrow");
    const theirs = await new Continuity({ store: other }).project("narrow");
    const [a, b] = [await mine.acquireLease({ owner_id: "a" }), theirs];
    await Promise.all([
      ...[1, 2, 3].map((n) => mine.runStep(a, { step_id: `s${n}`, step_type: "pure" }, async () => n)),
      ...[1, 2, 3].map((n) => b.createGoal({ text: `g${n}` })),
    ]);
    expect(await theirs.verify()).toMatchObject({ events: 10, completed_steps: 3, damages: [] });
  });

  it("are not blocked for long by one that stands still while it holds the project", async () => {
    const [store, other] = [await opened(1), await opened(1)];
    const project = await new Continuity({ store: other }).project("blocked");
    await project.createGoal({ text: "before" });
    let isOver = false;
    const standing = store
      .exclusively(project.workflow_id, { after: 0, limit: 1 }, () => sleep(6000))
      .then(
        () => "committed",
        (error: { code: string }) => error.code,
      )
      .finally(() => (isOver = true));
    await sleep(50);
    await project.createGoal({ text: "meanwhile" });
    expect(isOver).toBe(false);
    await project.createGoal({ text: "and on" });
    expect(await standing).toBe("unavailable");
    expect(await project.verify()).toMatchObject({ events: 3, damages: [] });
  });

  it("write nothing of work that is refused in the middle, and its connection is free again", async () => {
    const store = await opened(1);
    const project = await new Continuity({ store }).project("refused");
    const { goal_id } = await project.createGoal({ text: "g" });
    const refused = store.exclusively(project.workflow_id, { after: 0, limit: 1 }, async () => {
      await store.removeSnapshots(project.workflow_id);
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    await project.addTask({ goal_id, title: "t" });
    expect((await project.verify()).damages).toEqual([]);
  });

  it("leave a connection that the next call can use where the server ends their wait for the project", async () => {
    const [holder, store] = [await opened(1), await opened(1)];
    const project = await new Continuity({ store }).project("cancelled");
    const { goal_id } = await project.createGoal({ text: "g" });
    const page = { after: 0, limit: 1 };
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    let release = (): void => {};
    let isHeld = (): void => {};
    const held = new Promise<void>((resolve) => (isHeld = resolve));
    const holding = holder.exclusively(project.workflow_id, page, async () => {
      isHeld();
      await new Promise<void>((resolve) => (release = resolve));
    });
    await held;
    const waiting = store.exclusively(project.workflow_id, page, async () => "begun").catch(() => "ended");
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    while ((await admin.query(cancel)).rowCount === 0) await sleep(20);
    expect(await waiting).toBe("ended");
    release();
    await holding;
    await project.addTask({ goal_id, title: "t" });
    expect(await project.verify()).toMatchObject({ events: 2, damages: [] });
    await admin.end();
  });
});
