import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Continuity } from "../../src/continuity/index.ts";
import { SCHEMA_VERSION } from "../../src/continuity/ledger/events.ts";
import { restore } from "../../src/continuity/ledger/replay.ts";
import { fixedProgram, type Golden } from "./golden.ts";
import { toCanonical, insert, insertLedger } from "./golden-rows.ts";
import { kinds } from "./places.ts";

/** The format of a ledger, byte for byte. Written anew with CONTINUITY_GOLDEN=write, where the format is to be another. */
const FILE = new URL(`golden/v${SCHEMA_VERSION}.json`, import.meta.url);
const KINDS = kinds();
const write = process.env["CONTINUITY_GOLDEN"] === "write";
const golden = (): Golden => JSON.parse(readFileSync(FILE, "utf8")) as Golden;

describe.runIf(write)("the golden journal", () => {
  it("is written", async () => {
    writeFileSync(FILE, `${JSON.stringify(await fixedProgram(await (await KINDS[0]!.place()).open()), null, 1)}\n`);
  });
});

describe.each(KINDS)("today's code on $title", ({ skip, title, place }) => {
  it.skipIf(skip)("writes the golden journal, byte for byte", async () => {
    const [written, recorded] = [await fixedProgram(await (await place()).open()), golden()];
    expect(toCanonical(written)).toEqual(title === "SQLite" ? recorded : toCanonical(recorded));
    expect(toCanonical(recorded), "what is recorded is canonical").toEqual(recorded);
  });
});

describe("the golden journal", () => {
  it("has every type of event, each with its author", () => {
    const { events, snapshots } = golden();
    expect(new Set(events.map(({ event_type }) => event_type)).size).toBe(24);
    expect(new Set(events.map(({ schema_version }) => schema_version))).toEqual(new Set([SCHEMA_VERSION]));
    expect(snapshots.length).toBe(2);
    expect(events.every(({ payload }) => payload.includes('"author":'))).toBe(true);
  });

  for (const { skip, title, place } of KINDS) {
    it.skipIf(skip)(
      `leads to the recorded state on ${title}, from zero and from its snapshot, and can be gone on with`,
      async () => {
        const [spot, recorded] = [await place(), golden()];
        const store = await spot.open();
        await insertLedger(spot, recorded);
        const zero = await restore(store, recorded.workflow, undefined, { fromZero: true });
        expect([zero.events_replayed, zero.state]).toEqual([recorded.events.length, recorded.state]);
        await insert(spot, "snapshots", recorded.snapshots);
        const snapped = await restore(store, recorded.workflow, undefined);
        expect([snapped.events_replayed, snapped.state]).toEqual([
          recorded.events.length - recorded.snapshots.at(-1)!.last_event_seq,
          recorded.state,
        ]);
        const project = await new Continuity({ store, author: { entry: "mcp", name: "later" } }).project(
          "golden project",
        );
        expect(await project.verify()).toMatchObject({
          state_checksum: recorded.state_checksum,
          completed_steps: recorded.completed.length,
          damages: [],
        });
        const done = recorded.completed.find(({ step_id }) => step_id === "step/one~1")!;
        const thief = await project.acquireLease({ owner_id: "o", takeOverFrom: recorded.lease.owner_id });
        const again = { step_id: done.step_id, step_type: "pure", input: { b: [1, 0.1, 1e21], a: null } } as const;
        expect(await project.runStep(thief, again, async () => expect.fail("executed again"))).toEqual({
          result: JSON.parse(recorded.results[0]!.content),
          executed: false,
        });
        await project.createGoal({ text: "one more" });
        const [open] = Object.values((await project.state()).tasks).filter(({ status }) => status === "doing");
        const { author, status_author } = await project.pauseTask({ task_id: open!.task_id });
        expect([author, status_author]).toEqual([open!.author, { entry: "mcp", name: "later" }]);
        expect(await project.verify()).toMatchObject({ events: recorded.events.length + 3, damages: [] });
      },
    );
  }
});
