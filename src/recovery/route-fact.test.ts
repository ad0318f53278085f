import { expect, it } from "vitest";
import { factText, factNumbers, readFact, type RouteFact, withFacts } from "./route-fact.ts";

const FACTS: readonly RouteFact[] = [
  { what: "no_pictures" },
  { what: "most_pictures", most: 0 },
  { what: "longest_side_of_many", pixels: 2000, above: 20 },
  { what: "no_earlier_thinking", until: 1_795_725_150_198 },
];

it.each(FACTS)("$what is read as it was stored, and has words for a person", (fact) => {
  const stored = JSON.parse(JSON.stringify({ ...factNumbers(fact), abilities: "k" })) as unknown;
  expect(readFact(fact.what, stored)).toEqual(fact);
  expect(factText(fact)).toMatch(/^(?:takes|refuses) [a-z0-9]/);
});

it.each([
  ["__proto__", {}],
  ["toString", {}],
  ["most_pictures", {}],
  ["most_pictures", null],
  ["most_pictures", { most: "5" }],
  ["most_pictures", { most: -1 }],
  ["most_pictures", { most: 1.5 }],
  ["longest_side_of_many", { pixels: 2000 }],
])("what a stranger has written is no fact, and shapes no request: %s %j", (what, value) => {
  expect(readFact(what, value)).toBeUndefined();
});

it("a later fact takes the place of an earlier one of its kind", () => {
  const later: RouteFact = { what: "most_pictures", most: 5 };
  expect(withFacts(FACTS, [later])).toEqual([FACTS[0], FACTS[2], FACTS[3], later]);
});
