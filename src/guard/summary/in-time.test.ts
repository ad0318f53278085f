import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { endInTime } from "./in-time.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const makeWait = () => ({ lastRequestAt: 0, giveUp: vi.fn() });

it("gives up a wait that OpenClaw's timer would end together with the turn, shortly before", () => {
  const wait = makeWait();
  endInTime(wait, 180_000);
  vi.advanceTimersByTime(170_000);
  expect(wait.giveUp).not.toHaveBeenCalled();
  vi.advanceTimersByTime(9000);
  expect(wait.giveUp).toHaveBeenCalledOnce();
});

it("leaves a summary of several requests its time: each of them has its own", () => {
  const wait = makeWait();
  endInTime(wait, 180_000);
  vi.advanceTimersByTime(150_000);
  wait.lastRequestAt = performance.now();
  vi.advanceTimersByTime(150_000);
  expect(wait.giveUp).not.toHaveBeenCalled();
  vi.advanceTimersByTime(29_000);
  expect(wait.giveUp).toHaveBeenCalledOnce();
});

it("gives nothing up once the summary is there and the timer was stopped, or where OpenClaw has no timer", () => {
  const wait = makeWait();
  const stop = endInTime(wait, 180_000);
  stop();
  endInTime(wait, undefined);
  vi.advanceTimersByTime(600_000);
  expect(wait.giveUp).not.toHaveBeenCalled();
});
