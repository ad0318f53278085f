import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../transcript/json/json.ts";
import { buildActionLog } from "./action-log.ts";
import { ABORTED_TYPE, CARRYOVER_TYPE, intentDetails } from "./records.ts";

const TIME = "2026-11-22T10:00:00.000Z";
const asks = (id: string, intentId: string, targetId: string | null): JsonObject => ({
  type: "message",
  id,
  parentId: "k",
  timestamp: TIME,
  message: {
    role: "toolResult",
    toolName: "tobe",
    toolCallId: "c",
    content: [],
    details: intentDetails({ intentId, targetId, asked: "x" }),
  },
});
const arrives = (
  id: string,
  intentId: string,
  departureId: string | null,
  targetId: string | null,
  by = "agent",
): JsonObject => ({
  type: "custom_message",
  id,
  parentId: targetId,
  timestamp: TIME,
  customType: CARRYOVER_TYPE,
  content: "…",
  display: true,
  details: { intentId, departureId, targetId, by },
});
const fails = (id: string, intentId: string, targetId: string | null): JsonObject => ({
  type: "custom_message",
  id,
  parentId: "r",
  timestamp: TIME,
  customType: ABORTED_TYPE,
  content: "…",
  display: true,
  details: { intentId, targetId, reason: "the disk is full" },
});
const says = (id: string): JsonObject => ({
  type: "message",
  id,
  parentId: null,
  message: { role: "user", content: id },
});
const short = (rows: readonly unknown[]): unknown[] =>
  buildActionLog(rows).map(({ kind, intentId, from, to, carryoverId, by, reason }) => [
    kind,
    intentId,
    from,
    to,
    carryoverId,
    by,
    ...(reason === undefined ? [] : [reason]),
  ]);

describe("the action log", () => {
  test("a move that was made, one that failed, one whose run ended before it, and one of the operator's", () => {
    expect(
      short([
        says("a1"),
        asks("r", "one", "a1"),
        says("r2"),
        arrives("n1", "one", "r2", "a1"),
        asks("r3", "two", null),
        fails("n2", "two", null),
        asks("r4", "three", "a1"),
        arrives("n3", "four", "r4", null, "operator"),
      ]),
    ).toEqual([
      ["DEPARTURE", "one", "r2", "a1", null, "agent"],
      ["INCARNATE", "one", "r2", "a1", "n1", "agent"],
      ["DEPARTURE", "two", "r3", null, null, "agent"],
      ["ABORTED", "two", "r3", null, null, "agent", "the disk is full"],
      ["DEPARTURE", "three", "r4", "a1", null, "agent"],
      ["ABORTED", "three", "r4", "a1", null, "agent", "the run ended before the move"],
      ["DEPARTURE", "four", "r4", null, null, "operator"],
      ["INCARNATE", "four", "r4", null, "n3", "operator"],
    ]);
  });

  test("a copy under other ids tells of places that it has, and what a repair says again is no second move (verification 4)", () => {
    const rows = [says("a1"), asks("r", "one", "a1"), arrives("n1", "one", "r", "a1")];
    const copy = rows.map((row) => ({
      ...row,
      id: `copy-${String(row.id)}`,
      parentId: row.parentId === null ? null : `copy-${String(row.parentId)}`,
    }));
    expect(short(copy)).toEqual([
      ["DEPARTURE", "one", "copy-r", "a1", null, "agent"],
      ["INCARNATE", "one", "copy-r", "copy-a1", "copy-n1", "agent"],
    ]);
    expect(buildActionLog([...rows, ...copy])).toEqual(buildActionLog(rows));
  });

  test("whatever rows there are, each departure has one end behind it, and there is no end without one", () => {
    const intentId = fc.constantFrom("i", "j", "k");
    const place = fc.constantFrom("e0", "e1", null);
    const row = fc.oneof(
      fc.tuple(intentId, place).map(
        ([id, to]) =>
          (at: string) =>
            asks(at, id, to),
      ),
      fc.tuple(intentId, place, place).map(
        ([id, from, to]) =>
          (at: string) =>
            arrives(at, id, from, to),
      ),
      fc.tuple(intentId, place).map(
        ([id, to]) =>
          (at: string) =>
            fails(at, id, to),
      ),
      fc.anything().map((anything) => () => anything),
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (made) => {
        const rows = made.map((make, at) => make(`e${at}`));
        const actions = buildActionLog(rows);
        for (const kinds of Map.groupBy(actions, (action) => action.intentId).values()) {
          expect(kinds.map(({ kind }) => (kind === "DEPARTURE" ? kind : "END"))).toEqual(["DEPARTURE", "END"]);
        }
        // A made move is never told as one that was not, and one that was taken back is.
        const intentIds = (type: string): Set<unknown> =>
          new Set(
            rows.flatMap((one) =>
              (one as JsonObject | null)?.customType === type
                ? [((one as JsonObject).details as JsonObject).intentId]
                : [],
            ),
          );
        const [arrived, failed] = [intentIds(CARRYOVER_TYPE), intentIds(ABORTED_TYPE)];
        for (const { kind, intentId: id } of actions)
          if (kind !== "DEPARTURE") expect(kind).toBe(arrived.has(id) && !failed.has(id) ? "INCARNATE" : "ABORTED");
      }),
    );
  });
});

describe("a move whose run ended before its tool had answered", () => {
  const calls = (id: string, callId: string, target: unknown): JsonObject => ({
    type: "message",
    id,
    parentId: null,
    timestamp: TIME,
    message: { role: "assistant", content: [{ type: "toolCall", id: callId, name: "tobe", arguments: { target } }] },
  });
  const result = (toolCallId: string, more: object): JsonObject => ({
    type: "message",
    id: "r",
    message: { role: "toolResult", toolCallId, toolName: "tobe", content: [], isError: true, ...more },
  });
  const aborted = {
    kind: "ABORTED",
    intentId: "call:c1",
    from: "k1",
    to: null,
    asked: "turn:-1",
    reason: "the run ended before the move was accepted",
  };

  test.each([
    ["no result", []],
    ["a result that this project wrote", [result("c1", { openclawIntegrity: { result: "interrupted" } })]],
    ["a result that OpenClaw wrote", [result("c1", { content: [{ type: "text", text: "No result provided" }] })]],
  ])("with %s: it has a departure, and was not made", (_, results) => {
    expect(buildActionLog([calls("k1", "c1", "turn:-1"), ...results])).toEqual([
      expect.objectContaining({ kind: "DEPARTURE", intentId: "call:c1", from: "k1" }) as unknown,
      expect.objectContaining(aborted) as unknown,
    ]);
  });

  test("a refusal of the tool's own is no move", () => {
    expect(buildActionLog([calls("k1", "c1", "nowhere"), result("c1", { details: {} })])).toEqual([]);
  });

  test("the log of a move that was made has its note", () => {
    const row = arrives("n", "one", "r", "a");
    const details = { ...(row.details as JsonObject), note: "the other way" };
    expect(buildActionLog([{ ...row, details }]).at(-1)).toMatchObject({ kind: "INCARNATE", note: "the other way" });
  });
});
