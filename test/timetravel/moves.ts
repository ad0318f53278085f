/** A stored session with every kind of move, as the rows of OpenClaw have it. */
import { ABORTED_TYPE, CARRYOVER_TYPE, intentDetails } from "../../src/timetravel/index.ts";

/** What is said in it; none of it may be seen where nobody asked for words. */
export const SECRET = "PLANTED";

const TIME = "2026-11-22T21:20:00.000Z";
const message = (id: string, parentId: string | null, role: string, content: unknown, more: object = {}): object => ({
  type: "message",
  id,
  parentId,
  timestamp: TIME,
  message: { role, content, ...more },
});
const text = (words: string): object[] => [{ type: "text", text: `${SECRET} ${words}` }];
const call = (id: string, parentId: string, callId: string): object =>
  message(id, parentId, "assistant", [{ type: "toolCall", id: callId, name: "tobe", arguments: { target: SECRET } }], {
    stopReason: "toolUse",
  });
const asks = (id: string, parentId: string, toolCallId: string, intentId: string, targetId: string | null): object =>
  message(id, parentId, "toolResult", text("scheduled"), {
    toolCallId,
    toolName: "tobe",
    isError: false,
    details: intentDetails({ intentId, targetId, asked: `${SECRET} place` }),
  });
const note = (id: string, parentId: string | null, customType: string, details: object): object => ({
  type: "custom_message",
  id,
  parentId,
  timestamp: TIME,
  customType,
  content: `${SECRET} note`,
  display: true,
  details,
});

/**
 * u1 a1 u2 k1 r1: the agent asks for a1 and gets there (n1, b1); k2 r2: it asks for u1, which fails (f1, b2); k3 r3: it
 * asks again and its run ends; u3 b3: the user goes on; n2: the operator takes the conversation back to b1, where it
 * goes on (u4 b4).
 */
export const MOVED_ROWS: readonly object[] = [
  { type: "session", version: 3, id: "moved", timestamp: TIME, cwd: "/home/me" },
  message("u1", null, "user", text("a question")),
  message("a1", "u1", "assistant", text("an answer")),
  message("u2", "a1", "user", text("a second question")),
  call("k1", "u2", "c1"),
  asks("r1", "k1", "c1", "one", "a1"),
  note("n1", "a1", CARRYOVER_TYPE, { intentId: "one", departureId: "r1", targetId: "a1", by: "agent" }),
  message("b1", "n1", "assistant", text("another way")),
  call("k2", "b1", "c2"),
  asks("r2", "k2", "c2", "two", "u1"),
  note("f1", "r2", ABORTED_TYPE, { intentId: "two", targetId: "u1", reason: `${SECRET} reason` }),
  message("b2", "f1", "assistant", text("then not")),
  call("k3", "b2", "c3"),
  asks("r3", "k3", "c3", "three", "u1"),
  message("u3", "r3", "user", text("go on")),
  message("b3", "u3", "assistant", text("gone on")),
  note("n2", "b1", CARRYOVER_TYPE, { intentId: "four", departureId: "b3", targetId: "b1", by: "operator" }),
  message("u4", "n2", "user", text("and now?")),
  message("b4", "u4", "assistant", text("now this")),
];

/** The same as a transcript file. */
export const MOVED_TRANSCRIPT = MOVED_ROWS.map((row) => `${JSON.stringify(row)}\n`).join("");
