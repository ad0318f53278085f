import { expect, it } from "vitest";
import { RunningTurns } from "./running-turns.ts";

const NOW = Date.now();

it("a restart waits for every run, and for a message whose run has not begun", () => {
  const turns = new RunningTurns();
  turns.began("agent:main:one");
  turns.began("agent:main:two");
  turns.ended("agent:main:one");
  expect(turns.isIdle(0, NOW + 60_000)).toBe(false);
  turns.ended("agent:main:two");
  expect(turns.isIdle(0, NOW + 60_000)).toBe(true);
  turns.arrived();
  expect(turns.isIdle(5000, Date.now() + 1000)).toBe(false);
  expect(turns.isIdle(5000, Date.now() + 6000)).toBe(true);
});

it("a run whose end is never reported does not put off the restart for ever", () => {
  const turns = new RunningTurns();
  turns.began("agent:main:lost");
  expect(turns.isIdle(0, Date.now() + 1_700_000)).toBe(false);
  expect(turns.isIdle(0, Date.now() + 1_900_000)).toBe(true);
});

it("a plugin that is unloaded while it waits waits no longer", async () => {
  const turns = new RunningTurns();
  turns.began("agent:main:busy");
  const controller = new AbortController();
  const waiting = turns.whenIdle(0, 0, controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow("aborted");
});

it("a gateway to which somebody writes all the time restarts in a moment without a run", async () => {
  const turns = new RunningTurns();
  const writing = setInterval(() => turns.arrived(), 5);
  turns.began("agent:main:busy");
  let isIdle = false;
  const waiting = turns.whenIdle(60_000, 50, AbortSignal.timeout(10_000)).then(() => (isIdle = true));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isIdle).toBe(false);
  turns.ended("agent:main:busy");
  await waiting;
  clearInterval(writing);
});
