import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type CompletedStepRow, Continuity } from "../../src/continuity/index.ts";
import { SCHEMA_VERSION } from "../../src/continuity/ledger/events.ts";
import { restore } from "../../src/continuity/ledger/replay.ts";
import { fixedProgram, type Golden } from "./golden.ts";
import { asVersion, canonicalOf, insert, insertLedger } from "./golden-rows.ts";
import { kinds } from "./places.ts";

/** One for each schema version of events, made by the code of that time. */
const VERSIONS = ["1", "2", "3", "4", "5"] as const;
type Version = (typeof VERSIONS)[number];
const TODAY: Version = SCHEMA_VERSION;
const KINDS = kinds();

const fileOf = (version: Version): URL => new URL(`golden/v${version}.json`, import.meta.url);
/** Today's is made once, by hand: CONTINUITY_GOLDEN=write. Never made anew for what is released. */
const write = process.env["CONTINUITY_GOLDEN"] === "write";
const goldenOf = (version: Version): Golden => JSON.parse(readFileSync(fileOf(version), "utf8")) as Golden;

function withoutAuthor(row: CompletedStepRow): object {
  const { author: _, ...rest } = row;
  return rest;
}

describe.runIf(write)("the golden journal of today", () => {
  it("is written", async () => {
    expect(existsSync(fileOf(TODAY)), "it is there, and never made anew").toBe(false);
    writeFileSync(
      fileOf(TODAY),
      `${JSON.stringify(await fixedProgram(await (await KINDS[0]!.place()).open()), null, 1)}\n`,
    );
  });
});

describe.each(KINDS)("today's code on $title", ({ skip, title, place }) => {
  it.skipIf(skip)("writes the golden journal of its schema version, byte for byte", async () => {
    const [written, recorded] = [await fixedProgram(await (await place()).open()), goldenOf(TODAY)];
    expect(canonicalOf(written)).toEqual(title === "SQLite" ? recorded : canonicalOf(recorded));
    expect(canonicalOf(recorded), "what is recorded is canonical").toEqual(recorded);
  });
});

describe.each(VERSIONS)("the golden journal of schema version %s", (version) => {
  it("is there, has every type of event, and authors since version 2", () => {
    const { events, snapshots, state } = goldenOf(version);
    expect(new Set(events.map(({ event_type }) => event_type)).size).toBe(
      { 1: 13, 2: 13, 3: 14, 4: 19, 5: 24 }[version],
    );
    expect(new Set(events.map(({ schema_version }) => schema_version))).toEqual(new Set([version]));
    expect(snapshots.length).toBe(2);
    expect(events.every(({ payload }) => payload.includes('"author":'))).toBe(version !== "1");
    expect(
      Object.values(state.tasks).every(
        ({ author, status_author }) =>
          (author === undefined) === (version === "1") && (status_author === undefined) === (version === "1"),
      ),
    ).toBe(true);
  });

  for (const { skip, title, place } of KINDS) {
    it.skipIf(skip)(
      `leads to the recorded state on ${title}, from zero and from its snapshot, and can be gone on with`,
      async () => {
        const [spot, recorded] = [await place(), goldenOf(version)];
        await asVersion(Number(version), spot);
        const completed = version === "1" ? recorded.completed.map(withoutAuthor) : recorded.completed;
        await insertLedger(spot, { ...recorded, completed });
        const store = await spot.open();
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
        await project.createGoal({ text: "one more, by today's code" });
        // What was not recorded stays so; who goes on with it is recorded.
        const [open] = Object.values((await project.state()).tasks).filter(({ status }) => status === "doing");
        const { author, status_author } = await project.pauseTask({ task_id: open!.task_id });
        expect([author, status_author]).toEqual([open!.author, { entry: "mcp", name: "later" }]);
        expect(await project.verify()).toMatchObject({ events: recorded.events.length + 3, damages: [] });
      },
    );
  }
});
