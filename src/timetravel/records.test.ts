import fc from "fast-check";
import { expect, test } from "vitest";
import { ABORTED_TYPE, readAborted, readArrival, CARRYOVER_TYPE, intentDetails, readIntent } from "./records.ts";

const result = (details: unknown): object => ({
  type: "message",
  id: "r1",
  parentId: "k1",
  message: { role: "toolResult", toolName: "tobe", toolCallId: "c1", content: [], details },
});
const note = (customType: string, details: unknown): object => ({
  type: "custom_message",
  id: "n1",
  parentId: "a1",
  customType,
  content: "…",
  display: true,
  details,
});

test("what a move wrote is read back, and each row is one thing only", () => {
  const intent = { intentId: "i", targetId: "a1", asked: "turn:-1" };
  const arrival = { intentId: "i", departureId: "r1", targetId: "a1", by: "agent" };
  const aborted = { intentId: "i", targetId: null, reason: "the disk is full" };
  const rows = [result(intentDetails(intent)), note(CARRYOVER_TYPE, arrival), note(ABORTED_TYPE, aborted)];
  expect(rows.map(readIntent)).toEqual([intent, undefined, undefined]);
  // Another tool asks for nothing, whatever its result says.
  expect(
    readIntent({
      type: "message",
      id: "r2",
      message: {
        role: "toolResult",
        toolName: "web_fetch",
        toolCallId: "c2",
        content: [],
        details: intentDetails(intent),
      },
    }),
  ).toBeUndefined();
  expect(rows.map(readArrival)).toEqual([undefined, arrival, undefined]);
  expect(rows.map(readAborted)).toEqual([undefined, undefined, aborted]);
});

test("rows that others wrote, or that were damaged, are no records and stop nobody", () => {
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom(CARRYOVER_TYPE, ABORTED_TYPE), (anything, type) => {
      for (const row of [
        anything,
        result(anything),
        note(type, anything),
        result({ kind: "openclaw-integrity:move", intentId: anything, targetId: anything }),
      ]) {
        for (const read of [readIntent, readArrival, readAborted]) {
          const found = read(row);
          if (found)
            expect([typeof found.intentId, found.targetId === null || typeof found.targetId === "string"]).toEqual([
              "string",
              true,
            ]);
        }
      }
    }),
  );
  expect(
    readIntent({ ...result(intentDetails({ intentId: "i", targetId: null, asked: "root" })), type: "custom_message" }),
  ).toBeUndefined();
  expect(readArrival(note(CARRYOVER_TYPE, { intentId: "", departureId: null, targetId: null }))).toBeUndefined();
});
