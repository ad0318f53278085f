import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { userText as user } from "../../harness/messages.ts";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import { type KnownOutcome, withOutcomes } from "./interrupted.ts";
import { repair } from "./repair.ts";
import { INTERRUPTED_CALL, MISSING_RESULT_TEXT, NOT_STARTED_CALL, UNKNOWN_OUTCOME } from "./json/text.ts";
import { validate } from "./validate.ts";

const calls = (...ids: string[]) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "toolCall", id, name: "exec", arguments: { of: id } })),
  stopReason: "toolUse",
});
const result = (toolCallId: string, text: string, isError = false) => ({
  role: "toolResult",
  toolCallId,
  toolName: "exec",
  content: [{ type: "text", text }],
  isError,
  timestamp: 1,
});
const ours = (toolCallId: string, outcome: "interrupted" | "not_started") => ({
  ...result(toolCallId, outcome === "interrupted" ? INTERRUPTED_CALL : NOT_STARTED_CALL, true),
  openclawIntegrity: { result: outcome },
});
const known = (callId: string, outcome: KnownOutcome["outcome"]): KnownOutcome => ({
  callId,
  toolName: "exec",
  outcome,
  at: 1,
});
const found = (text: string): KnownOutcome["outcome"] => ({
  result: { content: [{ type: "text", text }], isError: false },
});

describe("outcomes of interrupted calls", () => {
  it("are not one text for all: the real result, may have run, was not started", () => {
    const { messages } = withOutcomes(
      [user("go"), calls("a", "b", "c"), user("and?")],
      [known("a", found("real")), known("b", "interrupted"), known("c", "not_started")],
    );
    expect(messages).toEqual([
      user("go"),
      calls("a", "b", "c"),
      result("a", "real"),
      ours("b", "interrupted"),
      ours("c", "not_started"),
      user("and?"),
    ]);
  });

  it("stand behind the results that are stored, so that a later load sends the same bytes", () => {
    const first = withOutcomes(
      [user("go"), calls("a", "b"), result("a", "real")],
      [known("b", "interrupted")],
    ).messages;
    const later = withOutcomes(
      [user("go"), calls("a", "b"), result("a", "real"), user("more")],
      [known("b", "interrupted")],
    ).messages;
    expect(later.slice(0, 4)).toEqual(first);
  });

  it("take the place of a result that OpenClaw invented, and of the gate's own", () => {
    for (const invented of [result("a", MISSING_RESULT_TEXT, true), ours("a", "interrupted")]) {
      const history = [user("go"), calls("a"), invented, user("more")];
      expect(withOutcomes(history, [known("a", found("real"))]).messages).toEqual([
        user("go"),
        calls("a"),
        result("a", "real"),
        user("more"),
      ]);
    }
  });

  it("of a call that may still return are told only where somebody has invented a result for it", () => {
    const outcome: KnownOutcome = { ...known("a", "interrupted"), isUnderWay: true };
    const open = [user("go"), calls("a")];
    expect(withOutcomes(open, [outcome]).messages).toBe(open);
    expect(withOutcomes([...open, result("a", MISSING_RESULT_TEXT, true)], [outcome]).messages).toEqual([
      ...open,
      ours("a", "interrupted"),
    ]);
  });

  it("change nothing where they are told already, and settle the result of a tool that reads like an invented one", () => {
    const told = [user("go"), calls("a"), ours("a", "interrupted")];
    expect(withOutcomes(told, [known("a", "interrupted")])).toEqual({ messages: told, placed: [], answered: [] });
    expect(withOutcomes(told, [known("a", "interrupted")]).messages).toBe(told);
    const aborted = [user("go"), calls("a"), result("a", "aborted", true)];
    const outcome = known("a", { result: { content: [{ type: "text", text: "aborted" }], isError: true } });
    expect(withOutcomes(aborted, [outcome])).toEqual({ messages: aborted, placed: [], answered: [outcome] });
  });

  it("never take the place of a tool's result that repeats our words or OpenClaw's", () => {
    const words = [
      result("a", INTERRUPTED_CALL, true),
      result("a", UNKNOWN_OUTCOME),
      { ...result("a", "aborted", true), details: {} },
      result("a", MISSING_RESULT_TEXT),
    ];
    for (const said of words) {
      const history = [user("go"), calls("a"), said, user("more")];
      for (const outcome of ["interrupted", "not_started"] as const)
        expect(withOutcomes(history, [known("a", outcome)]).messages).toBe(history);
    }
    for (const said of words.slice(2)) {
      const history = [user("go"), calls("a"), said, user("more")];
      expect(withOutcomes(history, [known("a", found("journalled"))]).messages).toBe(history);
    }
  });

  it("are what the journal has recorded of the very call, where the history has only words of ours, in a message or in a block", () => {
    const block = {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: INTERRUPTED_CALL, is_error: true },
        { type: "text", text: "and?" },
      ],
    };
    const told = withOutcomes([user("go"), calls("a"), block], [known("a", found("real"))]).messages;
    expect(told[2]).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "real" }], is_error: false },
        { type: "text", text: "and?" },
      ],
    });
  });

  it("never take the place of a real result", () => {
    const history = [user("go"), calls("a"), result("a", "stored")];
    const outcome = known("a", found("journalled"));
    expect(withOutcomes(history, [outcome])).toEqual({ messages: history, placed: [], answered: [outcome] });
    expect(withOutcomes(history, [outcome]).messages).toBe(history);
  });

  it("go to the latest call of an id that was used again, or to the one with the same input", () => {
    const history = [user("go"), calls("a"), result("a", "first"), calls("a"), user("more")];
    expect(withOutcomes(history, [known("a", "interrupted")]).messages[4]).toEqual(ours("a", "interrupted"));
    const both = withOutcomes(
      [user("go"), calls("a"), user("x"), calls("a")],
      [known("a", "interrupted"), known("a", "not_started")],
    ).messages;
    expect([both[2], both[5]]).toEqual([ours("a", "interrupted"), ours("a", "not_started")]);
    const earlier = withOutcomes(
      [user("go"), calls("a"), user("x"), calls("a"), result("a", "second")],
      [known("a", "interrupted")],
    ).messages;
    expect(earlier[2]).toEqual(ours("a", "interrupted"));
    const two = [
      { ...calls("a"), content: [{ type: "toolCall", id: "a", name: "exec", arguments: 1 }] },
      user("x"),
      { ...calls("a"), content: [{ type: "toolCall", id: "a", name: "exec", arguments: 2 }] },
    ];
    const { messages } = withOutcomes(two, [{ ...known("a", found("one")), isInput: (input) => input === 1 }]);
    expect(messages[1]).toEqual(result("a", "one"));
  });

  it("are left out when their call is nowhere in the history: it was taken back", () => {
    const history = [user("go")];
    expect(withOutcomes(history, [known("a", found("real"))]).messages).toBe(history);
  });
});

