import { expect, test } from "vitest";
import { randomCase } from "./index.ts";
import { makeRandom } from "./random.ts";
import { randomRule } from "./rules.ts";

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);

test("a case that failed could not be played again: the same seed gives the same conversation and the same rule", () => {
  const plain = (seed: number): unknown => ({ ...randomCase(seed), turns: randomCase(seed).turns.length });
  expect(SEEDS.map(plain)).toEqual(SEEDS.map(plain));
  expect(new Set(SEEDS.map((seed) => randomCase(seed).title)).size).toBeGreaterThan(200);
});

test("a rule that refuses nothing, or everything, hides nothing: each kind has a body that breaks it, and all but the last one that does not", () => {
  const image = { type: "image", source: { type: "base64" } };
  const call = { type: "tool_use", id: "a", name: "read", input: {} };
  const say = (...content: unknown[]): Record<string, unknown> => ({ role: "user", content });
  const rich = {
    system: "s",
    tools: [],
    temperature: 1,
    max_tokens: 1,
    messages: [say("a-word"), { role: "assistant", content: [call] }, ...Array.from({ length: 40 }, () => say(image))],
  };
  const poor = { messages: [say("hello")] };
  const kinds = SEEDS.map((seed) => {
    const rule = randomRule(makeRandom(seed), ["a-word"], 10);
    return { name: rule.name, rich: rule.breach(rich, 0), poor: rule.breach(poor, 9) };
  });
  const ruleKind = (name: string): string =>
    name.includes(" behind ") ? "roles" : name.split(" ").slice(0, 2).join(" ");
  const broken = (by: "rich" | "poor"): string[] =>
    [...new Set(kinds.filter((kind) => kind[by] !== undefined).map(({ name }) => ruleKind(name)))].toSorted();
  expect(broken("rich")).toEqual([...new Set(kinds.map(({ name }) => ruleKind(name)))].toSorted());
  expect(broken("poor")).toEqual(["nothing at"]);
});
