import { describe, expect, it } from "vitest";
import { PROGRAM } from "../../src/continuity/base/author.ts";
import { stateChecksum } from "../../src/continuity/ledger/checksum.ts";
import { makePayload, eventRow, SCHEMA_VERSION } from "../../src/continuity/ledger/events.ts";
import { emptyState } from "../../src/continuity/base/state.ts";
import { Continuity } from "../../src/continuity/index.ts";
import type {
  CompletedStepRow,
  ContinuityStore,
  EventRow,
  LeaseRow,
  SnapshotRow,
  StepAttemptRow,
} from "../../src/continuity/ledger/store.ts";
import { makeUuid } from "./injected.ts";
import { kinds } from "./places.ts";

const [W, OTHER] = [makeUuid("workflow"), makeUuid("other workflow")];
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const checksum = (digit: string): string => digit.repeat(64);

/** An event at a position, which follows the one that is made so for the position before. */
function event(
  event_seq: number,
  data: Record<string, unknown> = {},
  workflow_id = W,
  event_id = makeUuid(`${workflow_id}/${event_seq}`),
  previous = event_seq === 1 ? null : event(event_seq - 1, {}, workflow_id).checksum,
): EventRow {
  const state = emptyState(workflow_id, "p");
  return eventRow(
    makePayload({ type: "goal_created", data, state }, [], {
      event_id,
      workflow_id,
      event_seq,
      timestamp: at(event_seq),
      schema_version: SCHEMA_VERSION,
      producer_version: "test",
      author: PROGRAM,
      previous,
      command: "",
      state_checksum: stateChecksum(state),
    }),
  );
}

const lease = (fencing_token: number, owner_id = "a", from = 0, to = 30): LeaseRow => ({
  workflow_id: W,
  owner_id,
  acquired_at: at(from),
  lease_expires_at: at(to),
  fencing_token,
  heartbeat_at: at(from),
});
const attempt = (attempt_id: number, step_id = "s"): StepAttemptRow => ({
  workflow_id: W,
  step_id,
  attempt_id,
  started_at: at(1),
  fencing_token: 1,
  step_type: "non_idempotent",
  idempotency_key: "key",
  input_checksum: checksum("a"),
});
const completion = (attempt_id: number, step_id = "s"): CompletedStepRow => ({
  workflow_id: W,
  step_id,
  attempt_id,
  completed_at: at(2),
  result_snapshot_ref: `row:${checksum("b")}`,
  result_checksum: checksum("b"),
});
const snapshot = (last_event_seq: number, inline = true): SnapshotRow => ({
  snapshot_id: makeUuid(`snapshot ${last_event_seq}`),
  workflow_id: W,
  step_number: 3,
  last_event_seq,
  state_inline: inline ? '{"a": 1}' : null,
  state_s3_key: inline ? null : `${W}/${checksum("c")}`,
  state_checksum: checksum("d"),
  created_at: at(last_event_seq),
});

const KINDS = kinds();

