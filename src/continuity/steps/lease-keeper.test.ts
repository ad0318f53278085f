import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { Continuity, openSqliteStore, type Project } from "../index.ts";
import { LeaseKeeper } from "./lease-keeper.ts";

const STEP = { step_id: "s", step_type: "pure" } as const;
const OTHER = { step_id: "t", step_type: "pure" } as const;
const TTL_MS = 60_000;

describe("leases of a process whose steps are begun in one call and ended in another", () => {
  let folder: string;
  let clock: number;
  let opened: Continuity[];
  /** One project as two processes see it. */
  let here: Project;
  let there: Project;

  const open = async (): Promise<Project> => {
    const continuity = new Continuity({
      store: openSqliteStore({ file: join(folder, "store.sqlite") }),
      now: () => clock,
    });
    opened.push(continuity);
    return continuity.project("p");
  };
  beforeEach(async () => {
    folder = newFolder();
    [clock, opened] = [Date.parse("2026-11-22T10:00:00Z"), []];
    [here, there] = [await open(), await open()];
  });
  afterEach(async () => {
    for (const continuity of opened) await continuity.close();
  });

  test("calls at the same time share one lease, and others are refused while a step is open, however long", async () => {
    const [mine, others] = [new LeaseKeeper({ ttlMs: TTL_MS, idleMs: 0 }), new LeaseKeeper({ owner_id: "other" })];
    const starts = await Promise.all([mine.begin(here, STEP), mine.begin(here, OTHER)]);
    expect(starts.map(({ lease }) => lease.fencing_token)).toEqual([1, 1]);
    await mine.complete(here, { step_id: "s", attempt_id: 1 }, null);
    await sleep(20);
    await expect(others.begin(there, STEP)).rejects.toMatchObject({ code: "lease-held" });
    await mine.releaseAll();
    expect((await others.begin(there, STEP)).start).toMatchObject({ status: "completed" });
    await others.releaseAll();
  });

  test("an agent that has no step open does not keep the others from theirs for ever", async () => {
    const [mine, others] = [new LeaseKeeper({ ttlMs: TTL_MS, idleMs: 0 }), new LeaseKeeper({ owner_id: "other" })];
    await mine.begin(here, STEP);
    await mine.complete(here, { step_id: "s", attempt_id: 1 }, null);
    const isHeld = async (): Promise<boolean> => (await there.state()).lease.owner_id !== null;
    while (await isHeld()) await sleep(5);
    expect((await others.begin(there, OTHER)).lease.fencing_token).toBe(2);
    await others.releaseAll();
    // And has it again when it needs it.
    expect((await mine.begin(here, { step_id: "u", step_type: "pure" })).lease.fencing_token).toBe(3);
    await mine.releaseAll();
  });

  test("a machine that slept past the end of its lease goes on under the same one, if nobody has taken it", async () => {
    const mine = new LeaseKeeper({ ttlMs: TTL_MS });
    await mine.begin(here, STEP);
    clock += 10 * TTL_MS;
    expect((await mine.begin(here, OTHER)).lease.fencing_token).toBe(1);
    expect(await mine.complete(here, { step_id: "s", attempt_id: 1 }, "done")).toEqual({ duplicate: false });
    await mine.releaseAll();
  });

  test("a machine that slept while another took over can complete nothing it had begun, and is told who has the lease", async () => {
    const [mine, others] = [new LeaseKeeper({ ttlMs: TTL_MS }), new LeaseKeeper({ owner_id: "other", ttlMs: TTL_MS })];
    await mine.begin(here, STEP);
    clock += 10 * TTL_MS;
    expect((await others.begin(there, STEP)).start).toMatchObject({
      status: "run",
      attempt_id: 2,
      earlier_attempts: 1,
    });
    await expect(mine.complete(here, { step_id: "s", attempt_id: 1 }, "stale")).rejects.toMatchObject({
      code: "fenced",
    });
    await expect(mine.begin(here, OTHER)).rejects.toMatchObject({
      code: "lease-held",
      message: expect.stringMatching(/other's since .*, until .*If that executor is known to be gone/) as string,
    });
    expect(await others.complete(there, { step_id: "s", attempt_id: 2 }, "mine")).toEqual({ duplicate: false });
    await others.releaseAll();
    expect((await mine.begin(here, STEP)).start).toMatchObject({ status: "completed", result: "mine" });
    await mine.releaseAll();
  });

  test("a lease that could not be had is asked for again at the next call", async () => {
    const [mine, others] = [new LeaseKeeper(), new LeaseKeeper({ owner_id: "other" })];
    await others.begin(there, OTHER);
    for (let tries = 0; tries < 2; tries++)
      await expect(mine.begin(here, STEP)).rejects.toMatchObject({ code: "lease-held" });
    await others.releaseAll();
    expect((await mine.begin(here, STEP)).start).toMatchObject({ status: "run", attempt_id: 1 });
    await mine.releaseAll();
  });

  test("an owner that is known to be gone is not waited for; one that may live is", async () => {
    await new LeaseKeeper({ owner_id: "killed", ttlMs: TTL_MS }).begin(there, STEP);
    await expect(new LeaseKeeper().begin(here, STEP)).rejects.toMatchObject({ code: "lease-held" });
    const mine = new LeaseKeeper({ isGone: (owner_id) => owner_id === "killed" });
    expect((await mine.begin(here, STEP)).start).toMatchObject({ status: "run", attempt_id: 2, earlier_attempts: 1 });
    await mine.releaseAll();
  });
});
