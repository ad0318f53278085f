import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { OUT_OF_TIME } from "../recovery/words.ts";
import type { GuardContext } from "./openclaw/session.ts";
import { tellOutOfTime, MAX_RETRY_DELAY_MS } from "./out-of-time.ts";

const PERSON: GuardContext = {
  release: "2026.2.3",
  messageProvider: "telegram",
  blockReplyBreak: "text_end",
  sessionKey: "agent:main:main",
};
const TIME_LIMIT = Object.assign(new Error("request timed out"), { name: "TimeoutError" });

interface TestEvent {
  readonly type: string;
  readonly message?: { readonly role: string; readonly content: readonly { readonly text: string }[] };
}

/** What those are told who wait for the answer of a run that is ended for this reason. */
function told(
  reason: unknown,
  { context = PERSON, streamMessage }: { context?: GuardContext; streamMessage?: unknown },
) {
  const events: TestEvent[] = [];
  const controller = new AbortController();
  const listeners = [(event: TestEvent) => void events.push(event)];
  const session = { agent: { state: { streamMessage } }, _eventListeners: listeners };
  tellOutOfTime(session, { ...context, signal: controller.signal });
  controller.abort(reason);
  // As OpenClaw does the moment after.
  listeners.length = 0;
  return events;
}

describe("a run that OpenClaw ends", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("by its time limit tells its person so within the abort, before OpenClaw stops listening", () => {
    const events = told(TIME_LIMIT, {});
    expect(events.map(({ type }) => type)).toEqual(["message_start", "message_end"]);
    expect(events[1]!.message).toMatchObject({ role: "assistant", content: [{ type: "text", text: OUT_OF_TIME }] });
  });

  test("ends for its clients when OpenClaw has not begun to try it again", () => {
    const events = told(TIME_LIMIT, { context: { ...PERSON, sessionId: "once" } });
    vi.advanceTimersByTime(MAX_RETRY_DELAY_MS);
    expect(events.map(({ type }) => type)).toEqual(["message_start", "message_end", "agent_end"]);
  });

  test("does not end for its clients when OpenClaw tries it again: they would miss the answer", () => {
    const events = told(TIME_LIMIT, { context: { ...PERSON, sessionId: "again" } });
    told(undefined, { context: { ...PERSON, sessionId: "again" } });
    vi.advanceTimersByTime(MAX_RETRY_DELAY_MS);
    expect(events.map(({ type }) => type)).toEqual(["message_start", "message_end"]);
  });

  test("keeps the words of the answer that was being written", () => {
    const streamMessage = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "x" },
        { type: "text", text: "one two " },
      ],
    };
    expect(told(TIME_LIMIT, { streamMessage })[1]!.message?.content[0]?.text).toBe(`one two\n\n${OUT_OF_TIME}`);
  });

  test.each([
    ["no reason", undefined],
    ["the reason of a stop", new DOMException("stopped", "AbortError")],
    ["a text", "TimeoutError"],
  ])("with %s, as a person stops it, says nothing", (_name, reason) => {
    expect(told(reason, {})).toEqual([]);
  });

  test.each([
    ["in a group", { ...PERSON, groupId: "g1" }],
    ["in a heartbeat", { ...PERSON, messageProvider: "heartbeat" }],
    ["in a sub-agent", { ...PERSON, sessionKey: "agent:main:subagent:x" }],
    ["in a release that tells it itself", { ...PERSON, release: "2026.3.31" }],
    ["in a release that is not known", { ...PERSON, release: "unknown" }],
    ["where the inserted line does not say for whom", { sessionKey: "agent:main:main" }],
  ])("%s says nothing", (_name, context) => {
    expect(told(TIME_LIMIT, { context })).toEqual([]);
  });

  test("where nobody can be told does not fail", () => {
    const controller = new AbortController();
    tellOutOfTime({ agent: {} }, { ...PERSON, signal: controller.signal });
    controller.abort(TIME_LIMIT);
    tellOutOfTime({ agent: {} }, { ...PERSON, signal: "none" });
  });
});
