import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Continuity } from "../../src/continuity/index.ts";
import { canonicalText } from "../../src/continuity/json.ts";
import { restore } from "../../src/continuity/replay.ts";
import { fixedProgram, type Golden } from "./golden.ts";
import { kinds, type Place } from "./places.ts";

const FILE = new URL("golden/v1.json", import.meta.url);
const KINDS = kinds();

/** Made once per version of the schema, by hand: CONTINUITY_GOLDEN=write. Never made anew for what is released. */
const write = process.env["CONTINUITY_GOLDEN"] === "write";
const golden = (): Golden => JSON.parse(readFileSync(FILE, "utf8")) as Golden;

/** Puts rows into a store as another process wrote them once. */
async function insert(place: Place, table: string, rows: readonly object[]): Promise<void> {
  for (const row of rows) {
    const columns = Object.keys(row);
    await place.sql(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`, ...(Object.values(row) as string[]));
  }
}

describe("the golden journal of version 1", () => {
  it.skipIf(!write)("is written", async () => {
    writeFileSync(FILE, `${JSON.stringify(await fixedProgram(await (await KINDS[0]!.place()).open()), null, 1)}\n`);
  });

  it("is there, and has every type of event", () => {
    expect(existsSync(FILE)).toBe(true);
    expect(new Set(golden().events.map(({ event_type }) => event_type)).size).toBe(13);
    expect(golden().snapshots.length).toBe(2);
  });

  for (const { skip, title, place } of KINDS) {
    it.skipIf(skip)(`is what today's code writes on ${title}, byte for byte`, async () => {
      const [written, recorded] = [await fixedProgram(await (await place()).open()), golden()];
      const asText = (one: Golden): object => ({ ...one, events: one.events.map((row) => ({ ...row, payload: canonicalText(JSON.parse(row.payload)) })), snapshots: one.snapshots.map((row) => ({ ...row, state_inline: canonicalText(JSON.parse(row.state_inline!)) })) });
      // PostgreSQL keeps JSON in a form of its own; its canonical text is what the checksums are of.
      expect(asText(written)).toEqual(title === "SQLite" ? recorded : asText(recorded));
      expect(asText(recorded), "what is recorded is canonical").toEqual(recorded);
    });

    it.skipIf(skip)(`leads to the recorded state on ${title}, from zero and from its snapshot, and can be gone on with`, async () => {
      const [spot, recorded] = [await place(), golden()];
      const store = await spot.open();
      await insert(spot, "workflows", [recorded.workflow]);
      await insert(spot, "events", recorded.events);
      await insert(spot, "workflow_leases", [recorded.lease]);
      await insert(spot, "step_attempts", recorded.attempts);
      await insert(spot, "completed_steps", recorded.completed);
      await insert(spot, "step_results", recorded.results);
      const zero = await restore(store, recorded.workflow, undefined, { fromZero: true });
      expect([zero.events_replayed, zero.state]).toEqual([recorded.events.length, recorded.state]);
      await insert(spot, "snapshots", recorded.snapshots);
      const snapped = await restore(store, recorded.workflow, undefined);
      expect([snapped.events_replayed, snapped.state]).toEqual([recorded.events.length - recorded.snapshots.at(-1)!.last_event_seq, recorded.state]);
      const project = await new Continuity({ store }).project("golden project");
      expect(await project.verify()).toMatchObject({ state_checksum: recorded.state_checksum, completed_steps: 1, damages: [] });
      await project.createGoal({ text: "one more, by today's code" });
      expect((await project.verify()).events).toBe(recorded.events.length + 1);
    });
  }
});
