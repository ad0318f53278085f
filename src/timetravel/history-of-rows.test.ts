import { expect, test } from "vitest";
import { historyOfRows } from "./history-of-rows.ts";

const says = (id: string, parentId: string | null, role: string, more: object = {}): object => ({
  type: "message",
  id,
  parentId,
  message: { role, content: [{ type: "text", text: id }] },
  ...more,
});

test("the conversation goes on where OpenClaw's leaf rows have moved it (2026.6 and later), not behind the last row", () => {
  const rows = [
    says("u1", null, "user"),
    says("a1", "u1", "assistant"),
    says("u2", "a1", "user"),
    says("a2", "u2", "assistant"),
    { type: "leaf", id: "l1", parentId: "a2", targetId: "a1" },
  ];
  const history = historyOfRows(rows);
  expect(history.headId).toBe("a1");
  expect(history.path().map(({ id }) => id)).toEqual(["u1", "a1"]);
  expect(history.tips().map(({ id }) => id)).toEqual(["a2"]);
});

test("what OpenClaw appends behind a side row stands behind the leaf, as it means it", () => {
  const rows = [
    says("u1", null, "user"),
    says("a1", "u1", "assistant"),
    says("s1", "a1", "assistant", { appendMode: "side" }),
    says("u2", "s1", "user"),
  ];
  const history = historyOfRows(rows);
  expect(history.path().map(({ id }) => id)).toEqual(["u1", "a1", "u2"]);
  expect(history.node("s1")?.parentId).toBe("a1");
});

test("lines that are no entries are passed over, and of an id that is there twice the last one counts", () => {
  const history = historyOfRows([
    null,
    "text",
    { type: "session", id: "s" },
    says("u1", null, "user"),
    says("u1", null, "assistant"),
  ]);
  expect(history.nodes().map(({ id, role }) => [id, role])).toEqual([["u1", "assistant"]]);
});
