import { describe, expect, it } from "vitest";
import { briefing, Continuity, type Lease, type Project } from "../../src/continuity/index.ts";
import { type Injected, injected } from "./injected.ts";
import { kinds } from "./places.ts";

const PAY = {
  step_id: "pay",
  step_type: "non_idempotent",
  idempotency_key: "invoice-17",
  input: { to: "the plumber", eur: 900 },
} as const;

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`a step that may have acted, on ${title}`, () => {
    interface Killed {
      readonly project: Project;
      readonly lease: Lease;
      readonly clock: Injected;
      readonly old: Lease;
      fresh(): Promise<Project>;
    }

    /** A process began the step and was killed; another one has the lease now. */
    async function killed(act?: () => Promise<unknown>): Promise<Killed> {
      const [spot, clock] = [await place(), injected()];
      const fresh = async (): Promise<Project> => new Continuity({ store: await spot.open(), ...clock }).project("p");
      const first = await fresh();
      const old = await first.acquireLease({ owner_id: "worker" });
      if (act) await first.runStep(old, PAY, act).catch(() => undefined);
      else await first.steps.begin(old, PAY);
      const project = (await fresh()).as({ entry: "mcp", name: "another agent" });
      const lease = await project.acquireLease({ owner_id: "worker", takeOverFrom: "worker" });
      return { project, lease, clock, old, fresh };
    }

    const never = async (): Promise<never> => expect.fail("executed again");
    const fails = async (): Promise<never> => {
      throw new Error("the connection broke after the order");
    };

    for (const [how, act, error] of [
      ["its executor was killed", undefined, undefined],
      ["its body threw after it had begun", fails, "the connection broke after the order"],
    ] as const)
      it(`is not executed again silently when ${how}, and the refusal says what it was and how to resolve it`, async () => {
        const { project, lease } = await killed(act);
        await expect(project.runStep(lease, PAY, never)).rejects.toMatchObject({
          code: "step-unknown",
          message: expect.stringMatching(
            /attempt 1 of 2026-.*non_idempotent, key "invoice-17", input "{\\"eur\\":900,\\"to\\":\\"the plumber\\"}".*steps\.resolve.*tool step \(action resolve\).*continuity resolve.*after-unknown/,
          ),
        });
        const [open] = (await project.activeWork()).open_steps;
        expect(open).toMatchObject({
          step_type: "non_idempotent",
          idempotency_key: "invoice-17",
          input_text: '{"eur":900,"to":"the plumber"}',
          ...(error === undefined ? {} : { error }),
        });
        expect((await project.getNextStep()).open_steps).toEqual([open]);
        expect(briefing(await project.activeWork(), { now: 0 })).toMatch(/pay, attempt 1 of .*key "invoice-17", input/);
        expect((await project.verify()).damages).toEqual([]);
      });

    it("is executed again when the request says that a repetition does no harm, and by hand, with what is known", async () => {
      const { project, lease } = await killed();
      const again = await project.runStep(lease, { ...PAY, repeat: "after-unknown" }, async (one) => one.attempt_id);
      expect(again).toEqual({ result: 2, executed: true });
      const other = await killed(fails);
      const repeat = { ...PAY, repeat: "after-unknown" } as const;
      expect(await other.project.steps.begin(other.lease, repeat)).toMatchObject({
        earlier_attempts: 1,
        may_have_acted: true,
      });
    });

    it("of the other types is executed again, and so is one that failed by hand, without effect", async () => {
      const { project, lease } = await killed();
      for (const step_type of ["pure", "idempotent"] as const) {
        const step = { step_id: step_type, step_type };
        await project.runStep(lease, step, fails).catch(() => undefined);
        expect(await project.runStep(lease, step, async () => 1)).toEqual({ result: 1, executed: true });
      }
      const mail = { ...PAY, step_id: "mail", idempotency_key: "mail" };
      await project.steps.fail(lease, await project.steps.begin(lease, mail), "no network, nothing was sent");
      expect(await project.runStep(lease, mail, async () => 1)).toEqual({ result: 1, executed: true });
    });

    it("is completed by whoever found out that it acted: the result is given back, with who said so and why", async () => {
      for (const act of [undefined, fails]) {
        const { project, lease, fresh } = await killed(act);
        const found = {
          step_id: "pay",
          attempt_id: 1,
          outcome: "completed",
          reason: "it is in the bank's list",
          result: { id: 7 },
        } as const;
        expect(await project.steps.resolve(lease, found)).toEqual({ duplicate: false });
        expect(await project.steps.resolve(lease, found), "delivered twice").toEqual({ duplicate: true });
        const later = await fresh();
        expect(await later.runStep(lease, PAY, never)).toEqual({ result: { id: 7 }, executed: false });
        expect(await later.steps.begin(lease, PAY)).toMatchObject({ author: { entry: "mcp", name: "another agent" } });
        await expect(
          project.steps.resolve(lease, { ...found, outcome: "not_done", result: undefined }),
        ).rejects.toMatchObject({ code: "invalid-transition" });
        const events = [];
        for await (const event of later.history()) events.push(event);
        expect(events.at(-1)).toMatchObject({
          event_type: "step_resolved",
          author: { entry: "mcp", name: "another agent" },
          data: { outcome: "completed", reason: "it is in the bank's list" },
        });
        expect(await later.verify()).toMatchObject({ completed_steps: 1, damages: [] });
        expect((await later.state()).open_steps).toEqual({});
      }
    });

    it("runs again after it was found not to have happened, once", async () => {
      const { project, lease } = await killed(fails);
      const resolution = {
        step_id: "pay",
        attempt_id: 1,
        outcome: "not_done",
        reason: "the bank knows nothing",
      } as const;
      await project.steps.resolve(lease, resolution);
      await expect(project.steps.resolve(lease, { ...resolution, outcome: "abandoned" })).rejects.toMatchObject({
        code: "invalid-transition",
      });
      expect(await project.runStep(lease, PAY, async () => "paid")).toEqual({ result: "paid", executed: true });
      expect(await project.runStep(lease, PAY, never)).toEqual({ result: "paid", executed: false });
      expect((await project.verify()).damages).toEqual([]);
    });

    it("that is given up is refused with the reason, until somebody finds out", async () => {
      const { project, lease } = await killed();
      const given = { step_id: "pay", attempt_id: 1, outcome: "abandoned", reason: "the bank is closed" } as const;
      await project.steps.resolve(lease, given);
      expect((await project.activeWork()).open_steps).toEqual([]);
      for (const again of [project.runStep(lease, PAY, never), project.steps.begin(lease, PAY)])
        await expect(again).rejects.toMatchObject({
          code: "step-abandoned",
          message: expect.stringContaining('"the bank is closed"'),
        });
      await project.steps.resolve(lease, { ...given, outcome: "completed", reason: "it is open again", result: 1 });
      expect(await project.runStep(lease, PAY, never)).toEqual({ result: 1, executed: false });
      expect((await project.verify()).damages).toEqual([]);
    });

    it("is resolved only under a valid lease, by an attempt of it, and with what fits", async () => {
      const { project, lease, old, clock } = await killed();
      const good = { step_id: "pay", attempt_id: 1, outcome: "not_done", reason: "r" } as const;
      for (const [code, holder, change] of [
        ["fenced", old, {}],
        ["invalid-transition", lease, { attempt_id: 2 }],
        ["step-not-started", lease, { step_id: "another" }],
        ["bad-input", lease, { reason: " " }],
        ["bad-input", lease, { outcome: "perhaps" as never }],
        ["bad-input", lease, { result: 1 }],
        ["bad-input", lease, { outcome: "completed" as never, result: new Date(0) as never }],
      ] as const)
        await expect(project.steps.resolve(holder, { ...good, ...change })).rejects.toMatchObject({ code });
      clock.pass(40_000);
      await expect(project.steps.resolve(lease, good)).rejects.toMatchObject({ code: "lease-expired" });
      expect((await project.state()).open_steps).toHaveProperty("pay");
    });

    it("is named with its way out by every refusal: completed under the old lease, under the new one, begun with another key", async () => {
      const { project, lease, old } = await killed();
      const attempt = { step_id: "pay", attempt_id: 1 };
      const named = (code: string): object => ({
        code,
        message: expect.stringMatching(/steps\.resolve.*continuity resolve/s),
      });
      await expect(project.steps.complete(old, attempt, 1)).rejects.toMatchObject(named("fenced"));
      await expect(project.steps.complete(lease, attempt, 1)).rejects.toMatchObject(named("step-not-started"));
      const mismatch = project.steps.begin(lease, { ...PAY, idempotency_key: "invoice-18" });
      await expect(mismatch).rejects.toMatchObject(named("step-mismatch"));
      await expect(mismatch).rejects.toThrow(
        /key "invoice-17", input .*the same action under another step_id happens twice/,
      );
      const repeat = { ...PAY, repeat: "after-unknown" } as const;
      await project.steps.begin(lease, repeat);
      await expect(project.steps.begin(lease, repeat)).rejects.toMatchObject(named("step-open"));
    });

    it("records an input of more than 4,096 characters by its beginning, its length and its checksum", async () => {
      const { project, lease } = await killed();
      const text = `${"x".repeat(4094)}\u{1F600} and more`;
      await project.steps.begin(lease, { step_id: "long", step_type: "pure", input: text });
      const open = (await project.state()).open_steps["long"]!;
      expect([open.input_text, open.input_length]).toEqual([`"${"x".repeat(4094)}\uFFFD`, text.length + 2]);
      expect((await project.verify()).damages).toEqual([]);
    });

    it("of a killed executor is reached at once: under the same name, or by an owner that is known to be gone", async () => {
      const { project } = await killed();
      await expect(project.acquireLease({ owner_id: "worker" })).rejects.toMatchObject({
        code: "lease-held",
        message: expect.stringMatching(/worker's since 2026-.*, until 2026-.*takeOverFrom: "worker"/),
      });
      await expect(project.acquireLease({ owner_id: "another" })).rejects.toMatchObject({
        code: "lease-held",
        message: expect.stringMatching(/Wait until it expires or is released/),
      });
      const lease = await project.acquireLease({ owner_id: "another", isGone: (owner) => owner === "worker" });
      expect(lease.fencing_token).toBe(3);
    });
  });
}
