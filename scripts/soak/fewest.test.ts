import fc from "fast-check";
import { expect, test } from "vitest";
import { fewest } from "./fewest.ts";

const ITEMS = Array.from({ length: 40 }, (_, at) => at);

test("finds exactly the items that it needs, in a fraction of the tries that each single one would take", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat({ max: ITEMS.length - 1 }), { minLength: 1, maxLength: 2 }),
      async (needed) => {
        let tries = 0;
        const found = await fewest(ITEMS, (some) => {
          tries++;
          return Promise.resolve(needed.every((one) => some.includes(one)));
        });
        expect(found).toEqual(needed.toSorted((a, b) => a - b));
        expect(tries).toBeLessThanOrEqual(ITEMS.length);
      },
    ),
  );
});

test("finds none where nothing leads to it", async () => {
  expect(await fewest(ITEMS, () => Promise.resolve(false))).toBeUndefined();
});
