import fc from "fast-check";
import { expect, it } from "vitest";
import { visible, visibleJson, visibleLines } from "./visible.ts";

const UNSEEN = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  0x7f,
  ...Array.from({ length: 0x20 }, (_, more) => 0x80 + more),
  0xad,
  0x34f,
  0x61c,
  0x115f,
  0x1160,
  0x180e,
  0x200b,
  0x200c,
  0x200d,
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  0x202a,
  0x202b,
  0x202c,
  0x202d,
  0x202e,
  0x2060,
  0x2066,
  0x2067,
  0x2068,
  0x2069,
  0x206a,
  0x3164,
  0xfe00,
  0xfe0f,
  0xfeff,
  0xffa0,
  0xfff9,
  0xe0001,
  0xe0020,
  0xe0041,
  0xe007f,
  0xe0100,
  0xe01ef,
].map((code) => String.fromCodePoint(code));

it("nothing that a terminal acts on or does not show is left between plain letters", () => {
  for (const character of UNSEEN) {
    const shown = visible(`ad${character}min`);
    expect(shown).toMatch(/^ad\\u(?:[\da-f]{4}|\{[\da-f]{5}\})min$/);
    expect(visible(shown)).toBe(shown);
  }
  expect(visible("\u001b[2J\u009b2J \ud800 \u{e0041}")).toBe(String.raw`\u001b[2J\u009b2J \ud800 \u{e0041}`);
  expect(visibleLines("one\ntwo\r\u2028")).toBe("one\ntwo\\u000d\\u2028");
});

it("emoji and letters that are made of several characters stay whole; a joiner or a form that nothing needs is shown", () => {
  for (const text of ["👩‍👩‍👧", "👩🏽‍🚀", "❤️‍🔥", "1️⃣", "می‌خواهم", "क्‍ष", "葛\u{e0100}", "é ü 漢字 ش"])
    expect(visible(text)).toBe(text);
  expect(visible("👩\u200dx \ufe0fx ❤\ufe0f\ufe0f")).toBe("👩\\u200dx \\ufe0fx ❤\ufe0f\\ufe0f");
});

it.each([
  ["\ufe0f\u200d👩", "\\ufe0f\\u200d👩"],
  ["#\ufe0f\u200d👩", "#\\ufe0f\\u200d👩"],
  ["\u061c\u200dش", "\\u061c\\u200dش"],
  ["ش\u200c\u061c", "ش\\u200c\\u061c"],
  ["👩\ufe0f\u200d👩", "👩\ufe0f\u200d👩"],
])(
  "a joiner beside a character that is escaped is escaped too, or a second pass would change the text: %j",
  (text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(visible(shown)).toBe(shown);
  },
);

it("whatever a text is: one line without a control, the same twice; as JSON the same value without one", () => {
  const unit = fc.oneof(
    fc.constantFrom(...UNSEEN, "\ud800", "\udc00", "\\", '"', "👩", "1", "ش"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  );
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const shown = visible(text);
      expect(shown).not.toMatch(
        /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u,
      );
      expect(shown.isWellFormed()).toBe(true);
      expect(visible(shown)).toBe(shown);
      const json = visibleJson(JSON.stringify({ [text]: [text] }, null, 2));
      expect(json.replaceAll("\n", "")).not.toMatch(
        /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u,
      );
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
    }),
    { numRuns: 2000 },
  );
});
