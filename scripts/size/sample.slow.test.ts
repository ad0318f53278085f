import { expect, it } from "vitest";
import { grow } from "./conversation.ts";
import { fitRandom } from "./histories.ts";
import { tooLargeSample } from "./sample.ts";

// 2026.9.6 takes a minute: sample.heavy.test.ts.
tooLargeSample("2026.2.3", [
  ["text", "openai-responses", 0],
  ["moved", "bedrock-converse-stream", 0],
  ["cut", "bedrock-converse-stream", 1],
]);

it("a summariser that always fails costs the first turn above the limit at most, and then two requests a turn", async () => {
  const { turns } = await grow({ release: "2026.2.3", summariser: "fails", turns: 12 });
  expect(turns.filter(({ isAnswered }) => !isAnswered).length).toBeLessThanOrEqual(1);
  expect(turns.slice(2).every(({ isAnswered }) => isAnswered)).toBe(true);
  expect(Math.max(...turns.map(({ requests }) => requests))).toBeLessThanOrEqual(2);
});

it("random histories fit random budgets, and stay valid, with the newest question whole where it fits", () => {
  const found = fitRandom(300, 7, () => true);
  expect([...found.faults]).toEqual([]);
  expect(found.fitted).toBeGreaterThan(150);
  expect(found.common / found.bytes).toBeGreaterThan(0.5);
});
