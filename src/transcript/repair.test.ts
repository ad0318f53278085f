import { describe, expect, it } from "vitest";
import { assistant, call, result as toolResult, text as says, userText as user } from "../../harness/messages.ts";
import { repair, validate, validateToolResultPairing } from "./index.ts";
import { INTERRUPTED_CALL, MISSING_RESULT_TEXT, NOT_STARTED_CALL, UNKNOWN_OUTCOME } from "./json/text.ts";

type Message = Record<string, unknown>;
const result = (toolCallId: unknown, words = "done", isError = false): Message =>
  toolResult(toolCallId, words, { isError });
const invented = (id: string): Message => result(id, MISSING_RESULT_TEXT, true);

/** What is left of each message, short: role, ids and texts. */
function outline(messages: readonly unknown[]): string[] {
  return (messages as Message[]).map(({ role, content, toolCallId }) => {
    const blocks: Record<string, unknown>[] =
      typeof content === "string" ? [says(content)] : (content as Record<string, unknown>[]);
    const parts = blocks.map((block) =>
      block.type === "text" ? String(block.text) : `${String(block.type)}:${String(block.id ?? block.tool_use_id)}`,
    );
    return `${String(role)}${toolCallId === undefined ? "" : `:${String(toolCallId)}`} ${parts.join(" + ")}`;
  });
}

