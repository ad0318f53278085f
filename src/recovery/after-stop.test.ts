import { describe, expect, it } from "vitest";
import { result as toolResult, user } from "../../harness/messages.ts";
import { afterStop, type Stop, type StopsBefore } from "./after-stop.ts";
import {
  ANSWER_WITHOUT,
  DO_IT_DIFFERENTLY,
  GO_ON_WITHOUT,
  STOPPED_AGAIN,
  STOPPED_ANSWER,
  STOPPED_REQUEST,
  STOPPED_RESULTS,
  STOPPED_SILENTLY,
  STOPPED_WITH_HISTORY,
} from "./words.ts";

const MODEL = { api: "anthropic-messages", provider: "anthropic", id: "m" };
const says = (text: string) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  stopReason: "stop",
  api: MODEL.api,
  provider: MODEL.provider,
  model: MODEL.id,
});
const calls = {
  ...says(""),
  content: [{ type: "toolCall", id: "a", name: "read", arguments: {} }],
  stopReason: "toolUse",
};
const result = toolResult("a", "bad");
const ASKED = [user("a"), says("b"), user("bad")];
const FOUND = [user("a"), says("b"), user("read it"), calls, result];

const after = ({ messages = ASKED, ...stop }: Partial<Stop>, before: Partial<StopsBefore> = {}) =>
  afterStop(
    {
      part: "unknown",
      begun: false,
      isSilent: false,
      messages,
      ...stop,
    },
    { mayResend: true, wasStopped: false, ...before },
  );

describe("a content filter", () => {
  it("blames nothing that was sent last before that was refused alone: an older message may be the reason", () => {
    for (const part of ["prompt", "answer", "refusal", "unknown"] as const) {
      const decision = after({ part });
      expect(decision).toMatchObject({
        do: "resend",
        leaves: "history",
        messages: [user("bad")],
      });
      expect(after({ part, messages: (decision as { messages: unknown[] }).messages })).toEqual({
        do: "end",
        words: STOPPED_REQUEST,
        origin: { notice: "stopped", withholds: "all" },
      });
      expect(after({ part }, { mayResend: false })).toEqual({
        do: "end",
        words: STOPPED_WITH_HISTORY,
        origin: { notice: "stopped" },
      });
      expect(after({ part, messages: [user("bad")] })).toMatchObject({ do: "end", origin: { withholds: "all" } });
    }
  });

  it("that may pass gets the same request once more, unless it has refused a part of that before", () => {
    expect(after({}, { mayPass: true })).toEqual({ do: "resend", messages: ASKED });
    expect(after({ begun: true }, { mayPass: true })).toMatchObject({ do: "end" });
    const refused = { ...says("[…]"), openclawIntegrity: { notice: "stopped", withholds: "all" } };
    const messages = [...ASKED, refused, user("other")];
    expect(after({ messages }, { mayPass: true })).toMatchObject({ leaves: "refused_before" });
  });

  it("that refuses what a tool returned is asked at once without the results", () => {
    const decision = after({ messages: FOUND });
    expect(decision).toMatchObject({ do: "resend", leaves: "results" });
    expect(JSON.stringify(decision)).not.toContain('"bad"');
    expect(JSON.stringify(decision)).toContain("read it");
    // Refused all the same: it was something else.
    const again = after({ messages: (decision as { messages: unknown[] }).messages });
    expect(again).toMatchObject({ do: "resend", leaves: "history" });
    expect(JSON.stringify(again)).toContain("read it");
  });

  it("that refuses a tool's result behind words has the agent go on without it", () => {
    expect(after({ messages: FOUND, part: "refusal", begun: true })).toEqual({
      do: "end",
      words: STOPPED_RESULTS,
      origin: { notice: "stopped", withholds: "results" },
      hint: GO_ON_WITHOUT,
    });
  });

  it("that cuts an answer off leaves the agent one more try, with all that was said", () => {
    for (const first of [
      after({ messages: FOUND, part: "answer", begun: true }),
      after({ part: "answer", begun: true }),
      after({ part: "refusal", begun: true }),
    ])
      expect(first).toEqual({
        do: "end",
        words: STOPPED_ANSWER,
        origin: { notice: "stopped" },
        hint: DO_IT_DIFFERENTLY,
      });
    expect(after({ part: "answer", begun: true }, { wasStopped: true })).toEqual({
      do: "end",
      words: STOPPED_AGAIN,
      origin: { notice: "stopped", withholds: "all" },
    });
  });

  it("gets what an earlier turn's refusal was for once more, then the rest is asked without, at once or by the agent", () => {
    const refused = { ...says("[…]"), openclawIntegrity: { notice: "stopped", withholds: "all" } };
    const messages = [...ASKED, refused, user("other")];
    for (const asked of [undefined, MODEL]) {
      const decision = after({ messages, part: "prompt", ...(asked && { asked }) });
      expect(decision).toMatchObject({ do: "resend", leaves: "refused_before" });
      expect(JSON.stringify(decision)).not.toContain('"bad"');
      expect(JSON.stringify(decision)).toContain('"other"');
      // Refused all the same: it was something else.
      expect(after({ messages: (decision as { messages: unknown[] }).messages })).toMatchObject({ leaves: "history" });
    }
    expect(after({ messages, part: "refusal", begun: true })).toEqual({
      do: "end",
      words: STOPPED_ANSWER,
      origin: { notice: "stopped", confirms: true },
      hint: ANSWER_WITHOUT,
    });
    // Another model has refused nothing yet.
    expect(after({ messages, asked: { ...MODEL, id: "other" } })).toMatchObject({ leaves: "history" });
  });

  it("that says nothing may be a fault: nothing is left out for good", () => {
    expect(after({ isSilent: true }, { mayResend: false })).toEqual({
      do: "end",
      words: STOPPED_SILENTLY,
      origin: { notice: "stopped" },
    });
  });
});
