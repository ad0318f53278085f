import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bothBudgets, budgetAfter, budgetBeside, toBudget, steadyBudget } from "./budget.ts";
import type { Excess } from "./read-excess.ts";

const SENT = { characters: 800_000, bytes: 900_000, messages: 2000 };

describe("the budget after a refusal", () => {
  it.each<[what: string, excess: Excess | undefined, known: object, tries: number, budget: object]>([
    ["by the provider's numbers", { unit: "tokens", limit: 100_000, count: 200_000 }, {}, 1, { characters: 360_000 }],
    ["less, the second time", { unit: "tokens", limit: 100_000, count: 200_000 }, {}, 2, { characters: 280_000 }],
    [
      "by the limit and a measure",
      { unit: "tokens", limit: 100_000 },
      { charactersPerToken: 4 },
      1,
      { characters: 360_000 },
    ],
    ["by the limit alone", { unit: "tokens", limit: 100_000 }, {}, 1, { characters: 270_000 }],
    ["by a limit that was learned", undefined, { tokens: 100_000, charactersPerToken: 4 }, 1, { characters: 360_000 }],
    ["by what it was above", { unit: "tokens", over: 50_000 }, { charactersPerToken: 4 }, 1, { characters: 540_000 }],
    ["half, where nothing is known", undefined, {}, 1, { characters: 400_000 }],
    ["half, where the limit is above", { unit: "tokens", limit: 900_000 }, {}, 1, { characters: 400_000 }],
    [
      "by the limit, where the count is below it",
      { unit: "tokens", limit: 200_000, count: 100_000 },
      {},
      1,
      { characters: 540_000 },
    ],
    ["a part, at least", { unit: "tokens", limit: 10, count: 200_000 }, {}, 1, { characters: 40_000 }],
    ["less than was sent", { unit: "tokens", limit: 199_999, count: 200_000 }, {}, 1, { characters: 719_996 }],
    ["of bytes", { unit: "bytes", limit: 450_000 }, {}, 1, { bytes: 405_000 }],
    ["of bytes, by both numbers", { unit: "bytes", limit: 500_000, count: 1_000_000 }, {}, 1, { bytes: 405_000 }],
    ["of messages", { unit: "messages", limit: 1500, count: 3000 }, {}, 1, { messages: 900 }],
    ["of messages, half", { unit: "messages", limit: 1500 }, {}, 1, { messages: 1000 }],
    ["of bytes, half", { unit: "bytes" }, { tokens: 1000 }, 1, { bytes: 450_000 }],
    ["of bytes, by what was learned", { unit: "bytes" }, { bytes: 600_000 }, 1, { bytes: 540_000 }],
    [
      "for a text that is too long",
      { unit: "characters", limit: 400_000, count: 800_000 },
      {},
      1,
      { characters: 360_000 },
    ],
  ])("is chosen %s", (_what, excess, known, tries, budget) => {
    expect(budgetAfter(SENT, excess, known, tries)).toEqual(budget);
  });

  it("is always less than what was refused, and never nothing, so that the next request differs", () => {
    const number = fc.option(fc.double({ min: 1, max: 1e9, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 1e8 }),
        fc.constantFrom("tokens", "bytes", "characters", "messages", undefined),
        fc.record({ limit: number, count: number, over: number }),
        fc.record({ tokens: number, bytes: number, charactersPerToken: number }),
        fc.integer({ min: -1, max: 9 }),
        (sent, unit, numbers, known, tries) => {
          const said = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
          const excess = unit && ({ unit, ...said } as Excess);
          const [[name, value] = ["", 0]] = Object.entries(
            budgetAfter({ characters: sent, bytes: sent, messages: sent }, excess, known, tries),
          );
          expect(name).toBe(unit === "bytes" || unit === "messages" ? unit : "characters");
          expect(value).toBeGreaterThanOrEqual(Math.floor(sent * 0.05));
          expect(value).toBeLessThan(sent);
        },
      ),
    );
  });

  it("comes below any limit in three tries, whatever a token has of characters", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.8, max: 6, noNaN: true }),
        fc.double({ min: 0.2, max: 0.95, noNaN: true }),
        fc.constantFrom("numbers", "limit", "nothing"),
        (perToken, part, names) => {
          const limit = Math.floor((SENT.characters / perToken) * part);
          let { characters } = SENT;
          let tries = 0;
          while (characters / perToken > limit && tries < 10) {
            const count = Math.ceil(characters / perToken);
            const excess: Excess | undefined =
              names === "nothing" ? undefined : { unit: "tokens", limit, ...(names === "numbers" && { count }) };
            characters = budgetAfter({ characters, bytes: characters, messages: 1 }, excess, {}, ++tries).characters!;
          }
          expect(tries).toBeLessThanOrEqual(names === "numbers" ? 1 : 3);
        },
      ),
    );
  });
});

describe("budgets", () => {
  it("of a known route are a tenth below its limits", () => {
    expect(toBudget({ tokens: 200_000, charactersPerToken: 3.5 })).toEqual({ characters: 630_000 });
    expect(toBudget({ tokens: 200_000 })).toEqual({});
    expect(toBudget({ bytes: 1000 })).toEqual({ bytes: 900 });
  });

  it("are joined to what both allow", () => {
    expect(bothBudgets({ characters: 5 }, { characters: 7, bytes: 3 })).toEqual({ characters: 5, bytes: 3 });
    expect(bothBudgets({}, {})).toEqual({});
  });

  it("leave for the messages what prompt and tools do not take", () => {
    expect(budgetBeside({ characters: 100 }, { characters: 30, bytes: 40 })).toEqual({ characters: 70 });
    expect(budgetBeside({ characters: 100, bytes: 40 }, { characters: 30, bytes: 40 })).toBeUndefined();
  });

  it("stay while they are nearly the same, so that the history is not cut in other places", () => {
    const before = { characters: 100_000 };
    expect(steadyBudget(before, { characters: 96_000 })).toBe(before);
    expect(steadyBudget(before, { characters: 125_000 })).toBe(before);
    expect(steadyBudget(before, { characters: 90_000 })).toEqual({ characters: 90_000 });
    expect(steadyBudget(before, { characters: 150_000 })).toEqual({ characters: 150_000 });
    expect(steadyBudget(before, { characters: 100_000, bytes: 5 })).toEqual({ characters: 100_000, bytes: 5 });
    expect(steadyBudget(undefined, before)).toBe(before);
  });
});
