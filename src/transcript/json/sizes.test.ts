import fc from "fast-check";
import { expect, it } from "vitest";
import { sizesBetween } from "./sizes.ts";

const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => ({ name }));
const size = JSON.stringify(a).length;

it.each([
  ["an item behind a kept one", [a, b], [a, c, b], 0, { before: 0, after: size }],
  ["an item that is another now", [a, b, d], [a, c, d], 1, { before: size, after: size }],
  ["an item that is gone", [a, b], [b], 0, { before: size, after: 0 }],
  ["a kept item behind what was changed", [a, b], [c, b], 1, { before: size, after: size }],
  ["items that became one", [a, b, c], [d, c], 1, { before: 2 * size, after: size }],
  ["a place that is in no list", [a], [a, b], Number.NaN, { before: 0, after: 0 }],
])("%s", (_what, given, written, index, expected) => {
  expect(sizesBetween(given, written)(index)).toEqual(expected);
});

it("gives sizes for any two lists, and none for the same", () => {
  const items = fc.array(fc.constantFrom(a, b, c, d, null, 1n, "text"), { maxLength: 8 });
  fc.assert(
    fc.property(items, items, fc.nat(9), (given, written, index) => {
      const { before, after } = sizesBetween(given, written)(index);
      expect(before >= 0 && after >= 0).toBe(true);
    }),
  );
});
