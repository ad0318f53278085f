import { expect, it } from "vitest";
import { Arrivals } from "./arrivals.ts";

it("a message that is no run, such as a command, keeps its conversation from repair for a minute only", () => {
  const arrivals = new Arrivals();
  arrivals.arrived("a", 1000);
  expect(arrivals.has("a", 60_999)).toBe(true);
  expect(arrivals.has("b", 1000)).toBe(false);
  expect(arrivals.has(undefined, 1000)).toBe(false);
  expect(arrivals.has("a", 61_000)).toBe(false);
});

it("the end of a run does not free a conversation in which the next message has arrived meanwhile", () => {
  const arrivals = new Arrivals();
  arrivals.arrived("a", 1000);
  arrivals.arrived("a", 3000);
  arrivals.ended("a", 2000);
  expect(arrivals.has("a", 3001)).toBe(true);
  arrivals.ended("a", 3500);
  expect(arrivals.has("a", 3501)).toBe(false);
});