describe("the history gate", () => {
  it("returns a healthy history as the same object", () => {
    const messages = [user("hi"), assistant(call("a")), result("a"), assistant(says("ok"))];
    expect(validateToolResultPairing(messages)).toBe(messages);
  });

  it("drops a result whose call was cut off by the history limit, and nothing else (openclaw#13896)", () => {
    const kept = [user("hi"), assistant(says("ok"))];
    expect(validateToolResultPairing([result("gone"), ...kept])).toEqual(kept);
  });

  it("moves a result to its call over a delivery mirror instead of dropping it (openclaw#8221)", () => {
    const messages = [user("hi"), assistant(call("a")), assistant(says("mirror")), result("a", "real")];
    expect(outline(validateToolResultPairing(messages))).toEqual([
      "user hi",
      "assistant toolCall:a",
      "toolResult:a real",
      "assistant mirror",
    ]);
  });

  it("sends the real result where an invented one was stored before it (openclaw#71380)", () => {
    const messages = [user("hi"), assistant(call("a")), invented("a"), user("?"), result("a", "late but real")];
    expect(outline(validateToolResultPairing(messages))).toEqual([
      "user hi",
      "assistant toolCall:a",
      "toolResult:a late but real",
      "user ?",
    ]);
  });

  it("keeps both results when two different ones were recorded for a call", () => {
    const messages = [user("hi"), assistant(call("a")), result("a", "one"), result("a", "two"), result("a", "one")];
    const [, , merged] = validateToolResultPairing(messages);
    expect(outline([merged])).toEqual([
      "toolResult:a one + [A further result that was recorded for the same call:] + two",
    ]);
  });

  it("says that the outcome of an unanswered call is unknown, not that it failed (openclaw#85668)", () => {
    const repaired = validateToolResultPairing([user("hi"), assistant(call("a")), user("and?")]);
    expect(outline(repaired)).toEqual([
      "user hi",
      "assistant toolCall:a",
      `toolResult:a ${UNKNOWN_OUTCOME}`,
      "user and?",
    ]);
  });

  it("does not leave a real result beside words by which OpenClaw 2026.9 would take it for an invented one", () => {
    const half = { ...invented("a"), content: [says("half an output"), ...(invented("a").content as unknown[])] };
    const [, , kept] = repair([user("hi"), assistant(call("a")), half], { spelling: "openclaw" }).messages;
    const words = `toolResult:a half an output + "${MISSING_RESULT_TEXT}"`;
    expect(outline([kept])).toEqual([words]);
    const inside = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: half.content, is_error: true }],
    };
    expect(
      outline(repair([user("hi"), assistant(call("a")), inside], { spelling: "openclaw" }).messages.slice(2)),
    ).toEqual([words]);
    // As a whole it is a tool's own all the same when it has what only a tool's has.
    const whole = { ...invented("a"), details: {} };
    expect(
      outline(repair([user("hi"), assistant(call("a")), whole], { spelling: "openclaw" }).messages.slice(2)),
    ).toEqual([`toolResult:a "${MISSING_RESULT_TEXT}"`]);
  });

  it("re-keys ids that are used again and keeps every result with its own call (openclaw#109443)", () => {
    const messages = [
      user("1"),
      assistant(call("exec_0")),
      result("exec_0", "first"),
      user("2"),
      assistant(call("exec_0"), call("exec_1")),
      result("exec_0", "second"),
      result("exec_1", "third"),
    ];
    const repaired = validateToolResultPairing(messages) as Message[];
    const ids = repaired.flatMap((message) =>
      message.role === "assistant" ? (message.content as { id: string }[]).map(({ id }) => id) : [],
    );
    expect(new Set(ids).size).toBe(3);
    expect(
      repaired
        .filter(({ role }) => role === "toolResult")
        .map(({ toolCallId, content }) => [toolCallId, (content as { text: string }[])[0]!.text]),
    ).toEqual([
      [ids[0], "first"],
      [ids[1], "second"],
      [ids[2], "third"],
    ]);
  });

  it("takes the call of a failed turn out together with the result that was invented for it (openclaw#5481)", () => {
    const failed = {
      ...assistant(says("writing"), { ...call("w"), partialJson: "{" }),
      stopReason: "error",
      errorMessage: "Output blocked by content filtering policy",
    };
    const repaired = validateToolResultPairing([user("write"), failed, invented("w"), user("still there?")]);
    const told = "assistant [A call of the tool read was cut off before it was complete. No result of it is recorded.]";
    expect(outline(repaired)).toEqual(["user write", "assistant writing", told, "user still there?"]);
    // What a filter may have stopped stays a failed turn, which is not sent.
    expect(repaired.slice(1, 3)).toMatchObject([{ stopReason: "error" }, { stopReason: "stop" }]);
    expect(repaired[2]).not.toHaveProperty("errorMessage");
    expect(validateToolResultPairing(repaired)).toBe(repaired);
  });

  it('forgets no call for its result\'s words: a tool whose whole error is "aborted" may have paid', () => {
    const pay = { ...call("p"), name: "pay", arguments: { eur: 90 } };
    for (const stopReason of ["aborted", "error"]) {
      const failed = { ...assistant(says("paying"), pay), stopReason, errorMessage: "aborted" };
      const aborted = result("p", "aborted", true);
      // OpenClaw stores every tool's result with details.
      const real = validateToolResultPairing([user("pay"), failed, { ...aborted, details: {} }, user("did you?")]);
      expect(outline(real)).toEqual([
        "user pay",
        "assistant paying + toolCall:p",
        "toolResult:p aborted",
        "user did you?",
      ]);
      const doubtful = validateToolResultPairing([user("pay"), failed, aborted, user("did you?")]);
      expect(outline(doubtful)[2]).toBe(
        String.raw`assistant [A call of the tool pay with "{\"eur\":90}" did not end as it should. Recorded as its result: "aborted". It may have run; check before repeating it.]`,
      );
      expect(validateToolResultPairing(doubtful)).toBe(doubtful);
    }
  });

  it("takes no words of a tool for its own: what says that a call was interrupted is a result like any other", () => {
    const failed = { ...assistant({ ...call("a"), partialJson: "{" }), stopReason: "error" };
    for (const words of [UNKNOWN_OUTCOME, INTERRUPTED_CALL, NOT_STARTED_CALL]) {
      const repaired = validateToolResultPairing([user("go"), failed, result("a", words, true)]);
      expect(outline(repaired)).toEqual(["user go", "assistant toolCall:a", `toolResult:a ${words}`]);
    }
  });

  it("keeps a tool that really ran although its turn failed afterwards", () => {
    const failed = { ...assistant(call("a")), stopReason: "aborted", errorMessage: "aborted" };
    const [, turn, kept] = validateToolResultPairing([user("go"), failed, result("a", "it ran")]) as Message[];
    expect(turn).toMatchObject({ stopReason: "toolUse" });
    expect(turn).not.toHaveProperty("errorMessage");
    expect(outline([kept])).toEqual(["toolResult:a it ran"]);
  });

  it("does not pair results without an id over turns", () => {
    const messages = [
      user("hi"),
      assistant(call("")),
      result("", "mine"),
      user("x"),
      assistant(call("")),
      user("y"),
      result("", "whose?"),
    ];
    const repaired = validateToolResultPairing(messages);
    expect(validate(repaired)).toEqual([]);
    expect(JSON.stringify(repaired)).toContain("mine");
  });
});

