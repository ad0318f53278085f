import { describe, expect, it } from "vitest";
import { assistant, call, result, text as says, userText as user } from "../../harness/messages.ts";
import { repair, validate } from "./index.ts";

/** Kinds with message and block, as short as they can be said. */
function found(messages: unknown[]): string[] {
  return validate(messages).map(
    ({ kind, messageIndex, blockIndex }) => `${kind}@${messageIndex}${blockIndex < 0 ? "" : `.${blockIndex}`}`,
  );
}

describe("a healthy history has no violations", () => {
  it.each([
    ["nothing", []],
    ["no tools", [user("hi"), assistant(says("hello")), user("bye")]],
    ["a call with its result", [user("hi"), assistant(says("wait"), call("a")), result("a"), assistant(says("ok"))]],
    [
      "parallel calls, results in another order",
      [user("hi"), assistant(call("a"), call("b")), result("b"), result("a"), assistant(says("ok"))],
    ],
    [
      "Anthropic's format",
      [
        user("hi"),
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "exec", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "x" }, says("and")] },
      ],
    ],
    ["OpenClaw's own messages", [{ role: "compactionSummary", summary: "s" }, user("hi"), assistant(says("x"))]],
    [
      "an aborted turn without calls",
      [user("hi"), { ...assistant(says("hel")), stopReason: "aborted" }, user("again")],
    ],
    [
      "a call that runs in the background",
      [user("hi"), assistant({ ...call("a"), async: true }), assistant(says("meanwhile")), result("a")],
    ],
    // 19 of 350 stored sessions; models that refuse it get an opening in the body.
    ["a conversation that OpenClaw began itself", [assistant(says("Reminder: at ten.")), user("Thanks.")]],
  ])("%s", (_what, messages) => {
    expect(found(messages)).toEqual([]);
    expect(repair(messages).messages).toBe(messages);
  });
});

describe("every violation is found and named with its place", () => {
  it.each<[string, unknown[], string[]]>([
    ["orphaned result (openclaw#4650)", [user("hi"), result("x"), assistant(says("ok"))], ["orphaned_tool_result@1"]],
    [
      "orphaned result block (openclaw#52024)",
      [user("hi"), { role: "user", content: [{ type: "tool_result", tool_use_id: "x", content: "y" }, says("z")] }],
      ["orphaned_tool_result@1.0"],
    ],
    ["missing result (openclaw#10310)", [user("hi"), assistant(call("a"))], ["missing_tool_result@1.0"]],
    ["duplicate result", [user("hi"), assistant(call("a")), result("a"), result("a")], ["duplicate_tool_result@3"]],
    [
      "an id used in two turns (openclaw#109443)",
      [user("hi"), assistant(call("a")), result("a"), assistant(call("a")), result("a")],
      ["duplicate_tool_call_id@3.0"],
    ],
    [
      "an id used twice in one message (openclaw#40897)",
      [user("hi"), assistant(call("a"), { ...call("a"), arguments: { path: "b.txt" } }), result("a"), result("a")],
      ["duplicate_tool_call_id@1.1"],
    ],
    [
      "the same call twice, which has run twice: it has returned two things",
      [user("hi"), assistant(call("a")), assistant(call("a")), result("a"), result("a", "another")],
      ["duplicate_tool_call_id@2.0", "displaced_tool_result@3", "displaced_tool_result@4"],
    ],
    [
      "a message that is stored twice, with its result",
      [user("hi"), assistant(call("a")), assistant(call("a")), result("a"), result("a")],
      ["duplicate_tool_call_id@2.0", "displaced_tool_result@3", "duplicate_tool_result@4"],
    ],
    [
      "displaced result (openclaw#8221)",
      [user("hi"), assistant(call("a")), assistant(says("mirror")), result("a")],
      ["displaced_tool_result@3"],
    ],
    ["result before its call", [user("hi"), result("a"), assistant(call("a"))], ["displaced_tool_result@1"]],
    ["invalid ids", [user("hi"), assistant(call("a b")), result("a b")], ["invalid_id@1.0", "invalid_id@2"]],
    ["ids that are no strings", [user("hi"), assistant(call(5)), result(5)], ["invalid_id@1.0", "invalid_id@2"]],
    ["empty ids (openclaw#27178)", [user("hi"), assistant(call("")), result("")], ["empty_id@1.0", "empty_id@2"]],
    [
      "a result under a sanitised id (openclaw#56021)",
      [user("hi"), assistant(call("functions.exec:0")), result("functionsexec0")],
      ["invalid_id@2"],
    ],
    [
      "an incomplete call (openclaw#12112)",
      [user("hi"), assistant({ ...call("a"), partialJson: '{"comm' }), user("?")],
      ["incomplete_tool_call@1.0"],
    ],
    [
      "a call in a failed turn (openclaw#5481)",
      [user("hi"), { ...assistant(call("a")), stopReason: "error" }, result("a")],
      ["skipped_tool_call@1.0"],
    ],
    [
      "empty messages (openclaw#72899)",
      [user(" "), user("hi"), assistant(), { role: "user", content: [says("")] }],
      ["empty_message@0", "empty_message@2", "empty_message@3"],
    ],
    [
      "a message of blank text and of thinking without words and signature",
      [user("hi"), assistant(says(""), { type: "thinking", thinking: "", thinkingSignature: "" }), user("?")],
      ["empty_message@1"],
    ],
    [
      "a call whose arguments OpenClaw has received whole, and left their text in it: it was not cut off",
      [user("hi"), assistant({ ...call("a"), partialJson: '{"command":"ls"}' }), user("?")],
      ["missing_tool_result@1.0"],
    ],
    ["a foreign block", [user("hi"), assistant(says("x"), { type: "canvas", html: "<p>" })], ["foreign_block@1.1"]],
    ["a text block without text", [user("hi"), assistant({ type: "text" }, says("x"))], ["foreign_block@1.0"]],
    [
      "content of a wrong type",
      [user("hi"), { role: "assistant", content: "plain", timestamp: 1 }],
      ["foreign_block@1"],
    ],
    ["a message that is none", [user("hi"), null, 5], ["foreign_block@1", "foreign_block@2"]],
  ])("%s", (_what, messages, expected) => {
    expect(found(messages)).toEqual(expected);
  });
});

