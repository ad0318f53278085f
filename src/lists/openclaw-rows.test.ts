import { expect, it } from "vitest";
import { repair, validate } from "./index.ts";

type Row = Record<string, unknown>;
const HEADER = { type: "session", version: 3, id: "s", timestamp: "t", cwd: "/" };
const row = (id: string, parentId: string | null, message: object): Row => ({
  type: "message",
  id,
  parentId,
  timestamp: "t",
  message,
});
const user = { role: "user", content: "Pay" };
const asks = (id: string): object => ({
  role: "assistant",
  content: [{ type: "toolCall", id, name: "pay", arguments: {} }],
  stopReason: "toolUse",
});
const result = (id: string): object => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "pay",
  content: [{ type: "text", text: "paid" }],
  isError: false,
});

it("judges the path alone: a branch that was left may end in an open call, or have the same ids", () => {
  const rows = [
    HEADER,
    row("1", null, user),
    row("2", "1", asks("c1")),
    row("3", "1", asks("c1")),
    row("4", "3", result("c1")),
  ];
  expect(validate(rows)).toEqual([]);
  expect(repair(rows).messages).toBe(rows);
});

it("puts a missing result into the tree, and leads the rows behind it through the new one", () => {
  const change = { type: "model_change", id: "m", parentId: "2", timestamp: "t" };
  const rows = [HEADER, row("1", null, user), row("2", "1", asks("c1")), change, row("3", "m", user)];
  const { messages, repairs } = repair<Row>(rows);
  expect(repairs).toMatchObject([{ kind: "missing_tool_result", action: "add_result", messageIndex: 2, id: "c1" }]);
  const ids = messages.slice(1).map(({ id, parentId }) => [parentId, id]);
  const added = messages.find(({ id }) => !rows.some((one) => one["id"] === id))!["id"];
  expect(ids).toEqual([
    [null, "1"],
    ["1", "2"],
    ["2", added === messages[3]!["id"] ? added : "m"],
    [ids[2]![1], ids[3]![1]],
    [ids[3]![1], "3"],
  ]);
  expect(validate(messages)).toEqual([]);
  expect(messages[0]).toBe(HEADER);
});

it("gives a branch whose parent is gone the row before it", () => {
  const rows = [
    row("1", null, user),
    row("2", "1", asks("c1")),
    row("3", "2", result("c1")),
    row("4", "3", result("c1")),
    row("b", "4", { ...user, content: "a branch" }),
    row("5", "4", user),
  ];
  const { messages } = repair<Row>(rows);
  expect(messages.map(({ id, parentId }) => `${String(parentId)}-${String(id)}`)).toEqual([
    "null-1",
    "1-2",
    "2-3",
    "3-b",
    "3-5",
  ]);
});

it("judges all rows where they have no ids", () => {
  const rows = [user, asks("c1"), result("c1"), user].map((message) => ({ type: "message", message }));
  expect(repair(rows).messages).toBe(rows);
  expect(validate(rows.toSpliced(2, 1)).map(({ kind }) => kind)).toEqual(["missing_tool_result"]);
});
