import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { type ContinuityStore, Continuity } from "../../src/continuity/index.ts";
import { SCHEMA_VERSION } from "../../src/continuity/ledger/events.ts";
import { restore } from "../../src/continuity/ledger/replay.ts";
import type { Golden } from "./golden.ts";
import { toCanonical, insert, insertLedger } from "./golden-rows.ts";
import { injected } from "./injected.ts";
import { kinds } from "./places.ts";

/** A ledger that was restored. Written anew with CONTINUITY_GOLDEN=write. */
const FILE = new URL(`golden/v${SCHEMA_VERSION}-copies.json`, import.meta.url);
const KINDS = kinds();
const write = process.env["CONTINUITY_GOLDEN"] === "write";
const golden = (): Golden => JSON.parse(readFileSync(FILE, "utf8")) as Golden;

/** What a project has in a second store, into which a backup was restored. */
async function fixedCopies(source: ContinuityStore, target: ContinuityStore): Promise<Golden> {
  const clock = injected("golden copies");
  const common = {
    producer_version: "golden",
    author: { entry: "cli", name: "ann" },
    snapshots: { everyEvents: 4, inlineBytes: 1e6, keep: 2 },
    ...clock,
  } as const;
  const [from, to] = [new Continuity({ store: source, ...common }), new Continuity({ store: target, ...common })];
  const project = await from.project("golden source");
  const { goal_id } = await project.createGoal({ text: "Ship it: \u{1F680}" });
  const { task_id } = await project.addTask({ goal_id, title: "first" });
  await project.startTask({ task_id });
  const lease = await project.acquireLease({ owner_id: "executor", ttlMs: 5000 });
  await project.runStep(lease, { step_id: "kept", step_type: "pure" }, async () => "a result of its own".repeat(20));
  await project.completeTask({ task_id, evidence: "read" });
  clock.pass(60_000);
  const second = await project.addTask({ goal_id, title: "second" });
  await project.startTask({ task_id: second.task_id });
  const held = await project.acquireLease({ owner_id: "executor", takeOverFrom: "executor", ttlMs: 5000 });
  const pay = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "17" } as const;
  const { attempt_id } = await project.steps.begin(held, pay);
  // Another author says why it failed.
  await project
    .as({ entry: "mcp", name: "editor" })
    .steps.fail(held, { step_id: "pay", attempt_id }, "time out", { mayHaveActed: true });
  const file = join(newFolder(), "backup.jsonl");
  await from.backup({ file, projects: ["golden source"] });
  clock.pass(60_000);
  await to.restore({ file });

  const copy = await to.project("golden source");
  const { workflow_id } = copy;
  const completed = await target.completedSteps(workflow_id);
  return {
    workflow: (await target.workflow(workflow_id))!,
    events: await target.eventsAfter(workflow_id, 0, 1000),
    snapshots: await target.snapshots(workflow_id),
    lease: (await target.lease(workflow_id))!,
    attempts: await Promise.all(
      ["kept", "pay"].map(async (step_id) => (await target.step(workflow_id, step_id, 1)).attempt!),
    ),
    completed,
    results: await Promise.all(
      completed.map(async ({ result_checksum: checksum }) => ({
        checksum,
        content: (await target.result(checksum))!,
      })),
    ),
    state: await copy.state(),
    state_checksum: String((await copy.verify()).state_checksum),
  };
}

const [SQLITE] = KINDS;
const ours = async (kind: (typeof KINDS)[number]): Promise<Golden> =>
  fixedCopies(await (await kind.place()).open(), await (await kind.place()).open());

describe.runIf(write)("the golden copy", () => {
  it("is written", async () => {
    writeFileSync(FILE, `${JSON.stringify(await ours(SQLITE!), null, 1)}\n`);
  });
});

describe.each(KINDS)("today's code on $title", (kind) => {
  it.skipIf(kind.skip)("writes the golden copy, byte for byte", async () => {
    expect(toCanonical(await ours(kind))).toEqual(toCanonical(golden()));
  });
});

describe("the golden copy", () => {
  it("has the event that only a copy has", () => {
    const { events } = golden();
    const types = events.map(({ event_type }) => event_type);
    expect(types.at(-1)).toBe("project_restored");
    expect(new Set(events.map(({ schema_version }) => schema_version))).toEqual(new Set([SCHEMA_VERSION]));
  });

  for (const { skip, title, place } of KINDS) {
    it.skipIf(skip)(`leads to the recorded state on ${title}, and can be gone on with`, async () => {
      const [spot, recorded] = [await place(), golden()];
      const store = await spot.open();
      await insertLedger(spot, recorded);
      await insert(spot, "snapshots", recorded.snapshots);
      expect((await restore(store, recorded.workflow, undefined, { fromZero: true })).state).toEqual(recorded.state);
      const project = await new Continuity({ store }).project("golden source");
      expect(await project.verify()).toMatchObject({ state_checksum: recorded.state_checksum, damages: [] });
      const lease = await project.acquireLease({ owner_id: "later" });
      // No token of before the restoration is given again.
      expect(lease.fencing_token).toBe(recorded.lease.fencing_token + 1);
      const kept = { step_id: "kept", step_type: "pure" } as const;
      expect(await project.runStep(lease, kept, async () => expect.fail("executed again"))).toEqual({
        result: "a result of its own".repeat(20),
        executed: false,
      });
      expect(Object.values((await project.state()).open_steps)).toMatchObject([
        { step_id: "pay", error: "time out", error_author: { entry: "mcp", name: "editor" } },
      ]);
      await project.createGoal({ text: "one more" });
      expect(await project.verify()).toMatchObject({ damages: [] });
    });
  }
});
