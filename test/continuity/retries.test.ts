import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Continuity, openSqliteStore, type Project } from "../../src/continuity/index.ts";

const STEP = { step_id: "s", step_type: "idempotent" } as const;
const PAY = { step_id: "s", step_type: "non_idempotent", idempotency_key: "k" } as const;

/** A project whose clock moves by what its waits take. */
async function projectWithClock(): Promise<{ project: Project; waits: number[]; move: (by: number) => void }> {
  let now = Date.parse("2026-11-25T10:00:00Z");
  const waits: number[] = [];
  const continuity = new Continuity({
    store: openSqliteStore({ file: ":memory:" }),
    now: () => now,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  });
  return { project: await continuity.project("p"), waits, move: (by) => (now += by) };
}

async function listTypes(project: Project): Promise<string[]> {
  const types: string[] = [];
  for await (const { event_type } of project.history()) types.push(event_type.replace("step_", ""));
  return types.slice(1);
}

describe("a step that fails", () => {
  it("is executed again after growing waits, and each attempt is in the ledger", async () => {
    const { project, waits } = await projectWithClock();
    const lease = await project.acquireLease({ owner_id: "o", ttlMs: 60_000 });
    const seen: number[] = [];
    const request = { ...STEP, retries: { attempts: 5, backoffMs: 100, factor: 3, maxBackoffMs: 400 } };
    const outcome = await project.runStep(lease, request, async ({ attempt_id, earlier_attempts }) => {
      seen.push(attempt_id);
      if (attempt_id < 4) throw new Error("no answer");
      return earlier_attempts;
    });
    expect(outcome).toEqual({ result: 3, executed: true });
    expect([seen, waits]).toEqual([
      [1, 2, 3, 4],
      [100, 300, 400],
    ]);
    const failed = ["started", "failed"];
    expect(await listTypes(project)).toEqual([...failed, ...failed, ...failed, "started", "completed"]);
    expect((await project.verify()).damages).toEqual([]);
  });

  it("has as many attempts as were allowed, whatever the numbers, and the last error is thrown", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.nat({ max: 3000 }), async (attempts, backoffMs) => {
        const { project, waits } = await projectWithClock();
        const lease = await project.acquireLease({ owner_id: "o", ttlMs: 24 * 60 * 60_000 });
        let times = 0;
        const run = project.runStep(lease, { ...STEP, retries: { attempts, backoffMs } }, async () => {
          throw new Error(`failure ${++times}`);
        });
        await expect(run).rejects.toThrow(`failure ${attempts}`);
        expect(times).toBe(attempts);
        const pauses = Array.from({ length: attempts - 1 }, (_, retry) => Math.min(60_000, backoffMs * 2 ** retry));
        expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(pauses.reduce((sum, wait) => sum + wait, 0));
      }),
      { numRuns: 15 },
    );
  });

  it("is not executed again when its lease ended in the wait: another executor may have it by then", async () => {
    const { project, waits } = await projectWithClock();
    const lease = await project.acquireLease({ owner_id: "o", ttlMs: 2500 });
    let times = 0;
    const request = { ...STEP, retries: { attempts: 9, backoffMs: 20_000 } };
    const run = project.runStep(lease, request, async () => Promise.reject(new Error(`failure ${++times}`)));
    await expect(run).rejects.toMatchObject({ code: "lease-expired" });
    expect([times, waits.length]).toEqual([1, 3]);
  });

  it("is not executed again when its lease was taken over while it ran", async () => {
    const { project, move } = await projectWithClock();
    const lease = await project.acquireLease({ owner_id: "o", ttlMs: 2500 });
    let times = 0;
    const run = project.runStep(lease, { ...STEP, retries: { attempts: 9, backoffMs: 0 } }, async () => {
      move(3000);
      await project.acquireLease({ owner_id: "other" });
      throw new Error(`failure ${++times}`);
    });
    await expect(run).rejects.toThrow("failure 1");
    expect(times).toBe(1);
  });

  it("and must not happen twice has no retries, which are refused before it acts", async () => {
    const { project } = await projectWithClock();
    const lease = await project.acquireLease({ owner_id: "o" });
    const never = (): Promise<never> => expect.fail("executed");
    const retries = { attempts: 2, backoffMs: 0 };
    for (const wrong of [
      { ...PAY, retries },
      { ...STEP, retries: { ...retries, attempts: 0 } },
      { ...STEP, retries: { ...retries, attempts: 1.5 } },
      { ...STEP, retries: { ...retries, backoffMs: -1 } },
      { ...STEP, retries: { ...retries, factor: 0.5 } },
      { ...STEP, retries: { ...retries, maxBackoffMs: Number.NaN } },
      { ...STEP, timeoutMs: 0 },
      { ...STEP, timeoutMs: 2 ** 31 },
    ])
      await expect(project.runStep(lease, wrong, never)).rejects.toMatchObject({ code: "bad-input" });
    expect(await listTypes(project)).toEqual([]);
  });
});

describe("a step that takes too long", () => {
  it("is told to stop, fails, and may be executed again; what the first attempt returns late is dropped", async () => {
    const { project } = await projectWithClock();
    const lease = await project.acquireLease({ owner_id: "o" });
    const aborted: unknown[] = [];
    let late: Promise<unknown> = Promise.resolve();
    const request = { ...STEP, timeoutMs: 20, retries: { attempts: 2, backoffMs: 0 } };
    const outcome = await project.runStep(lease, request, async ({ attempt_id, signal }) => {
      if (attempt_id === 2) return "second";
      signal.addEventListener("abort", () => aborted.push((signal.reason as { code: string }).code));
      late = sleep(60, "late");
      await late;
      throw new Error("nobody hears it");
    });
    expect(outcome).toEqual({ result: "second", executed: true });
    expect(aborted).toEqual(["step-timeout"]);
    await late;
    expect(await listTypes(project)).toEqual(["started", "failed", "started", "completed"]);
  });

  it("and must not happen twice may have acted: it stays open until somebody finds out", async () => {
    const { project } = await projectWithClock();
    const lease = await project.acquireLease({ owner_id: "o" });
    const forever = (): Promise<never> => new Promise(() => undefined);
    await expect(project.runStep(lease, { ...PAY, timeoutMs: 5 }, forever)).rejects.toMatchObject({
      code: "step-timeout",
    });
    await expect(project.runStep(lease, PAY, async () => "again")).rejects.toMatchObject({ code: "step-unknown" });
    expect((await project.state()).open_steps["s"]).toMatchObject({ attempt_id: 1 });
  });
});