for (const { kind, skip, title, place } of KINDS) {
  describe.skipIf(skip)(`the store on ${title}`, () => {
    async function opened(): Promise<ContinuityStore> {
      const store = await (await place()).open();
      await store.ensureWorkflow({ workflow_id: W, project_id: "p", created_at: at(0) });
      return store;
    }

    it("makes a workflow once, and does not set its ledger back when it is made again", async () => {
      const store = await opened();
      await store.commit({ event: event(1) });
      await store.ensureWorkflow({ workflow_id: W, project_id: "p", created_at: at(9) });
      const row = {
        workflow_id: W,
        project_id: "p",
        created_at: at(0),
        last_event_seq: 1,
        head_checksum: event(1).checksum,
      };
      expect(await store.workflow(W)).toEqual(row);
      expect(await store.workflows()).toEqual([row]);
      expect(await store.workflow(OTHER)).toBeUndefined();
    });

    it("gives events back as they were written, in the order of the ledger, and none of another workflow", async () => {
      const store = await opened();
      await store.ensureWorkflow({ workflow_id: OTHER, project_id: "q", created_at: at(0) });
      const rows = [1, 2, 3].map((seq) => event(seq));
      for (const row of rows) expect(await store.commit({ event: row })).toBe("committed");
      await store.commit({ event: event(1, {}, OTHER) });
      const plain = (row: EventRow): unknown => ({ ...row, payload: JSON.parse(row.payload) as unknown });
      expect((await store.eventsAfter(W, 0, 10)).map(plain)).toEqual(rows.map(plain));
      expect((await store.eventsAfter(W, 1, 1)).map(({ event_seq }) => event_seq)).toEqual([2]);
      expect(plain((await store.eventById(W, rows[1]!.event_id))!)).toEqual(plain(rows[1]!));
      expect(await store.eventById(OTHER, rows[1]!.event_id)).toBeUndefined();
    });

    it("writes nothing of a commit whose position is taken or not the next one", async () => {
      const store = await opened();
      const beside = {
        acquire: lease(1),
        attempt: attempt(1),
        completion: completion(1),
        result: { checksum: checksum("b"), content: "1" },
      };
      await store.commit({ event: event(1) });
      const others = [event(1, {}, W, makeUuid("another")), event(3), event(1)];
      for (const late of others) {
        expect(await store.commit({ event: late })).toBe("stale");
        expect(await store.commit({ event: late, ...beside })).toBe("stale");
      }
      expect(await store.commit({ event: event(1, {}, OTHER), ...beside })).toBe("stale");
      expect((await store.eventsAfter(W, 0, 10)).length).toBe(1);
      expect([
        await store.lease(W),
        (await store.step(W, "s", 1)).attempt,
        (await store.step(W, "s", 1)).completion,
        await store.result(checksum("b")),
      ]).toEqual([undefined, undefined, undefined, undefined]);
      expect(await store.workflow(W)).toMatchObject({ last_event_seq: 1, head_checksum: event(1).checksum });
    });

    it("writes nothing of a commit that follows another event than the one at the ledger's end", async () => {
      const store = await opened();
      const beside = { attempt: attempt(1) };
      await store.commit({ event: event(1) });
      const follower = event(2, {}, W, makeUuid("follower"), event(1, { of: "another copy of the store" }).checksum);
      for (const commit of [
        { event: follower },
        { event: follower, ...beside },
        { event: follower, acquire: lease(1) },
      ])
        expect(await store.commit(commit)).toBe("stale");
      expect((await store.eventsAfter(W, 0, 10)).length).toBe(1);
      expect((await store.step(W, "s", 1)).attempt).toBeUndefined();
    });

    it("gives a lease to one owner until it ends, under a token that grows", async () => {
      const store = await opened();
      expect(await store.commit({ event: event(1), acquire: lease(1) })).toBe("committed");
      expect(await store.commit({ event: event(2), acquire: lease(2, "b", 29, 60), attempt: attempt(1) })).toBe(
        "lease-held",
      );
      expect([
        (await store.eventsAfter(W, 0, 10)).length,
        (await store.step(W, "s", 1)).attempt,
        (await store.workflow(W))!.last_event_seq,
      ]).toEqual([1, undefined, 1]);
      expect(await store.commit({ event: event(2), acquire: lease(1, "b", 40, 60) })).toBe("lease-held");
      expect(await store.commit({ event: event(2), acquire: lease(2, "b", 30, 60) })).toBe("committed");
      expect(await store.lease(W)).toEqual(lease(2, "b", 30, 60));
    });

    it("gives a lease that has not ended only to who names its very owner as gone", async () => {
      const store = await opened();
      await store.commit({ event: event(1), acquire: lease(1) });
      expect(await store.commit({ event: event(2), acquire: lease(2, "b", 5, 60), takeOverFrom: "another" })).toBe(
        "lease-held",
      );
      expect(await store.commit({ event: event(2), acquire: lease(1, "b", 5, 60), takeOverFrom: "a" })).toBe(
        "lease-held",
      );
      expect(await store.commit({ event: event(2), acquire: lease(2, "b", 5, 60), takeOverFrom: "a" })).toBe(
        "committed",
      );
      expect(await store.lease(W)).toEqual(lease(2, "b", 5, 60));
    });

    it("prolongs a lease for its owner and token only, and not once it was given back", async () => {
      const store = await opened();
      const beat = { workflow_id: W, owner_id: "a", fencing_token: 1, at: at(10), lease_expires_at: at(40) };
      expect(await store.heartbeat(beat)).toBe(false);
      await store.commit({ event: event(1), acquire: lease(1) });
      expect(await store.heartbeat({ ...beat, owner_id: "b" })).toBe(false);
      expect(await store.heartbeat({ ...beat, fencing_token: 2 })).toBe(false);
      expect(await store.heartbeat({ ...beat, workflow_id: OTHER })).toBe(false);
      expect(await store.heartbeat(beat)).toBe(true);
      expect(await store.lease(W)).toEqual({ ...lease(1), heartbeat_at: at(10), lease_expires_at: at(40) });
      await store.commit({ event: event(2), release: { owner_id: "a", fencing_token: 1, at: at(11) } });
      expect(await store.lease(W)).toMatchObject({ fencing_token: 1, lease_expires_at: at(11) });
      expect(await store.heartbeat(beat)).toBe(false);
      expect(await store.commit({ event: event(3), acquire: lease(2, "b", 11, 50) })).toBe("committed");
    });

    it("keeps attempts, one completion per step, and the result with it", async () => {
      const store = await opened();
      await store.commit({ event: event(1), attempt: attempt(1) });
      await store.commit({ event: event(2), attempt: attempt(2) });
      expect((await store.step(W, "s", 1)).attempt).toEqual(attempt(2));
      expect((await store.step(OTHER, "s", 1)).attempt).toBeUndefined();
      await store.commit({
        event: event(3),
        completion: completion(2),
        result: { checksum: checksum("b"), content: '"r"' },
      });
      expect((await store.step(W, "s", 1)).completion).toEqual(completion(2));
      expect(await store.completedSteps(W)).toEqual([completion(2)]);
      expect([
        (await store.step(OTHER, "s", 1)).completion,
        await store.completedSteps(OTHER),
        await store.result(checksum("b")),
        await store.result(checksum("f")),
      ]).toEqual([undefined, [], '"r"', undefined]);
      await expect(store.commit({ event: event(4), completion: completion(1) }), "a second completion").rejects.toThrow(
        /unique/i,
      );
      await expect(store.commit({ event: event(4), attempt: attempt(2) }), "an attempt's number twice").rejects.toThrow(
        /unique/i,
      );
      await expect(
        store.commit({ event: event(4), completion: completion(1, "never begun") }),
        "a completion without an attempt",
      ).rejects.toThrow(/foreign key/i);
      expect((await store.eventsAfter(W, 0, 10)).length).toBe(3);
      await store.commit({ event: event(4), attempt: attempt(1, "t") });
      expect(
        await store.commit({
          event: event(5),
          completion: completion(1, "t"),
          result: { checksum: checksum("b"), content: '"r"' },
        }),
        "the same result of another step",
      ).toBe("committed");
    });

    it("keeps the latest snapshots, one per position, and tells which it dropped", async () => {
      const store = await opened();
      expect(await store.latestSnapshot(W)).toBeUndefined();
      expect(await store.addSnapshot(snapshot(10), 2)).toEqual([]);
      expect(await store.addSnapshot(snapshot(30, false), 2)).toEqual([]);
      expect(await store.addSnapshot({ ...snapshot(30), snapshot_id: makeUuid("twice") }, 2)).toEqual([]);
      expect((await store.addSnapshot(snapshot(20), 2)).map(({ last_event_seq }) => last_event_seq)).toEqual([10]);
      expect(await store.latestSnapshot(W)).toEqual(snapshot(30, false));
      const [first, ...rest] = await store.snapshots(W);
      expect([first!.last_event_seq, JSON.parse(first!.state_inline!), rest]).toEqual([
        20,
        { a: 1 },
        [snapshot(30, false)],
      ]);
      expect([await store.snapshots(OTHER), await store.latestSnapshot(OTHER)]).toEqual([[], undefined]);
      await store.removeSnapshots(OTHER);
      expect((await store.snapshots(W)).length).toBe(2);
      await store.removeSnapshots(W);
      expect(await store.snapshots(W)).toEqual([]);
    });

    it("gives numbers, texts of every plane and objects back as they were, whatever the order of their keys", async () => {
      const store = await opened();
      const data = {
        z: 1,
        a: 2,
        "": 3,
        "a.b": 4,
        Ä: 5,
        "\u{1F600}": 6,
        numbers: [0, -1, 0.1, 1e21, 5e-324, 1.7976931348623157e308, 9007199254740991, 9007199254740994, -2.5e-7],
        texts: ["", '\u0001\u001f\u007f"\\/', "ä\u0308 \u2028 \u{10FFFF} \uFFFD", "x".repeat(100_000)],
        nested: { null: null, yes: true, list: [[], {}, [{}]] },
      };
      const row = event(1, data);
      await store.commit({ event: row });
      const [found] = await store.eventsAfter(W, 0, 1);
      expect((JSON.parse(found!.payload) as { data: unknown }).data).toEqual(data);
      expect(found!.checksum).toBe(row.checksum);
    });

    it("serves two at once: each position goes to one of them", async () => {
      const spot = await place();
      const stores = await Promise.all([spot.open(), spot.open()]);
      await stores[0].ensureWorkflow({ workflow_id: W, project_id: "p", created_at: at(0) });
      for (let seq = 1; seq <= 20; seq++) {
        const { head_checksum } = (await stores[0].workflow(W))!;
        const outcomes = await Promise.all(
          stores.map((store, who) =>
            store.commit({
              event: event(seq, { who }, W, makeUuid(`${who}/${seq}`), head_checksum),
              attempt: attempt(seq),
            }),
          ),
        );
        expect(outcomes.toSorted()).toEqual(["committed", "stale"]);
      }
      expect((await stores[1].eventsAfter(W, 0, 100)).map(({ event_seq }) => event_seq)).toEqual(
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
    });

    it("refuses U+0000 and half surrogates before anything is written, wherever a text comes in", async () => {
      const continuity = new Continuity({ store: await (await place()).open() });
      const project = await continuity.project("p");
      const { goal_id } = await project.createGoal({ text: "g" });
      const { task_id } = await project.addTask({ goal_id, title: "t" });
      const owner = await project.acquireLease({ owner_id: "o" });
      for (const bad of ["a\u0000b", "a\ud800b", "\udc00"]) {
        const refused: Promise<unknown>[] = [
          continuity.project(bad),
          project.createGoal({ text: bad }),
          project.addTask({ goal_id, title: bad }),
          project.addTask({ goal_id, title: "t", acceptance_criteria: [bad] }),
          project.blockTask({ task_id, blocker: bad }),
          project.completeTask({ task_id, evidence: bad }),
          project.createGoal({ text: "g", command_id: bad }),
          project.updateCheckpoint({ task_id, where_we_left_off: "w", next_step: "n", needed_context_refs: [bad] }),
          project.acquireLease({ owner_id: bad }),
          project.steps.begin(owner, { step_id: bad, step_type: "pure" }),
          project.steps.begin(owner, { step_id: "s", step_type: "pure", input: { [bad]: 1 } }),
          project.steps.complete(owner, { step_id: "s", attempt_id: 1 }, [bad]),
        ];
        for (const one of refused) await expect(one).rejects.toMatchObject({ code: "bad-input" });
      }
      const begun = await project.steps.begin(owner, { step_id: "s", step_type: "pure" });
      await project.steps.fail(owner, begun, `${"x".repeat(999)}\u{1F600}\u0000 the message of a program's error`);
      expect((await project.state()).open_steps).toEqual({});
      expect(await project.verify()).toMatchObject({ events: 5, damages: [] });
    });

    it("finds no id of another project", async () => {
      const continuity = new Continuity({ store: await (await place()).open() });
      const [p, q] = [await continuity.project("p"), await continuity.project("q")];
      const { goal_id } = await p.createGoal({ text: "g" });
      const { task_id } = await p.addTask({ goal_id, title: "t" });
      const foreign: Promise<unknown>[] = [
        q.addTask({ goal_id, title: "t" }),
        q.setGoalStatus({ goal_id, status: "paused" }),
        q.startTask({ task_id }),
        q.pauseTask({ task_id }),
        q.blockTask({ task_id, blocker: "b" }),
        q.completeTask({ task_id }),
        q.updateCheckpoint({ task_id, where_we_left_off: "w", next_step: "n" }),
      ];
      for (const one of foreign) await expect(one).rejects.toMatchObject({ code: "not-found" });
      const [own, other] = [await p.acquireLease({ owner_id: "o" }), await q.acquireLease({ owner_id: "o" })];
      expect(own.fencing_token).toBe(other.fencing_token);
      await expect(q.steps.begin(other, { step_id: "s", step_type: "pure", task_id })).rejects.toMatchObject({
        code: "not-found",
      });
      await p.steps.begin(own, { step_id: "s", step_type: "pure" });
      await expect(q.steps.complete(other, { step_id: "s", attempt_id: 1 })).rejects.toMatchObject({
        code: "step-not-started",
      });
      await p.createGoal({ text: "same command", command_id: "c" });
      await q.createGoal({ text: "of another project", command_id: "c" });
      expect(await continuity.projects()).toEqual(["p", "q"]);
      expect(Object.values((await q.state()).goals).map(({ text }) => text)).toEqual(["of another project"]);
    });

    it("brings no name that every object has into the ledger", async () => {
      const spot = await place();
      const project = await new Continuity({ store: await spot.open() }).project("p");
      const owner = await project.acquireLease({ owner_id: "o" });
      for (const name of ["constructor", "__proto__", "prototype", "toString", "hasOwnProperty"]) {
        await expect(project.addTask({ goal_id: name, title: "t" })).rejects.toMatchObject({ code: "not-found" });
        await expect(project.startTask({ task_id: name })).rejects.toMatchObject({ code: "not-found" });
        await expect(
          project.updateCheckpoint({ task_id: name, where_we_left_off: "w", next_step: "n" }),
        ).rejects.toMatchObject({ code: "not-found" });
        await expect(project.steps.complete(owner, { step_id: name, attempt_id: 1 })).rejects.toMatchObject({
          code: "step-not-started",
        });
      }
      for (const step_id of ["toString", "hasOwnProperty", "valueOf", "a/b", "~1", "-", "0"])
        await project.runStep(owner, { step_id, step_type: "pure" }, async () => step_id);
      await project.steps.begin(owner, { step_id: "isPrototypeOf", step_type: "pure" });
      const again = await new Continuity({ store: await spot.open() }).project("p");
      expect(await again.state()).toEqual(await project.state());
      expect(await again.verify()).toMatchObject({ completed_steps: 7, damages: [] });
    });

    it(`refuses a ${kind === "sqlite" ? "file" : "schema"} of a newer version and does not change it`, async () => {
      const spot = await place();
      await (await spot.open()).ensureWorkflow({ workflow_id: W, project_id: "p", created_at: at(0) });
      await spot.sql(kind === "sqlite" ? "PRAGMA user_version = 99" : "UPDATE schema_versions SET version = 99");
      const everything = async (): Promise<unknown> =>
        kind === "sqlite"
          ? [
              await spot.sql("SELECT * FROM sqlite_schema"),
              await spot.sql("PRAGMA user_version"),
              await spot.sql("SELECT * FROM workflows"),
            ]
          : [
              await spot.sql(
                "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2",
              ),
              await spot.sql("SELECT * FROM schema_versions"),
              await spot.sql("SELECT * FROM workflows"),
            ];
      const before = await everything();
      await expect(spot.open()).rejects.toMatchObject({ code: "newer" });
      expect(await everything()).toEqual(before);
    });
  });
}