/** A healthy history of which some results are lost, and what a journal would know of them. */
const interrupted = fc
  .tuple(fc.nat(100_000), fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(3), { minLength: 1, maxLength: 40 }))
  .map(([seed, turns, fates]) => {
    const outcomes: KnownOutcome[] = [];
    let nth = 0;
    const messages = healthyFrom(seed, turns).filter((message) => {
      const { role, toolCallId, toolName, content, isError } = message as {
        role: string;
        toolCallId: string;
        toolName: string;
        content: unknown;
        isError?: boolean;
      };
      if (role !== "toolResult") return true;
      const fate = fates[nth++ % fates.length];
      if (fate === 0) return true;
      const outcome =
        fate === 1
          ? { result: { content, isError: isError ?? false } }
          : fate === 2
            ? ("interrupted" as const)
            : ("not_started" as const);
      outcomes.push({ callId: toolCallId, toolName, outcome, at: nth });
      return false;
    });
    return { messages, outcomes };
  });

it("property: with its outcomes every interrupted history is valid, loses nothing, and stays so", () => {
  fc.assert(
    fc.property(interrupted, ({ messages, outcomes }) => {
      const before = JSON.stringify(messages);
      const told = withOutcomes(messages, outcomes);
      expect(told.placed).toHaveLength(outcomes.length);
      expect(validate(told.messages)).toEqual([]);
      const sent = JSON.stringify(repair(told.messages).messages);
      for (const { outcome } of outcomes)
        if (typeof outcome !== "string") expect(sent).toContain(JSON.stringify(outcome.result.content));
      for (const message of messages)
        if ((message as { role: string }).role === "toolResult")
          expect(sent).toContain(JSON.stringify((message as { content: unknown }).content));
      expect(JSON.stringify(messages), "the stored messages were changed").toBe(before);
      expect(JSON.stringify(withOutcomes(told.messages, outcomes).messages), "not idempotent").toBe(
        JSON.stringify(told.messages),
      );
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) },
  );
});
