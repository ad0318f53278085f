import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, type ContinuityStore, openPostgresStore, openSqliteStore } from "../../src/continuity/index.ts";
import { startPostgres, whyNoPostgres } from "../../harness/postgres.ts";

const folder = newFolder();

const TTL_MS = 1000;
const STEP = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "pay-1" } as const;

/** The store of a process that is suspended behind one of its commits, while its answer is on the way. */
function suspendedAfter(store: ContinuityStore, event_type: string, meanwhile: () => Promise<void>): ContinuityStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "commit") return typeof member === "function" ? (member.bind(target) as unknown) : member;
      return async (commit: Parameters<ContinuityStore["commit"]>[0]) => {
        const outcome = await target.commit(commit);
        if (commit.event.event_type === event_type) await meanwhile();
        return outcome;
      };
    },
  });
}

it("does not execute a step whose lease ended while its start was being acknowledged: another process has completed it since", async () => {
  const file = join(folder, "continuity.sqlite");
  let now = Date.parse("2026-11-22T12:00:00Z");
  const executed: string[] = [];
  const other = new Continuity({ store: openSqliteStore({ file }), now: () => now });
  const takeOver = async (): Promise<void> => {
    now += TTL_MS + 1;
    const project = await other.project("p");
    const lease = await project.acquireLease({ owner_id: "other", ttlMs: TTL_MS });
    await project.runStep(lease, { ...STEP, repeat: "after-unknown" }, async () => executed.push("other"));
  };
  const suspended = new Continuity({
    store: suspendedAfter(openSqliteStore({ file }), "step_started", takeOver),
    now: () => now,
  });
  const project = await suspended.project("p");
  const lease = await project.acquireLease({ owner_id: "suspended", ttlMs: TTL_MS });
  const run = project.runStep(lease, STEP, async () => executed.push("suspended"));
  await expect(run).rejects.toMatchObject({ code: "lease-expired" });
  expect(executed).toEqual(["other"]);
  await Promise.all([other.close(), suspended.close()]);
});

const STANDSTILL_MS = 6000;

/** Stops the whole process, as SIGSTOP does. */
function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it.skipIf(whyNoPostgres())(
  `carries a command out once although PostgreSQL ended its transaction, in the middle of which the process stood still (${whyNoPostgres() ?? "PostgreSQL is there"})`,
  async () => {
    const server = await startPostgres();
    let standstills = 0;
    const crashPoint = (name: string): void => {
      if (name === "commit:event-written" && standstills++ === 0) standStill(STANDSTILL_MS);
    };
    const continuity = new Continuity({ store: await openPostgresStore({ connectionString: server.url, crashPoint }) });
    try {
      const project = await continuity.project("p");
      const { fencing_token } = await project.acquireLease({ owner_id: "slow" });
      expect({ fencing_token, standstills }).toEqual({ fencing_token: 1, standstills: 2 });
      expect(await project.verify()).toMatchObject({ events: 1, damages: [] });
    } finally {
      await continuity.close();
      await server.stop();
    }
  },
);
