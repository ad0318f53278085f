import fc from "fast-check";
import { expect, it } from "vitest";
import { TimeTravelError } from "../errors.ts";
import { byShortId, MIN_SHORT_ID, SHOWN_SHORT_ID, ShortIds } from "./short-ids.ts";

const RUNS = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) };
/** Ids as stores have them, many with a common beginning; some begin with another one, or are of wide characters. */
const ids = fc.uniqueArray(
  fc.oneof(
    fc.uuid(),
    fc.string({ unit: fc.constantFrom("a", "b", "-"), minLength: 1, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom("\u{1f469}", "\u{1f468}", "\u05d0"), minLength: 1, maxLength: 8 }),
  ),
  { minLength: 1, maxLength: 40 },
);

it("what is shown is the beginning of one id only, whole characters, and is accepted for that id", () => {
  fc.assert(
    fc.property(ids, (all) => {
      const short = new ShortIds(all);
      const shown = all.map((id) => short.shorten(id));
      expect(new Set(shown).size).toBe(all.length);
      for (const [at, id] of all.entries()) {
        expect(id.startsWith(shown[at]!)).toBe(true);
        expect(shown[at]!.isWellFormed()).toBe(true);
        expect(shown[at]!.length).toBeGreaterThanOrEqual(Math.min(SHOWN_SHORT_ID, id.length));
        expect(short.find(shown[at]!)).toBe(id);
      }
    }),
    RUNS,
  );
});

it("a beginning finds the only id that has it, is refused with candidates where several have it, and finds nothing where none has", () => {
  fc.assert(
    fc.property(ids, fc.nat(), fc.nat(), (all, which, length) => {
      const id = all[which % all.length]!;
      const written = id.slice(0, 1 + (length % id.length));
      const short = new ShortIds(all);
      const meant = all.filter((one) => one.startsWith(written));
      if (all.includes(written)) expect(short.find(written)).toBe(written);
      else if (written.length < MIN_SHORT_ID) expect(short.find(written)).toBeUndefined();
      else if (meant.length === 1) expect(short.find(written)).toBe(id);
      else {
        const refusal = catchRefusal(() => short.find(written));
        expect(refusal.code).toBe("ambiguous-id");
        expect(refusal.message).toContain(`${meant.length} ids begin`);
      }
    }),
    RUNS,
  );
});

it("a refusal lists the first candidates whole, and counts the others", () => {
  const all = Array.from({ length: 9 }, (_, nth) => `abcdef${nth}`);
  expect(catchRefusal(() => new ShortIds(all).find("abcde")).message).toContain(
    "abcdef0, abcdef1, abcdef2, abcdef3, abcdef4, and 4 more",
  );
});

it("an id that begins with another one is shown whole, and the shorter one is found by its whole", () => {
  const short = new ShortIds(["abcdefgh", "abcdefghij"]);
  expect([short.shorten("abcdefgh"), short.shorten("abcdefghij")]).toEqual(["abcdefgh", "abcdefghi"]);
  expect(short.find("abcdefgh")).toBe("abcdefgh");
  expect(short.shorten("not there")).toBe("not there");
});

it("one of a list is found by the beginning of its id", () => {
  const list = [{ id: "abcdefgh" }, { id: "bcdefghi" }];
  expect(byShortId(list, "bcde")).toBe(list[1]);
  expect(byShortId(list, "cdef")).toBeUndefined();
});

function catchRefusal(work: () => unknown): TimeTravelError {
  try {
    work();
  } catch (error) {
    if (error instanceof TimeTravelError) return error;
    throw error;
  }
  throw new Error("expected a refusal; there was none");
}
