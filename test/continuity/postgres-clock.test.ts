import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import {
  Continuity,
  ContinuityError,
  type ContinuityOptions,
  type ContinuityStore,
  openPostgresStore,
} from "../../src/continuity/index.ts";

const MINUTE = 60_000;
const why = whyNoPostgres();

describe.skipIf(why)(`leases on PostgreSQL, by its own clock${why === undefined ? "" : `: ${why}`}`, () => {
  let server: PrivatePostgres;
  const stores: ContinuityStore[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    server.resume();
    for (const store of stores) await store.close();
    await server.stop();
  });

  /** A worker whose clock is that much off. */
  async function worker(off: number, more: Partial<ContinuityOptions> = {}, patienceMs = 30_000): Promise<Continuity> {
    const store = await openPostgresStore({ connectionString: server.url, connections: 2, patienceMs });
    stores.push(store);
    return new Continuity({ store, now: () => Date.now() + off, monotonic: () => performance.now(), ...more });
  }

  it.each([
    ["a minute ahead", MINUTE],
    ["a minute behind", -MINUTE],
  ])("a worker whose clock is %s cannot take a lease that is held", async (name, off) => {
    const holder = await (await worker(0)).project(`held ${name}`);
    const thief = await (await worker(off)).project(`held ${name}`);
    const lease = await holder.acquireLease({ owner_id: "holder" });
    await expect(thief.acquireLease({ owner_id: "thief" })).rejects.toMatchObject({ code: "lease-held" });
    await lease.heartbeat();
    await expect(thief.acquireLease({ owner_id: "thief" })).rejects.toMatchObject({ code: "lease-held" });
    await holder.runStep(lease, { step_id: "s", step_type: "pure" }, async () => 1);
    await lease.release();
    expect((await thief.acquireLease({ owner_id: "thief" })).fencing_token).toBe(2);
    expect((await thief.verify()).damages).toEqual([]);
  });

  it.each([
    ["a minute ahead", MINUTE],
    ["a minute behind", -MINUTE],
  ])("a worker whose clock is %s does not hold a lease beyond its time", async (name, off) => {
    const holder = await (await worker(off)).project(`dead ${name}`);
    const next = await (await worker(0)).project(`dead ${name}`);
    const lease = await holder.acquireLease({ owner_id: "holder", ttlMs: 150 });
    lease.assertValid();
    await lease.heartbeat();
    await sleep(200);
    expect(() => lease.assertValid()).toThrow(/a lease that ended \d+ ms ago/);
    expect((await next.acquireLease({ owner_id: "next" })).fencing_token).toBe(2);
    await expect(lease.heartbeat()).rejects.toMatchObject({ code: "fenced" });
  });

  it("a lease that only ended by its time comes back with a heartbeat, also for a worker whose clock jumps", async () => {
    let off = 0;
    const project = await (await worker(0, { now: () => Date.now() + off })).project("jumps");
    const lease = await project.acquireLease({ owner_id: "o", ttlMs: 400 });
    off = -60 * MINUTE;
    await sleep(450);
    expect(() => lease.assertValid()).toThrow(/ended/);
    off = 60 * MINUTE;
    await lease.heartbeat();
    lease.assertValid();
    await project.runStep(lease, { step_id: "s", step_type: "pure" }, async () => 1);
    await lease.release();
    expect(() => lease.assertValid()).toThrow(/a lease that was released/);
  });

  it("tells the holder once that its lease is over while the server hangs, and whose it is when it goes on", async () => {
    const project = await (await worker(0, {}, 1500)).project("hangs");
    const lease = await project.acquireLease({ owner_id: "o", ttlMs: 300 });
    const lost: unknown[] = [];
    const alive = lease.keepAlive((error) => void lost.push(error));
    await sleep(500);
    expect(lost).toEqual([]);
    server.hang();
    for (let waited = 0; lost.length === 0 && waited < 100; waited++) await sleep(20);
    expect(lost).toMatchObject([{ code: "lease-expired" }]);
    await sleep(400);
    server.resume();
    expect(lost).toHaveLength(1);
    alive.stop();
    await lease.heartbeat();
    lease.assertValid();
    await lease.release();
  });

  it("counts a lease from the first request for it when the answer to that one was lost", async () => {
    let time = 0;
    const continuity = await worker(0, { monotonic: () => time });
    const store = stores.at(-1)!;
    const project = await continuity.project("lost");
    await project.createGoal({ text: "g" });
    const commit = store.commit.bind(store);
    let commits = 0;
    store.commit = async (rows) => {
      const outcome = await commit(rows);
      if (++commits > 1) return outcome;
      time += 900;
      throw new ContinuityError("unavailable", "the answer was lost");
    };
    const lease = await project.acquireLease({ owner_id: "o", ttlMs: 1000 });
    expect({ commits, token: lease.fencing_token }).toEqual({ commits: 1, token: 1 });
    lease.assertValid();
    time += 100;
    expect(() => lease.assertValid()).toThrow(/ended/);
    expect(await project.verify()).toMatchObject({ events: 2, damages: [] });
  });

  it("does not count an answer as of when it came: the lease began when it was asked for", async () => {
    let time = 0;
    const continuity = await worker(0, { monotonic: () => time });
    const slow = stores.at(-1)!;
    const heartbeat = slow.heartbeat.bind(slow);
    const project = await continuity.project("late");
    const lease = await project.acquireLease({ owner_id: "o", ttlMs: 1000 });
    slow.heartbeat = async (beat) => {
      const answer = await heartbeat(beat);
      time += 900;
      return answer;
    };
    time = 500;
    await lease.heartbeat();
    lease.assertValid();
    time = 1500;
    expect(() => lease.assertValid()).toThrow(/ended/);
  });
});
