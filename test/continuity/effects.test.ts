import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { briefing, Continuity, isGone, type Lease, type Project, workNotice } from "../../src/continuity/index.ts";
import { eventRow } from "../../src/continuity/ledger/events.ts";
import { nextEvent } from "../../src/continuity/ledger/next-event.ts";
import { restore } from "../../src/continuity/ledger/replay.ts";
import { kinds } from "./places.ts";

const PAY = { step_id: "pay-17", step_type: "non_idempotent", idempotency_key: "clé 17" } as const;
const REPEAT = { ...PAY, repeat: "after-unknown" } as const;
const never = async (): Promise<never> => expect.fail("executed again");

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`an effect that must not happen twice, on ${title}`, () => {
    async function fresh(): Promise<{ continuity: Continuity; project: Project }> {
      const continuity = new Continuity({ store: await (await place()).open() });
      return { continuity, project: await continuity.project("p") };
    }

    /** A process began the payment and was killed: it may have paid. */
    async function killed(): Promise<{ continuity: Continuity; project: Project; lease: Lease }> {
      const { continuity, project } = await fresh();
      await project.steps.begin(await project.acquireLease({ owner_id: "killed" }), PAY);
      return {
        continuity,
        project,
        lease: await project.acquireLease({ owner_id: "next", takeOverFrom: "killed" }),
      };
    }

    it("is open behind a kill, for whoever begins it: nothing is begun, and nothing is to be done", async () => {
      const { project, lease } = await killed();
      const before = await project.position();
      expect(await project.steps.begin(lease, PAY)).toMatchObject({
        status: "open",
        step_id: "pay-17",
        attempts: [{ attempt_id: 1 }],
      });
      await expect(project.runStep(lease, PAY, never)).rejects.toMatchObject({ code: "step-unknown" });
      expect(await project.position()).toBe(before);
    });

    it("stays one that may have happened when a later attempt did nothing: only a resolution of that attempt tells", async () => {
      const { project, lease } = await killed();
      for (const attempt_id of [2, 3]) {
        expect(await project.steps.begin(lease, REPEAT)).toMatchObject({ attempt_id, may_have_acted: true });
        await project.steps.fail(lease, { step_id: "pay-17", attempt_id }, "the bank's page did not load");
        expect((await project.activeWork()).open_steps).toMatchObject([{ attempt_id: 1 }]);
        await expect(project.runStep(lease, PAY, never)).rejects.toMatchObject({ code: "step-unknown" });
      }
      expect(await project.effect(PAY.idempotency_key)).toMatchObject({
        status: "may_have_happened",
        attempts: [{ attempt_id: 1 }],
      });
      expect(briefing(await project.activeWork(), { now: 0 })).toMatch(/pay-17, attempt 1 of/);
      const found = { step_id: "pay-17", attempt_id: 1, outcome: "completed", reason: "the bank", result: 9 } as const;
      expect(await project.steps.resolve(lease, found)).toEqual({ duplicate: false });
      expect(await project.steps.resolve(lease, found)).toEqual({ duplicate: true });
      expect(await project.runStep(lease, PAY, never)).toEqual({ result: 9, executed: false });
      expect((await project.verify()).damages).toEqual([]);
    });

    it("may have happened by several attempts: each is resolved for itself, and it runs when all are known to have done nothing", async () => {
      const { project, lease } = await killed();
      const attempts = [1, 2, 3, 4, 5, 6];
      for (const attempt_id of attempts.slice(1)) {
        await project.steps.begin(lease, REPEAT);
        await project.steps.fail(lease, { step_id: "pay-17", attempt_id }, "time out", { mayHaveActed: true });
      }
      const not = { step_id: "pay-17", outcome: "not_done", reason: "the bank" } as const;
      for (const attempt_id of attempts) {
        const open = (await project.activeWork()).open_steps.map((one) => one.attempt_id);
        expect(open).toEqual(attempts.slice(attempt_id - 1));
        await expect(project.runStep(lease, PAY, never)).rejects.toMatchObject({ code: "step-unknown" });
        await project.steps.resolve(lease, { ...not, attempt_id });
      }
      expect(await project.effect("clé 17")).toEqual({ status: "did_not_happen", step_id: "pay-17", attempt_id: 6 });
      expect(await project.runStep(lease, PAY, async () => "paid")).toEqual({ result: "paid", executed: true });
      expect((await project.verify()).damages).toEqual([]);
    });

    it("that a ledger has lost from its state is found by verify, whatever wrote it with right checksums", async () => {
      const store = await (await place()).open();
      const project = await new Continuity({ store }).project("p");
      await project.steps.begin(await project.acquireLease({ owner_id: "o" }), PAY);
      const before = await restore(store, (await store.workflow(project.workflow_id))!, undefined);
      const { event } = nextEvent(
        before,
        (state) => ({ type: "lease_released", data: {}, state: { ...state, open_steps: {} } }),
        {
          event_id: randomUUID(),
          at: new Date().toISOString(),
          author: project.author,
          producer_version: "test",
        },
      );
      const { checksum: _, ...payload } = event;
      expect(await store.commit({ event: eventRow(payload) })).toBe("committed");
      expect((await new Continuity({ store }).project("p").then((one) => one.verify())).damages).toMatchObject([
        {
          place: "step",
          message: expect.stringMatching(/attempt 1 of step pay-17, whose outcome nobody has recorded/),
        },
      ]);
    });

    it("that is given up stays given up when another attempt of it ends", async () => {
      const { project, lease } = await killed();
      await project.steps.begin(lease, REPEAT);
      const give = { step_id: "pay-17", attempt_id: 1, outcome: "abandoned", reason: "the bank is gone" } as const;
      await project.steps.resolve(lease, give);
      await project.steps.fail(lease, { step_id: "pay-17", attempt_id: 2 }, "nothing was done");
      for (const request of [PAY, REPEAT])
        await expect(project.steps.begin(lease, request)).rejects.toMatchObject({ code: "step-abandoned" });
      expect((await project.activeWork()).open_steps).toEqual([]);
      expect(await project.effect("clé 17")).toMatchObject({ status: "may_have_happened" });
      expect((await project.verify()).damages).toEqual([]);
    });

    it("is one by its key, in whatever spelling and under whatever name: the first one's result, or that it may have happened", async () => {
      const { project, lease } = await killed();
      const others = [
        { step_id: "pay-invoice-17", idempotency_key: "clé 17" },
        { step_id: "pay-17 ", idempotency_key: " cle\u0301 17\n" },
      ].map((one) => ({ ...PAY, ...one }));
      for (const other of others) {
        expect(await project.steps.begin(lease, other)).toMatchObject({
          status: "open",
          step_id: "pay-17",
          attempt_id: 1,
        });
        expect(await project.effect(other.idempotency_key)).toMatchObject({ status: "may_have_happened" });
        await expect(project.runStep(lease, other, never)).rejects.toMatchObject({ code: "step-unknown" });
      }
      await expect(
        project.steps.begin(lease, { ...others[0]!, step_type: "idempotent" }),
        "another type does not make it harmless",
      ).rejects.toMatchObject({ code: "step-mismatch" });
      await project.steps.resolve(lease, { step_id: "pay-17", attempt_id: 1, outcome: "not_done", reason: "the bank" });
      const paid = await project.runStep(lease, others[1]!, async ({ step_id, idempotency_key }) => [
        step_id,
        idempotency_key,
      ]);
      expect(paid.result).toEqual(["pay-17", "clé 17"]);
      for (const request of [PAY, ...others])
        expect(await project.runStep(lease, request, never)).toMatchObject({ result: ["pay-17", "clé 17"] });
      expect(await project.effect(" clé 17 ")).toMatchObject({ status: "done", result: ["pay-17", "clé 17"] });
      expect(await project.effect("clé 18")).toEqual({ status: "never_begun" });
      await expect(project.steps.begin(lease, { ...PAY, step_id: "x", idempotency_key: " " })).rejects.toMatchObject({
        code: "bad-input",
      });
      expect((await project.verify()).damages).toEqual([]);
    });

    for (const [first, second] of [
      ["idempotent", "non_idempotent"],
      ["pure", "non_idempotent"],
      ["non_idempotent", "idempotent"],
      ["non_idempotent", "pure"],
    ] as const) {
      const one = { step_id: "post", step_type: first, idempotency_key: "clé 17" };
      const other = { ...PAY, step_type: second };

      it(`happens once where its key was first that of this type of step: ${first}, and is then that of this one: ${second}`, async () => {
        for (const recordBegin of first === "non_idempotent" ? [true] : [true, false]) {
          const { project } = await fresh();
          const lease = await project.acquireLease({ owner_id: "o" });
          const key = PAY.idempotency_key;
          expect(await project.effect(key)).toEqual({ status: "never_begun" });
          await project.runStep(lease, { ...one, recordBegin }, async () => "sent");
          expect(await project.effect(key)).toMatchObject({ status: "done", step_id: "post", result: "sent" });
          await expect(project.runStep(lease, other, never)).rejects.toMatchObject({
            code: "step-mismatch",
            message: expect.stringContaining("step post to have the step_type"),
          });
          expect(await project.runStep(lease, one, never)).toMatchObject({ result: "sent" });
          expect((await project.verify()).damages).toEqual([]);
        }
      });

      it(`happens once where a step of its key was killed in the middle, of this type: ${first}, and one of this type comes after it: ${second}`, async () => {
        const spot = await place();
        const effects = join(newFolder(), "effects");
        const child = spawn(
          process.execPath,
          [
            fileURLToPath(new URL("killed-step.ts", import.meta.url)),
            JSON.stringify(spot.options),
            JSON.stringify(one),
            effects,
          ],
          { stdio: "inherit" },
        );
        expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
        expect(readFileSync(effects, "utf8")).toBe("acted\n");
        const project = await new Continuity({ store: await spot.open() }).project("p");
        const lease = await project.acquireLease({ owner_id: "next", isGone });
        await expect(project.runStep(lease, other, never)).rejects.toMatchObject({ code: "step-mismatch" });
        expect(await project.effect(PAY.idempotency_key)).toMatchObject({
          status: "may_have_happened",
          attempts: [{ step_id: "post" }],
        });
        const found = { step_id: "post", attempt_id: 1, outcome: "completed", reason: "the post", result: 9 } as const;
        await project.steps.resolve(lease, found);
        await expect(project.runStep(lease, other, never)).rejects.toMatchObject({ code: "step-mismatch" });
        expect(await project.runStep(lease, one, never)).toMatchObject({ result: 9 });
        expect((await project.verify()).damages).toEqual([]);
      });
    }

    it("is not that of harmless steps, of which several may have one key", async () => {
      const { project } = await fresh();
      const lease = await project.acquireLease({ owner_id: "o" });
      const harmless = ["a", "b"].map(
        (step_id) => ({ step_id, step_type: "idempotent", idempotency_key: "18" }) as const,
      );
      for (const step of harmless)
        expect(await project.runStep(lease, step, async () => step.step_id)).toMatchObject({ result: step.step_id });
      for (const step of harmless)
        expect(await project.runStep(lease, step, never)).toMatchObject({ result: step.step_id });
    });

    it("is begun once by two processes at once, each under a name of its own", async () => {
      const { project } = await fresh();
      const steps = ["a", "b", "c"].map((step_id) => ({ ...PAY, step_id }));
      const lease = await project.acquireLease({ owner_id: "o" });
      const begun = await Promise.allSettled(steps.map((step) => project.steps.begin(lease, step)));
      expect(begun.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect((await project.activeWork()).open_steps).toHaveLength(1);
    });

    for (const [how, copy] of [
      [
        "restored from a backup",
        async (_: Continuity, file: string) => {
          const store = await (await place()).open();
          const there = new Continuity({ store });
          await there.restore({ file });
          return { continuity: there, project: (await there.find("p"))! };
        },
      ],
    ] as const)
      it(`may have happened in a project that was ${how}, until it is resolved, or a person confirms what did`, async () => {
        const { continuity, project } = await fresh();
        const { goal_id } = await project.createGoal({ text: "Pay the invoices" });
        await project.addTask({ goal_id, title: "Pay invoice 17" });
        const first = await project.acquireLease({ owner_id: "o" });
        const old = { ...PAY, step_id: "pay-16", idempotency_key: "16" };
        const failed = { ...PAY, step_id: "pay-15", idempotency_key: "15" };
        await project.runStep(first, old, async () => "paid");
        await project.steps.fail(first, await project.steps.begin(first, failed), "no network");
        const file = join(newFolder(), "backup.jsonl");
        await continuity.backup({ file });
        const later = await copy(continuity, file);
        const work = await later.project.activeWork();
        expect(work.unknown_since).toMatchObject({ event_seq: await later.project.position() });
        const told = [briefing(work, { now: 0 }), workNotice(work, { now: 0 })];
        for (const text of told) expect(text).toMatch(/what was done since then is not known here[^]*Do NOT do/);
        expect(told[0]).not.toMatch(/Go on from here/);
        const lease = await later.project.acquireLease({ owner_id: "later" });
        // What it knows to be done is done; what does no harm is done.
        expect(await later.project.runStep(lease, old, never)).toMatchObject({ result: "paid" });
        await later.project.runStep(lease, { step_id: "build", step_type: "pure" }, async () => 1);
        for (const request of [PAY, failed]) {
          const { idempotency_key } = request;
          expect(await later.project.effect(idempotency_key)).toMatchObject({
            status: "may_have_happened",
            unknown_since: work.unknown_since,
          });
          for (const _ of [1, 2])
            expect(await later.project.steps.begin(lease, request)).toMatchObject({
              status: "open",
              attempts: [{ unknown_since: work.unknown_since!.event_seq }],
            });
          await expect(later.project.runStep(lease, request, never)).rejects.toMatchObject({ code: "step-unknown" });
          const { attempt_id } = (await later.project.activeWork()).open_steps[0]!;
          const { step_id } = request;
          for (const end of [
            () => later.project.steps.complete(lease, { step_id, attempt_id }),
            () => later.project.steps.fail(lease, { step_id, attempt_id }, "nothing"),
          ])
            await expect(end()).rejects.toMatchObject({ code: "step-not-started" });
          await later.project.steps.resolve(lease, { step_id, attempt_id, outcome: "not_done", reason: "the bank" });
          expect(await later.project.runStep(lease, request, async () => "now")).toMatchObject({ executed: true });
        }
        const other = { ...PAY, step_id: "pay-18", idempotency_key: "18" };
        expect(await later.project.effect("18")).toMatchObject({ status: "may_have_happened", attempts: [] });
        await later.project.confirmCopy("the bank's list was compared");
        expect(await later.project.effect("18")).toEqual({ status: "never_begun" });
        expect(await later.project.runStep(lease, other, async () => "now")).toMatchObject({ executed: true });
        await expect(later.project.confirmCopy("again")).rejects.toMatchObject({ code: "invalid-transition" });
        expect((await later.project.verify()).damages).toEqual([]);
      });
  });
}
