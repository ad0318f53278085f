import fc from "fast-check";
import { expect, test } from "vitest";
import { textWidth, wrappedSentence } from "./width.ts";

const word = fc.string({ unit: fc.constantFrom("a", "b", "家", "é", "`"), minLength: 1, maxLength: 12 });

test("wrapping changes nothing but spaces, fits where words do, and leaves a command between backticks whole", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 10, max: 80 }), (words, columns) => {
      const text = words.join(" ");
      const lines = wrappedSentence(text, columns);
      expect(lines.map((line) => line.trim()).join(" ")).toBe(text);
      for (const line of lines) if (textWidth(line) > columns) expect(line.trim()).toMatch(/^(?:\S+|[^`]*`.*)$/);
    }),
  );
  expect(wrappedSentence("  done, and `sessions list --agent one` lists them all", 24)).toEqual([
    "  done, and",
    "  `sessions list --agent one`",
    "  lists them all",
  ]);
  expect(wrappedSentence("short", 40)).toEqual(["short"]);
});
