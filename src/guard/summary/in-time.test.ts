import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { endInTime } from "./in-time.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const waiting = () => ({ lastRequestAt: 0, giveUp: vi.fn() });

it("gives up a wait that OpenClaw's timer would end together with the turn, shortly before", () => {
  const one = waiting();
  endInTime(one, 180_000);
  vi.advanceTimersByTime(170_000);
  expect(one.giveUp).not.toHaveBeenCalled();
  vi.advanceTimersByTime(9000);
  expect(one.giveUp).toHaveBeenCalledOnce();
});

it("leaves a summary of several requests its time: each of them has its own", () => {
  const one = waiting();
  endInTime(one, 180_000);
  vi.advanceTimersByTime(150_000);
  one.lastRequestAt = performance.now();
  vi.advanceTimersByTime(150_000);
  expect(one.giveUp).not.toHaveBeenCalled();
  vi.advanceTimersByTime(29_000);
  expect(one.giveUp).toHaveBeenCalledOnce();
});

it("ends with the summary, and does nothing where OpenClaw has no timer", () => {
  const one = waiting();
  endInTime(one, 180_000)();
  endInTime(one, undefined);
  vi.advanceTimersByTime(600_000);
  expect(one.giveUp).not.toHaveBeenCalled();
});