describe("what no JSON holds", () => {
  const called = (input: unknown): unknown[] => [
    { role: "user", content: "pay" },
    { role: "assistant", content: [{ type: "toolCall", id: "c1", name: "pay", arguments: input }] },
    { role: "toolResult", toolCallId: "c1", toolName: "pay", content: [{ type: "text", text: "ok" }], isError: false },
  ];
  const hole: unknown[] = [];
  hole[1] = { role: "user", content: "x" };
  const holeInside: unknown[] = [];
  holeInside[1] = { type: "text", text: "x" };

  it.each([
    ["a hole in the list", hole, [0, -1]],
    ["a hole in a message's content", [{ role: "user", content: holeInside }], [0, 0]],
    ["a bigint as content", [{ role: "user", content: 17n }], [0, -1]],
    ["a bigint in a block", [{ role: "user", content: [{ type: "text", text: "x", n: 17n }] }], [0, -1]],
    ["a bigint in a call", called({ amount: 17n }), [1, -1]],
    ["a number as content", [{ role: "user", content: 5 }], [0, -1]],
    ["a date as content", [{ role: "user", content: new Date(0) }], [0, -1]],
  ])("finds and repairs %s", (_what, messages, place) => {
    expect(validate(messages).map(({ messageIndex, blockIndex }) => [messageIndex, blockIndex])[0]).toEqual(place);
    const { messages: repaired } = repair(messages);
    expect(validate(repaired)).toEqual([]);
    expect(repair(repaired).messages).toBe(repaired);
    expect(() => JSON.stringify(repaired)).not.toThrow();
  });

  it("keeps the digits of a bigint", () => {
    expect(repair([{ role: "user", content: 17n }]).messages).toEqual([{ role: "user", content: "17" }]);
    expect(JSON.stringify(repair(called({ amount: 17n })).messages)).toContain('"amount":"17"');
  });
});
