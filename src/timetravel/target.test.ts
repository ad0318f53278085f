import { describe, expect, test } from "vitest";
import type { JsonObject } from "../transcript/json/json.ts";
import { buildCarryover, MAX_CARRYOVER, operatorCarryoverText } from "./carryover.ts";
import { History } from "./history.ts";
import { resolveTarget } from "./target.ts";
import { timeline } from "./timeline.ts";

const user = (id: string, parentId: string | null, text: string): JsonObject => ({
  type: "message",
  id,
  parentId,
  message: { role: "user", content: [{ type: "text", text }] },
});
const answer = (id: string, parentId: string, text: string): JsonObject => ({
  type: "message",
  id,
  parentId,
  message: { role: "assistant", content: [{ type: "text", text }], stopReason: "stop" },
});
const call = (id: string, parentId: string, ...calls: string[]): JsonObject => ({
  type: "message",
  id,
  parentId,
  message: {
    role: "assistant",
    stopReason: "toolUse",
    content: calls.map((one) => ({ type: "toolCall", id: one, name: "exec", arguments: { command: `run ${one}` } })),
  },
});
const result = (id: string, parentId: string, toolCallId: string): JsonObject => ({
  type: "message",
  id,
  parentId,
  message: { role: "toolResult", toolCallId, toolName: "exec", content: [{ type: "text", text: "done" }] },
});

/** Two turns, the second with a batch of two calls; and a branch that was left behind the first turn. */
const ENTRIES = [
  user("u1", null, "first question"),
  answer("a1", "u1", "first answer"),
  user("u2", "a1", "second question"),
  call("k2", "u2", "c1", "c2"),
  result("r1", "k2", "c1"),
  result("r2", "r1", "c2"),
  answer("a2", "r2", "second answer"),
  user("u3", "a1", "another way"),
  answer("a3", "u3", "a third answer"),
];
const history = new History(ENTRIES, "a2");

describe("targets", () => {
  test.each([
    ["a1", "a1"],
    ["r2", "r2"],
    [" a3 ", "a3"],
    ["root", null],
    ["turn:-1", "a1"],
    ["turn:-2", null],
    ["k", "a1"],
    ["k0", null],
    [" good", "a1"],
  ])("%s leads to %s", (asked, nodeId) => {
    expect(
      resolveTarget(history, asked, {
        checkpoint: (id) => (id === "k" ? "a1" : id === "k0" ? null : undefined),
        reference: (name) => (name === "good" ? "a1" : undefined),
      }).nodeId,
    ).toBe(nodeId);
  });

  test.each([
    ["k2", "not-closed", /2 tool calls have no result yet.*r2 \(toolResult: "done"\)/],
    ["r1", "not-closed", /1 tool call has no result yet.*r2/],
    ["nowhere", "no-such-node", /found "nowhere".*a2 \(assistant: "second answer"\)/],
    ["turn:-3", "bad-target", /which has 2.*root/],
    ["turn:1", "bad-target", /turn:-1 or further back/],
    ["x", "no-such-node", /a name that was given.*found "x"/],
    ["ref:good", "no-such-node", /found "ref:good"/],
    ["", "bad-target", /found nothing/],
  ])("%j is refused as %s, with places that can be gone to", (asked, code, words) => {
    expect(() => resolveTarget(history, asked)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(words) }),
    );
  });

  test("a turn that failed is not sent: its own call is not waited for, and it hides no open call before it", () => {
    const failed = (id: string, parentId: string): JsonObject => {
      const entry = call(id, parentId, "cf");
      return { ...entry, message: { ...(entry.message as JsonObject), stopReason: "error" } };
    };
    const cut = new History([...ENTRIES, failed("f1", "a2"), failed("f2", "r1")], "a2");
    expect(resolveTarget(cut, "f1").nodeId).toBe("f1");
    expect(() => resolveTarget(cut, "f2")).toThrow("1 tool call has no result yet");
  });

  test("an agent is shown what it can name: no place with an open call, and the end of the branch that was left", () => {
    const { nodes, branches, head } = timeline(history);
    expect(head).toBe("a2");
    expect(nodes.map(({ id, turns_back }) => [id, turns_back])).toEqual([
      ["a2", 0],
      ["r2", 0],
      ["u2", 0],
      ["a1", 1],
      ["u1", 1],
    ]);
    expect(branches.map(({ id, first_words }) => [id, first_words])).toEqual([["a3", "a third answer"]]);
  });
});

describe("carryover", () => {
  test("says whose note it is, what the user asked and what is not undone", () => {
    // The user's question is not answered yet.
    const open = new History(ENTRIES, "r2");
    const { text } = buildCarryover(open, resolveTarget(open, "a1"), "  the first way is a dead end ");
    expect(text).toMatch(/not written by the user/);
    expect(text).toContain("the first way is a dead end");
    expect(text).toContain("still to be answered:]\n> second question");
    expect(text).toContain('> - exec "run c1"\n> - exec "run c2"');
    // Behind the question nothing is to be asked again.
    expect(buildCarryover(open, resolveTarget(open, "u2"), "x").text).not.toContain("second question");
  });

  test("of the operator's says who took the conversation back, and leaves the user's question to be taken back", () => {
    const target = resolveTarget(history, "a1");
    const text = operatorCarryoverText(history, target, " use the other file ");
    expect(text).toMatch(/^\[The operator took the conversation back/);
    expect(text).toContain("[The operator's note:]\n> use the other file");
    expect(text).toContain('- exec "run c1"');
    expect(text).not.toContain("second question");
    expect(operatorCarryoverText(history, target)).not.toContain("operator's note:");
    expect(() => operatorCarryoverText(history, target, "x".repeat(MAX_CARRYOVER + 1))).toThrow(
      "at most 8000 characters",
    );
  });

  test.each(["", "   ", "x".repeat(MAX_CARRYOVER + 1)])(
    "a note that is none or no note any more is refused",
    (note) => {
      expect(() => buildCarryover(history, resolveTarget(history, "a1"), note)).toThrow(
        expect.objectContaining({ code: "bad-carryover" }),
      );
    },
  );
});
