import { expect, test } from "vitest";
import type { SeenRequest } from "./model.ts";
import type { Said } from "./said.ts";
import { seenRequest } from "./seen-request.ts";
import { extraRequests, turnsOver } from "./tally.ts";

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

test("counts what is asked of a plain message beyond its rounds and its answer", () => {
  const rounds = [{ tools: [0], thinking: false, text: false }];
  const said: Said = {
    conversation: "c1",
    action: 0,
    message: { name: "m1", rounds },
    stopped: false,
    at: 0,
    plain: true,
  };
  const made = (count: number): SeenRequest[] =>
    Array.from({ length: count }, () => request("anthropic-messages", "m1"));
  expect(extraRequests([said], made(2))).toBe(0);
  expect(extraRequests([said], made(4))).toBe(2);
  expect(extraRequests([said], [])).toBe(0);
});
