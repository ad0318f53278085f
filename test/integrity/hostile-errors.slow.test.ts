/** Errors and answers of others: none ends the process, none hangs, each is answered. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  openJournal,
  type Journal,
  type SessionIntegrity,
  type ToolOutput,
} from "../../src/integrity/index.ts";
import { HOSTILE_OUTPUTS, manyKeys } from "../../harness/arbitrary/hostile-outputs.ts";
import { WRITERS } from "./messages.ts";

const { user, says, calls, results } = WRITERS.anthropic;
const WHAT = [...HOSTILE_OUTPUTS.keys()];
let journal: Journal;
let integrity: SessionIntegrity;
beforeEach(() => {
  journal = openJournal(":memory:");
  integrity = createSessionIntegrity({ journal });
});
afterEach(() => journal.close());

const MESSAGES = [user("Hello"), calls("toolu_1"), ...results(["toolu_1", "seen"]), says("Done"), user("More")];

describe("an error that is", () => {
  it.each(WHAT)("%s is handled, and the history stays what it was", async (what) => {
    const make = HOSTILE_OUTPUTS.get(what)!;
    const session = new MemorySession({ id: "s", messages: MESSAGES });
    const recovery = await integrity.handleError(session, make());
    expect(recovery).toMatchObject({ action: "escalate", message: expect.stringMatching(/./) as string });
    expect(recovery.message.length).toBeLessThan(5000);
    expect(session.messages).toEqual(MESSAGES);
    for (const error of [make(), { error: make() }, { message: "no", body: make(), response: { data: make() } }]) {
      const result = await integrity.guardCall(session, () => Promise.reject(error as Error));
      expect(result).toMatchObject({
        outcome: "failed",
        error: expect.stringMatching(/./) as string,
        recovery: { action: "escalate" },
      });
    }
    expect(session.messages).toEqual(MESSAGES);
  });

  it("axios's tells its status: the provider is overloaded", async () => {
    const session = new MemorySession({ id: "s", messages: MESSAGES });
    expect(await integrity.handleError(session, HOSTILE_OUTPUTS.get("an error of axios")!())).toMatchObject({
      details: { failure: "overload" },
    });
    const { status: _status, ...withoutStatus } = HOSTILE_OUTPUTS.get("an error of axios")!() as Record<
      string,
      unknown
    >;
    expect(await integrity.handleError(session, { ...withoutStatus, message: "failed" })).toMatchObject({
      details: { failure: "overload" },
    });
  });
});

describe("an answer that is", () => {
  it.each(WHAT)("%s is handed back", async (what) => {
    const answer = HOSTILE_OUTPUTS.get(what)!();
    const session = new MemorySession({ id: "s", messages: MESSAGES });
    // In an object of its own: a promise looks at what it is resolved with.
    const result = await integrity.guardCall(session, async () => ({
      choices: answer,
      candidates: [answer],
      stop_reason: answer,
    }));
    expect(result.outcome).toBe("answered");
    expect(result.response!.choices === answer).toBe(true);
  });
});

describe("a history that holds", () => {
  it.each(WHAT)("%s is repaired and can be kept", async (what) => {
    const make = HOSTILE_OUTPUTS.get(what)!;
    const history = [
      user("Hello"),
      make(),
      { role: "assistant", content: make() },
      { role: "user", content: [make(), { type: "tool_result", tool_use_id: make(), content: make() }] },
      says("Done"),
      user("More"),
    ];
    for (const format of ["anthropic", "openclaw"] as const) {
      const session = new MemorySession({ id: format, format, messages: history });
      await integrity.checkpoint(session, "manual");
      integrity.validate(session);
      await integrity.repair(session);
      expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });
      expect(await integrity.guardCall(session, async (messages) => messages.length)).toMatchObject({
        outcome: "answered",
      });
      expect(JSON.stringify(session.messages)).toContain("Done");
    }
  });
});

it("a million keys, thrown and given back, are told", async () => {
  const session = new MemorySession({ id: "s", messages: MESSAGES });
  const value = manyKeys(1_000_000);
  expect(await integrity.handleError(session, value)).toMatchObject({ action: "escalate" });
  expect(
    await integrity.executeToolCycle(
      session,
      { type: "tool_use", id: "toolu_2", name: "exec", input: {} },
      { execute: () => value as ToolOutput },
    ),
  ).toMatchObject({ success: true });
  expect(JSON.stringify(session.messages)).toContain("key999999");
});
