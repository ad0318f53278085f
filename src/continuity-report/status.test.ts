import fc from "fast-check";
import { expect, it } from "vitest";
import { byNeed, type Need, NEEDS, type ProjectStatus, type UnreadProject } from "./status.ts";

const name = fc.string({ minLength: 1, maxLength: 3 });
const readable = fc.record({
  project_id: name,
  needs: fc.constantFrom<Need | null>("unknown_step", "blocked", "rested", null),
  worked_at: fc.constantFrom(null, "2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z"),
  tasks: fc.constantFrom([], [{}]),
  open_steps: fc.constant([]),
  lease: fc.constant(null),
});
const unread = fc.record({ project_id: fc.option(name), needs: fc.constant("damaged"), code: fc.constant("damaged") });
const projects = fc.uniqueArray(fc.oneof(readable, unread) as unknown as fc.Arbitrary<ProjectStatus | UnreadProject>, {
  maxLength: 12,
  selector: (one) => one.project_id,
});

it("projects come in one order, whatever order they were read in, and what is more urgent is never behind", () => {
  fc.assert(
    fc.property(
      projects.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([all, shuffled]) => {
        const sorted = byNeed(all, (one) => one);
        expect(byNeed(shuffled, (one) => one)).toEqual(sorted);
        expect(new Set(sorted)).toEqual(new Set(all));
        const ranks = sorted.map(({ needs }) => (needs === null ? NEEDS.length : NEEDS.indexOf(needs)));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      },
    ),
  );
});
