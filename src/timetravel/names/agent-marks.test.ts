import { expect, it } from "vitest";
import type { JsonObject } from "../../transcript/json/json.ts";
import { History } from "../history.ts";
import { markDetails } from "../records.ts";
import { resolveTarget } from "../target.ts";
import { agentMarks, placeToMark } from "./agent-marks.ts";

const user = (id: string, parentId: string | null, text = "a question"): JsonObject => ({
  type: "message",
  id,
  parentId,
  message: { role: "user", content: [{ type: "text", text }] },
});
const calls = (id: string, parentId: string, ...names: string[]): JsonObject => ({
  type: "message",
  id,
  parentId,
  message: {
    role: "assistant",
    stopReason: "toolUse",
    content: names.map((name, nth) => ({ type: "toolCall", id: `${id}-${nth}`, name, arguments: { mark: "good" } })),
  },
});
const result = (id: string, parentId: string, toolCallId: string, toolName: string, more: object = {}): JsonObject => ({
  type: "message",
  id,
  parentId,
  message: { role: "toolResult", toolCallId, toolName, content: [{ type: "text", text: "done" }], ...more },
});
const marks = (name: string): object => ({ details: markDetails(name) });

it("a mark names the place before its batch of calls, and tobe finds it by that name", () => {
  const history = new History(
    [
      user("u1", null),
      calls("k1", "u1", "exec", "timeline"),
      result("r1", "k1", "k1-0", "exec"),
      result("r2", "r1", "k1-1", "timeline", marks("good")),
    ],
    "r2",
  );
  expect([...agentMarks(history)].map(([name, { id }]) => [name, id])).toEqual([["good", "u1"]]);
  expect(resolveTarget(history, "good").nodeId).toBe("u1");
  // A person's name comes first, so that an agent cannot move it.
  expect(resolveTarget(history, "good", { reference: () => "r2" }).nodeId).toBe("r2");
});

it("the latest mark of a name counts, on whatever branch it was given; while the batch runs it is the same place", () => {
  const entries = [
    user("u1", null),
    calls("k1", "u1", "timeline"),
    result("r1", "k1", "k1-0", "timeline", marks("good")),
    user("u2", "u1"),
    calls("k2", "u2", "exec", "timeline"),
    result("r2", "k2", "k2-0", "exec"),
  ];
  expect(placeToMark(new History(entries, "r2"))?.id).toBe("u2");
  expect(placeToMark(new History(entries, "u2"))?.id).toBe("u2");
  const whole = new History([...entries, result("r3", "r2", "k2-1", "timeline", marks("good"))], "r1");
  expect(agentMarks(whole).get("good")?.id).toBe("u2");
});

it.each([
  [
    "a text that looks like a mark",
    user("x", "u1", JSON.stringify({ details: markDetails("good"), toolName: "timeline" })),
  ],
  ["another tool's result with the same details", result("x", "k1", "k1-0", "exec", marks("good"))],
  ["a user message with the same details", { ...user("x", "u1"), details: markDetails("good") }],
  ["details of another kind", result("x", "k1", "k1-0", "timeline", { details: { name: "good" } })],
  ["a name that is none", result("x", "k1", "k1-0", "timeline", marks("root"))],
  ["a name that is another form of target", result("x", "k1", "k1-0", "timeline", marks("branch:u1"))],
])("no mark: %s", (_, row) => {
  const history = new History([user("u1", null), calls("k1", "u1", "timeline"), row], "x");
  expect(agentMarks(history).size).toBe(0);
  expect(() => resolveTarget(history, "good")).toThrow("a name that was given to a place");
});
