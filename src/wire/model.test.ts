import fc from "fast-check";
import { expect, test } from "vitest";
import { FewIds, isWord } from "./model.ts";

test("takes for a word what the APIs' pattern takes: an id with another character is refused there", () => {
  for (let code = 0; code < 0x10000; code++) {
    const text = `a${String.fromCharCode(code)}`;
    if (isWord(text, 8) !== /^[a-zA-Z0-9_-]{1,8}$/.test(text)) expect.fail(`code ${code}`);
  }
  expect(["", "a".repeat(8), "a".repeat(9), "a\n", 7, undefined].map((text) => isWord(text, 8))).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("few ids are those of a set, so that no call counts as open that has its result", () => {
  const id = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({ do: fc.constant("add" as const), id }),
    fc.record({ do: fc.constant("delete" as const), id: fc.option(id, { nil: undefined }) }),
    fc.record({ do: fc.constant("clear" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const few = new FewIds();
      const set = new Set<unknown>();
      for (const one of steps) {
        if (one.do === "add") {
          few.add(one.id);
          set.add(one.id);
        } else if (one.do === "clear") {
          few.clear();
          set.clear();
        } else expect(few.delete(one.id)).toBe(set.delete(one.id));
        expect(few.size).toBe(set.size);
      }
    }),
  );
});
