import { expect, test } from "vitest";
import type { SeenRequest } from "./model.ts";
import { seenRequest } from "./seen-request.ts";
import { turnsOver } from "./tally.ts";

function request(api: "anthropic-messages" | "openai-responses", name: string, ...results: string[]): SeenRequest {
  return seenRequest(["m1", name], { results: new Set(results), record: { status: 200, violations: [], api } });
}

test("counts a change of the API between the rounds of a message, and none between two messages", () => {
  const [first, second] = ["anthropic-messages", "openai-responses"] as const;
  expect(turnsOver([request(first, "m1"), request(second, "m1", "c1m1k1")])).toBe(1);
  expect(turnsOver([request(first, "m1"), request(second, "m1")])).toBe(0);
  expect(turnsOver([request(first, "m1", "c1m1k1"), request(second, "m3", "c1m1k1")])).toBe(0);
  expect(turnsOver([request(first, "m10", "c1m1k1"), request(second, "m10", "c1m1k1")])).toBe(0);
});
