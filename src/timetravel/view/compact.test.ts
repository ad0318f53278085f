import fc from "fast-check";
import { expect, it } from "vitest";
import { COMPACT_BYTES, compactTimeline } from "./compact.ts";
import { History } from "../history.ts";
import type { AgentTimeline } from "../live.ts";
import { ShortIds } from "../names/short-ids.ts";
import { timeline } from "../timeline.ts";

const ENDLESS = 'W\u0001"\u{1f469}'.repeat(2000);

/** A session of `turns` turns with `branches` branches, all of whose messages are one endless word. */
function large(turns: number, branches: number): AgentTimeline {
  const ids = Array.from({ length: 2 * turns + branches }, (_, nth) => `${nth % 7}f00d${String(nth).padStart(6, "0")}`);
  const entries = ids.map((id, nth) => ({
    type: "message",
    id,
    parentId: nth === 0 ? null : nth < 2 * turns ? ids[nth - 1]! : ids[(nth * 7) % (2 * turns)]!,
    timestamp: "2026-11-25T14:00:00.000Z",
    message: { role: nth % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text: ENDLESS }] },
  }));
  const history = new History(entries, ids[2 * turns - 1]!);
  const short = new ShortIds(ids);
  const listed = timeline(history, { most: 20 });
  const many = Array.from({ length: 300 }, (_, nth) => nth);
  return {
    ...listed,
    head: short.shorten(listed.head!),
    nodes: listed.nodes.map((node) => ({ ...node, id: short.shorten(node.id) })),
    branches: listed.branches.map((node) => ({ ...node, id: short.shorten(node.id) })),
    departures: many.map((nth) => ({ id: `d${nth}`, left_for: `l${nth}`, time: null })),
    checkpoints: many.map((nth) => ({ id: `c${nth}`, time: "" })),
    names: many.map((nth) => ({ name: `${"n".repeat(60)}${nth}`, id: `n${nth}` })),
  };
}

it("the answer on 5,000 messages and 200 branches of endless words is JSON of 2,800 bytes at most, with places of each kind and a way to the others", () => {
  const text = compactTimeline(large(2500, 200));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(COMPACT_BYTES);
  const answer = JSON.parse(text) as Record<string, { id: string }[]>;
  for (const name of ["names", "places", "branches", "departures", "checkpoints"])
    expect([name, answer[name]!.length > 2]).toEqual([name, true]);
  for (const { id } of [...answer["places"]!, ...answer["branches"]!]) expect(id.length).toBeGreaterThanOrEqual(6);
  expect(answer["left_out"]).toMatchObject({ places: 5000 - answer["places"]!.length, checkpoints: 295 });
  expect(answer["more"]).toMatch(/timeline with limit/);
  const long = compactTimeline(large(2500, 200), { most: 200, bytes: 16_000 });
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(16_000);
  expect(long.length).toBeGreaterThan(12_000);
});

it("a small session is listed whole, without a word on what is left out", () => {
  const { departures: _departures, checkpoints: _checkpoints, names: _names, ...rest } = large(2, 1);
  const text = compactTimeline({ ...rest, departures: [], checkpoints: [], names: [] });
  expect(Object.keys(JSON.parse(text) as object)).toEqual(["here", "places", "branches"]);
});

it("ids, names and words of any kind and length: always whole JSON within the limit", () => {
  const word = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.constant(ENDLESS));
  const time = fc.option(fc.constant("2026-11-25T14:00:00.000Z"));
  const node = fc.record({
    id: word,
    role: fc.constantFrom("user", "assistant", "toolResult", "note"),
    first_words: word,
    time,
    turns_back: fc.option(fc.nat()),
  });
  fc.assert(
    fc.property(
      fc.record({
        head: fc.option(word),
        nodes: fc.array(node, { maxLength: 40 }),
        more: fc.nat(),
        branches: fc.array(node, { maxLength: 40 }),
        more_branches: fc.nat(),
        departures: fc.array(fc.record({ id: word, left_for: word, time }), { maxLength: 20 }),
        checkpoints: fc.array(fc.record({ id: word, time: word }), { maxLength: 20 }),
        names: fc.array(fc.record({ name: word, id: word }), { maxLength: 20 }),
      }),
      fc.integer({ min: 1200, max: 5000 }),
      (answer, bytes) => {
        const text = compactTimeline(answer as AgentTimeline, { bytes });
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
        const read = JSON.parse(text) as { places?: unknown[]; left_out?: { places?: number } };
        expect((read.places?.length ?? 0) + (read.left_out?.places ?? 0)).toBe(answer.nodes.length + answer.more);
      },
    ),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});

it("words of form selectors, which can spell a hidden text, are shown and hide no place by their length", () => {
  const shown = large(3, 0);
  const first_words = "a\u{e0141}".repeat(100);
  const text = compactTimeline({ ...shown, nodes: shown.nodes.map((node) => ({ ...node, first_words })) });
  const { places } = JSON.parse(text) as { places: { words: string }[] };
  expect(places[0]!.words).toContain("a\u{e0141}");
  expect(text).toContain(String.raw`a\udb40\udd41`);
});
