import { expect, test } from "vitest";
import { section } from "../base/quoted.ts";
import { MISSING_RESULT_TEXT } from "./json/text.ts";
import type { JsonObject } from "./json/json.ts";
import { marked, markedInWords } from "./origin.ts";
import { SaidBefore } from "./said.ts";

const user = (text: string, timestamp: number): object => ({ role: "user", content: text, timestamp });
const says = (text: string, timestamp: number): object => ({
  role: "assistant",
  content: [{ type: "text", text }],
  timestamp,
});
const result = (text: string, toolCallId: string, isReal = true): object => ({
  role: "toolResult",
  toolCallId,
  toolName: "exec",
  isError: !isReal,
  content: [{ type: "text", text }],
  ...(isReal && { details: {} }),
});

const HISTORY = [
  user("send the mail", 1),
  says("I look.", 2),
  result("the mail is sent", "t1"),
  says("It is sent.", 3),
];

function after(...requests: object[][]): SaidBefore {
  const said = new SaidBefore();
  for (const request of requests) {
    expect(said.compare(request)).toEqual([]);
    said.accept(() => request);
  }
  return said;
}

test("finds each kind of message that is in no later request, once", () => {
  for (const at of HISTORY.keys()) {
    const said = after(HISTORY);
    const rest = HISTORY.toSpliced(at, 1);
    const { role } = HISTORY[at] as { role: string };
    expect(said.compare(rest)).toMatchObject([{ role, isReplaced: false }]);
    expect(said.compare(rest)).toEqual([]);
  }
});

test("takes a message of several lines for known where it is quoted to the model", () => {
  const said = after([user("send the mail\nto the heron", 1)]);
  expect(said.compare([user(section("The user said before:", "send the mail\nto the heron"), 9)])).toEqual([]);
});

test("counts no result in words as said: it comes back in its own form when the refusal is over", () => {
  const inWords = markedInWords({ role: "user", content: "[The tool returned:]\n> the mail is sent", timestamp: 4 }, [
    "",
  ]);
  expect(after([HISTORY[0]!, inWords]).compare(HISTORY)).toEqual([]);
});

test("counts nothing as said that is for one run only", () => {
  const briefing = marked(user("Recorded work of yesterday", 4) as JsonObject, { passing: true });
  const said = new SaidBefore();
  expect(said.compare([...HISTORY, briefing])).toEqual([]);
  // No list of what is stored, as before 2026.8.
  said.accept();
  expect(said.compare(HISTORY)).toEqual([]);
});

test("takes a message for known where its text is within another one", () => {
  const said = after(HISTORY);
  const merged = "Before: send the mail\n\nthe mail is sent\nIt is sent. And then?";
  expect(said.compare([says("I look.", 2), user(merged, 9)])).toEqual([]);
  const [first, ...rest] = HISTORY;
  expect(after([first!]).compare([user("send the mai", 9), ...rest])).toMatchObject([{ role: "user" }]);
});

test("takes a message for known that got another time, or is joined with another one without OpenClaw's stamp", () => {
  const said = after([user("[Fri 2026-11-27 17:34 UTC] how many?", 1)]);
  expect(said.compare([user("[Fri 2026-11-27 17:34 UTC] how many?", 2)])).toEqual([]);
  const joined = after([user("[Fri 2026-11-27 17:34 UTC] how many?", 1)]);
  expect(joined.compare([user("[Fri 2026-11-27 17:30 UTC] count them\nhow many?", 2)])).toEqual([]);
});

test("waits for the stored messages within a text of OpenClaw's, and for no other word of it", () => {
  const said = new SaidBefore();
  const note = user("Go on with the task.", 5);
  expect(said.compare([user("Before: send the mail. Go on.", 4), ...HISTORY.slice(1), note])).toEqual([]);
  said.accept(() => HISTORY);
  expect(said.compare(HISTORY)).toEqual([]);
  expect(said.compare(HISTORY.slice(1))).toMatchObject([{ key: 2, role: "user" }]);
});

test("finds a result that became a text in place of one, and no other text that changes", () => {
  const said = after(HISTORY);
  const changed = (text: string, isReal: boolean): object[] => HISTORY.with(2, result(text, "t1", isReal));
  expect(said.compare(changed("[Old result cleared]", true))).toEqual([]);
  expect(said.compare(changed(MISSING_RESULT_TEXT, false))).toMatchObject([{ role: "toolResult", isReplaced: true }]);
});

test("knows nothing of a request that was not accepted, nor of what came before it began anew", () => {
  const said = new SaidBefore();
  said.compare(HISTORY);
  expect(said.compare([])).toEqual([]);
  said.accept(() => HISTORY);
  expect(said.isEmpty).toBe(true);
  const cleared = after(HISTORY);
  cleared.clear();
  expect(cleared.compare([])).toEqual([]);
});

test("keeps the newest five thousand messages", () => {
  const many = Array.from({ length: 5100 }, (_, at) => user(`message ${at} of many`, at + 1));
  const said = after(many);
  expect(said.compare(many.slice(100))).toEqual([]);
  expect(said.compare(many.slice(101))).toHaveLength(1);
});
