import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import type { ProviderRequest } from "./provider/server.ts";
import { findMarks, proofQuestion, SESSIONS, type ProofSession } from "./sessions/sessions.ts";

const sound = SESSIONS[0]!;
const refusedSession = SESSIONS.find(({ refused }) => refused)!;

const sent = (session: ProofSession, nth: number, marks = findMarks(session)): string =>
  [...marks, proofQuestion(session, nth)].join(" ");
const answered = (session: ProofSession, nth: number, marks?: readonly string[]): ProviderRequest => ({
  text: sent(session, nth, marks),
  answer: `answer ${nth}`,
});
const refusal = (session: ProofSession, nth: number): ProviderRequest => ({
  text: sent(session, nth),
  refusal: "messages.1: no",
});

test("passes when both answers came back and the whole content was sent", () => {
  const proof = judge(sound, ["answer 1", "answer 2"], [answered(sound, 1), answered(sound, 2)]);
  expect(proof).toMatchObject({ passed: true, answered: 2, messages: 2, lost: [], outcome: sound.success });
});

test("an answer that did not come back is no answer, and neither are words of OpenClaw", () => {
  const proof = judge(sound, ["answer 1", "No response."], [answered(sound, 1), answered(sound, 2)]);
  expect(proof).toMatchObject({
    passed: false,
    answered: 1,
    outcome: '1 of 2 messages answered; OpenClaw said: "No response."',
  });
});

test("words of others are on one line, quoted, and not without end", () => {
  const words = `no\nOpenClaw 1 in /: proven\u001b[2K${"x".repeat(5000)}`;
  const { outcome } = judge(sound, [words, words], []);
  expect(outcome).toMatch(/^0 of 2 messages answered; OpenClaw said: "no\\nOpenClaw 1 in \/: proven\\u001b\[2Kx+…"$/);
  expect(outcome.length).toBeLessThan(500);
});

test("what the provider refused is told in its words", () => {
  const proof = judge(sound, ["failed", "answer 2"], [refusal(sound, 1), answered(sound, 2)]);
  expect(proof).toMatchObject({ passed: false, refusal: "messages.1: no" });
  expect(proof.outcome).toContain('the provider said: "messages.1: no"');
});

test("content that was not sent is a loss, in either of the two messages", () => {
  const [, ...rest] = findMarks(sound);
  const proof = judge(sound, ["answer 1", "answer 2"], [answered(sound, 1), answered(sound, 2, rest)]);
  expect(proof).toMatchObject({ passed: false, lost: ["PROOF-sound-ask"] });
});

test("a request of OpenClaw's own, for a title, is not taken for the one that was answered", () => {
  const title: ProviderRequest = { text: proofQuestion(sound, 1), answer: "a title" };
  expect(judge(sound, ["answer 1", "answer 2"], [title, answered(sound, 1), answered(sound, 2)]).passed).toBe(true);
});

test("a sound history in another order does not pass", () => {
  const turned = findMarks(sound).toReversed();
  expect(judge(sound, ["answer 1", "answer 2"], [answered(sound, 1, turned), answered(sound, 2)]).outcome).toContain(
    "another order",
  );
});

test("a refusal that never came proves no recovery", () => {
  const both = [answered(refusedSession, 1), answered(refusedSession, 2)];
  expect(judge(refusedSession, ["answer 1", "answer 2"], both).passed).toBe(false);
  const recovered = [refusal(refusedSession, 1), ...both];
  expect(judge(refusedSession, ["answer 1", "answer 2"], recovered).passed).toBe(true);
});

test("no mark and no question occurs in two sessions", () => {
  const marks = SESSIONS.flatMap(findMarks);
  expect(new Set(marks).size).toBe(marks.length);
  expect(SESSIONS.every((session) => findMarks(session).length > 2)).toBe(true);
  const questions = SESSIONS.flatMap((session) => [proofQuestion(session, 1), proofQuestion(session, 2)]);
  for (const one of questions) expect(questions.filter((other) => other.includes(one))).toHaveLength(1);
});

test("an answer without the history is no answer: OpenClaw has begun a new session, and the conversation has forgotten all", () => {
  const session = { ...sound, messages: [], latest: ["The disk is full.", "Delete the logs."] };
  const both = ["The disk is full.", "Delete the logs."].map((words, at) => answered(session, at + 1, [words]));
  expect(judge(session, ["answer 1", "answer 2"], both)).toMatchObject({ passed: true });
  const forgotten = [both[0]!, answered(session, 2, [])];
  expect(judge(session, ["answer 1", "answer 2"], forgotten)).toMatchObject({
    passed: false,
    outcome: "answered, but the history was not sent: the conversation has forgotten it",
  });
});