describe("strategies", () => {
  const orphaned = [user("hi"), assistant(says("x")), result("lost", "order 48213 is paid"), user("and?")];

  it("remove_orphans is the default and takes out the result", () => {
    const { messages, repairs } = repair(orphaned);
    expect(outline(messages)).toEqual(["user hi", "assistant x", "user and?"]);
    expect(repairs).toEqual([
      { kind: "orphaned_tool_result", action: "remove_orphan", messageIndex: 2, blockIndex: -1, id: "lost" },
    ]);
  });

  it("reconstruct gives an orphan whose content matters a placeholder call", () => {
    const { messages, repairs } = repair(orphaned, { strategy: "reconstruct" });
    expect(outline(messages)).toEqual([
      "user hi",
      "assistant x",
      "assistant toolCall:lost",
      "toolResult:lost order 48213 is paid",
      "user and?",
    ]);
    expect(repairs[0]).toMatchObject({ action: "reconstruct_call" });
  });

  it("reconstruct does not keep what was invented or says nothing", () => {
    const { messages } = repair([user("hi"), invented("a"), result("b", " ")], { strategy: "reconstruct" });
    expect(outline(messages)).toEqual(["user hi"]);
  });

  it("truncate goes back to the last valid point", () => {
    const { messages } = repair(
      [user("1"), assistant(call("a")), result("a"), user("2"), assistant(call("b")), user("3")],
      { strategy: "truncate" },
    );
    expect(outline(messages)).toEqual(["user 1", "assistant toolCall:a", "toolResult:a done", "user 2"]);
  });

  it("names what it expected when it is called wrongly", () => {
    expect(() => repair("x" as never)).toThrow("repair() expects a list of messages, found string.");
    expect(() => repair([], { strategy: "guess" as never })).toThrow(
      'Unknown repair strategy "guess": use remove_orphans, reconstruct or truncate.',
    );
    expect(() => repair("x" as never, { strategy: 5n as never })).toThrow("repair() expects a list");
    expect(() => repair([], { strategy: 5n as never })).toThrow("Unknown repair strategy bigint");
  });
});

describe("formats and sizes", () => {
  it("leaves Anthropic's format in Anthropic's format", () => {
    const messages = [
      user("hi"),
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "t1", name: "exec", input: {} },
          { type: "tool_use", id: "t2", name: "exec", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          says("first"),
          { type: "tool_result", tool_use_id: "t1", content: "one" },
          { type: "tool_result", tool_use_id: "zz", content: "orphan" },
        ],
      },
    ];
    expect(outline(repair(messages).messages)).toEqual([
      "user hi",
      "assistant tool_use:t1 + tool_use:t2",
      "user tool_result:t1 + tool_result:t2 + first",
    ]);
  });

  it("turns every spelling into OpenClaw's own when asked", () => {
    for (const block of [
      { type: "tool_use", id: "x", name: "exec", input: { a: 1 } },
      { type: "functionCall", id: "x", name: "exec", args: { a: 1 } },
      { type: "function_call", id: "fc_1", call_id: "x", name: "exec", arguments: '{"a":1}' },
      { type: "function", id: "x", function: { name: "exec", arguments: '{"a":1}' } },
      { toolUse: { toolUseId: "x", name: "exec", input: { a: 1 } } },
    ]) {
      const { messages } = repair([user("hi"), assistant(block), result("x")], { spelling: "openclaw" });
      expect(messages[1]).toMatchObject({
        content: [{ type: "toolCall", id: "x", name: "exec", arguments: { a: 1 } }],
      });
      expect(messages).toHaveLength(3);
    }
  });

  it("keeps 10,000 parallel calls with their results, shuffled", () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => `call_${at}`);
    const messages = [
      user("go"),
      assistant(...ids.map((id) => call(id))),
      user("between"),
      ...ids.toReversed().map((id) => result(id, `out ${id}`)),
    ];
    const repaired = repair(messages).messages;
    expect(validate(repaired)).toEqual([]);
    expect(repaired).toHaveLength(10_003);
  });

  it("takes arguments of any depth", () => {
    let depth: unknown = "bottom";
    for (let level = 0; level < 100_000; level++) depth = [depth];
    const { messages } = repair([user("go"), assistant({ ...call("a"), arguments: { depth } }), result("a")]);
    expect(validate(messages)).toEqual([]);
    expect(JSON.stringify(messages)).toContain("bottom");
  });
});

describe("a spelling that does not exist", () => {
  it.each(["typo", "anthropic", null, 5])("is refused with those that do: %s", (spelling) => {
    const options = { spelling: spelling as "keep" };
    expect(() => repair([], options)).toThrow(/repair\(\) expects the spelling "keep" or "openclaw", found/);
    expect(() => validate([], options)).toThrow(/validate\(\) expects the spelling "keep" or "openclaw", found/);
  });
});
