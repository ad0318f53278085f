import { expect, test } from "vitest";
import type { JsonObject } from "../../transcript/json/json.ts";
import { History } from "../history.ts";
import { CARRYOVER_TYPE } from "../records.ts";
import { requireLastMove } from "./undo.ts";

const said = (id: string, parentId: string | null): JsonObject => ({
  type: "message",
  id,
  parentId,
  message: { role: "user", content: [{ type: "text", text: id }] },
});
/** A move that an operator made from one place to another. */
const move = (id: string, departureId: string, targetId: string): JsonObject => ({
  type: "custom_message",
  customType: CARRYOVER_TYPE,
  id,
  parentId: targetId,
  content: id,
  details: { intentId: id, departureId, targetId, by: "operator" },
});
const last = (...entries: JsonObject[]): string =>
  requireLastMove(new History(entries, String(entries.at(-1)!.id))).place;
const SAID = [said("a", null), said("b", "a"), said("c", "b")];
const FIRST = [...SAID, move("m1", "c", "b"), said("d", "m1")];
const SECOND = [...FIRST, move("m2", "d", "a"), said("e", "m2")];

test("an undo after an undo takes back the move before, and not the undo", () => {
  expect(last(...SECOND)).toBe("d");
  const undone = [...SECOND, move("u2", "e", "d")];
  expect(last(...undone)).toBe("c");
  // Also when something was said in between.
  expect(last(...undone, said("f", "u2"))).toBe("c");
  const both = [...undone, move("u1", "u2", "c")];
  expect(() => last(...both)).toThrow("a conversation that was moved, and not only back again");
});

test("a move after an undo is the last one, and one to another place is no undo", () => {
  const undone = [...SECOND, move("u2", "e", "d")];
  expect(last(...undone, move("m3", "u2", "a"))).toBe("u2");
  expect(last(...SECOND, move("m3", "e", "b"))).toBe("e");
});
