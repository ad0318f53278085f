import { describe, expect, it } from "vitest";
import { result as resultOf, user } from "../../harness/messages.ts";
import { afterStop, type Stop, type StopsBefore } from "./after-stop.ts";
import { refusedInARow } from "./stopped.ts";
import { type AskedModel, wasTaken } from "./taken.ts";
import {
  DO_IT_DIFFERENTLY,
  GO_ON_WITHOUT,
  REFUSED_HISTORY,
  STOPPED_AGAIN,
  STOPPED_ANSWER,
  STOPPED_REQUEST,
  STOPPED_RESULTS,
  STOPPED_SILENTLY,
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
const refused = { ...says(STOPPED_REQUEST), openclawIntegrity: { notice: "stopped", withholds: "all" } };
const calls = {
  ...says(""),
  content: [{ type: "toolCall", id: "a", name: "read", arguments: {} }],
  stopReason: "toolUse",
};
const result = resultOf("a", "bad");
const ASKED = [user("a"), says("b"), user("bad")];
const FOUND = [user("a"), says("b"), user("read it"), calls, result];

const after = (
  { model = MODEL, messages = ASKED, ...stop }: Partial<Stop> & { model?: AskedModel },
  before: Partial<StopsBefore> = {},
) =>
  afterStop(
    {
      part: "unknown",
      begun: false,
      isSilent: false,
      messages,
      isTaken: () => wasTaken(messages, model, true),
      refusedInARow: () => refusedInARow(messages),
      ...stop,
    },
    { mayResend: true, wasStopped: false, isWithoutEarlier: false, ...before },
  );

describe("a content filter", () => {
  it("that refuses a person's words is asked with them once: no request is made again", () => {
    for (const part of ["prompt", "answer", "refusal", "unknown"] as const) {
      expect(after({ part })).toEqual({
        do: "end",
        words: STOPPED_REQUEST,
        origin: { notice: "stopped", withholds: "all" },
      });
    }
    // A refusal is about what was sent, also behind words.
    expect(after({ part: "refusal", begun: true })).toMatchObject({ do: "end", origin: { withholds: "all" } });
  });

  it("that refuses what a tool returned is asked at once without the results", () => {
    const decision = after({ messages: FOUND });
    expect(decision).toMatchObject({ do: "resend", leaves: "results" });
    expect(JSON.stringify(decision)).not.toContain('"bad"');
    expect(JSON.stringify(decision)).toContain("read it");
    // Refused all the same: it was something else.
    expect(after({ messages: (decision as { messages: unknown[] }).messages })).toMatchObject({
      do: "end",
      words: STOPPED_REQUEST,
    });
  });

  it("that refuses a tool's result behind words has the agent go on without it", () => {
    expect(after({ messages: FOUND, part: "refusal", begun: true })).toEqual({
      do: "end",
      words: STOPPED_RESULTS,
      origin: { notice: "stopped", withholds: "results" },
      hint: GO_ON_WITHOUT,
    });
  });

  it("that cuts an answer off leaves the agent one more try, with all that was said, and then what was asked is not sent again", () => {
    const first = after({ messages: FOUND, part: "answer", begun: true });
    expect(first).toEqual({ do: "end", words: STOPPED_ANSWER, origin: { notice: "stopped" }, hint: DO_IT_DIFFERENTLY });
    expect(after({ part: "answer", begun: true }, { wasStopped: true })).toEqual({
      do: "end",
      words: STOPPED_AGAIN,
      origin: { notice: "stopped", withholds: "all" },
    });
  });

  it("that refuses every message, or a history that this model never took, is asked with the newest message alone", () => {
    for (const messages of [
      [user("a"), { ...says("b"), model: "other" }, user("c")],
      [user("a"), says("b"), user("c"), refused, user("d"), refused, user("e")],
    ]) {
      const decision = after({ messages });
      expect(decision).toMatchObject({
        do: "resend",
        leaves: "history",
        messages: [user(REFUSED_HISTORY), messages.at(-1)],
      });
      expect(after({ messages }, { mayResend: false })).toMatchObject({ do: "end", origin: { withholds: "all" } });
    }
    // Two different messages that are refused are two messages that are refused.
    expect(after({ messages: [user("a"), says("b"), user("c"), refused, user("d")] })).toMatchObject({ do: "end" });
  });

  it("that says nothing may be a fault: what was asked stays, is left out when it happens again, and the history at the third time", () => {
    expect(after({ isSilent: true })).toEqual({ do: "end", words: STOPPED_SILENTLY, origin: { notice: "stopped" } });
    const silent = { ...says(STOPPED_SILENTLY), openclawIntegrity: { notice: "stopped" } };
    const again = [user("a"), says("b"), user("c"), silent, user("d")];
    const decision = after({ isSilent: true, messages: again });
    expect(decision).toMatchObject({ do: "resend", leaves: "earlier" });
    expect(JSON.stringify(decision)).not.toContain('"c"');
    expect(after({ isSilent: true, messages: again }, { isWithoutEarlier: true })).toMatchObject({ do: "end" });
    const third = [...again, silent, user("e")];
    expect(after({ isSilent: true, messages: third }, { isWithoutEarlier: true })).toMatchObject({ leaves: "history" });
  });

  it("that stops an answer of an earlier turn again is asked without what was asked then", () => {
    const stopped = { ...says(STOPPED_ANSWER), openclawIntegrity: { notice: "stopped" } };
    const messages = [user("write it"), stopped, user("hello")];
    const decision = after({ messages });
    expect(decision).toMatchObject({ do: "resend", leaves: "earlier" });
    expect(JSON.stringify(decision)).not.toContain("write it");
  });
});
