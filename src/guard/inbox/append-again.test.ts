import { expect, it, vi } from "vitest";
import { says, userText as user } from "../../../harness/messages.ts";
import { appendMovedAgain } from "./append-again.ts";

/** A manager that refuses what has a key, as OpenClaw 2026.9.6 does for a message that is off the path. */
function managerThat(throws: string): { stored: unknown[]; appendMessage: (message: unknown) => unknown } {
  const stored: unknown[] = [];
  return {
    stored,
    appendMessage: (message) => {
      if ("idempotencyKey" in (message as object)) throw new Error(throws);
      return stored.push(message);
    },
  };
}

const MOVED = "Pending input is no longer active in its admitted transcript";

it("stores a person's message without its key where another run has taken it off the path, once wrapped", () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const manager = managerThat(MOVED);
  appendMovedAgain(manager);
  const once = manager.appendMessage;
  appendMovedAgain(manager);
  expect(manager.appendMessage).toBe(once);
  expect(manager.appendMessage({ ...user("heron"), idempotencyKey: "run:user" })).toBe(1);
  expect(manager.stored).toEqual([user("heron")]);
});

it("throws every other error on, and that one of a message that is no person's", () => {
  const other = managerThat("Pending input cannot be appended outside its admitted turn");
  appendMovedAgain(other);
  expect(() => other.appendMessage({ ...user("heron"), idempotencyKey: "run:user" })).toThrow("outside its");
  const moved = managerThat(MOVED);
  appendMovedAgain(moved);
  expect(() => moved.appendMessage({ ...says("yes"), idempotencyKey: "run:user" })).toThrow(MOVED);
  expect([...other.stored, ...moved.stored]).toEqual([]);
});
