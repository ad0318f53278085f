import { expect, test } from "vitest";
import { isBricked, isGood, judge, type Evidence } from "./judge.ts";

const request = (body: unknown, status = 200, error?: string) => ({
  status,
  body,
  raw: JSON.stringify(body),
  ...(error === undefined ? {} : { error }),
});

const turns = (...answered: boolean[]): Evidence["run"] => ({
  turns: answered.map((one) => ({ answered: one, text: "", ms: 1, ...(one ? {} : { error: "OpenClaw's words" }) })),
});

const job = { mustReach: ["blue heron", "Tür 7"], mustNotReach: ["made up"] };
const body = { messages: [{ text: "a blue heron" }, { text: "Tür 7" }] };

test("is good when both messages were answered and everything real was sent", () => {
  const verdict = judge(job, { run: turns(true, true), requests: [request(body), request(body)] });
  expect(verdict).toEqual({ answered: "both", lost: [], unwanted: [] });
  expect(isGood(verdict)).toBe(true);
});

test("a turn that was given up is no verdict on the session", () => {
  const verdict = judge(job, { run: turns(true, false), requests: [request(body)], timedOut: true });
  expect(verdict.answered).toBe("timed out");
  expect([isGood(verdict), isBricked(verdict)]).toEqual([false, false]);
});

test("looks into JSON that is a string of the body", () => {
  const quotes = { mustReach: ['say "hi"'], mustNotReach: [] };
  const inner = { arguments: JSON.stringify({ note: 'say "hi"' }) };
  for (const sent of [inner, { text: JSON.stringify(inner) }, { text: 'say "hi"' }]) {
    expect(judge(quotes, { run: turns(true, true), requests: [request(sent)] }).lost).toEqual([]);
  }
  // However the client spells a character.
  const escaped = { status: 200, body, raw: '{"text":"T\\u00fcr 7, blue heron"}' };
  expect(judge(job, { run: turns(true, true), requests: [escaped] }).lost).toEqual([]);
});

test("counts what any accepted request lacks, not what another or a refused one has", () => {
  const less = request({ text: "blue heron" });
  for (const accepted of [
    [less, request(body)],
    [request(body), less],
  ]) {
    const verdict = judge(job, { run: turns(true, true), requests: [request(body, 400, "refused"), ...accepted] });
    expect(verdict).toEqual({ answered: "both", lost: ["Tür 7"], unwanted: [] });
    expect(isGood(verdict)).toBe(false);
    expect(isBricked(verdict)).toBe(false);
  }
});

test("does not count what a limit of the history leaves out of a later request", () => {
  const requests = [request(body), request({ text: "blue heron" })];
  expect(judge({ ...job, historyLimit: 2 }, { run: turns(true, true), requests }).lost).toEqual([]);
});

test("finds unwanted text in any request", () => {
  const verdict = judge(job, {
    run: turns(true, true),
    requests: [request(body), request({ ...body, more: "made up" })],
  });
  expect(verdict.unwanted).toEqual(["made up"]);
  expect(isGood(verdict)).toBe(false);
});

test("gives the provider's words for a refusal, else OpenClaw's, in short", () => {
  const refused = judge(job, { run: turns(false, false), requests: [request(body, 400, "roles must\n alternate")] });
  expect(refused).toEqual({ answered: "none", error: "roles must alternate", unwanted: [] });
  expect(isBricked(refused)).toBe(true);
  expect(judge(job, { run: turns(false, false), requests: [] }).error).toBe("OpenClaw's words");
  expect(judge(job, { run: { turns: [], error: "not stored" }, requests: [] })).toMatchObject({
    answered: "none",
    error: "not stored",
  });
  expect(judge(job, { run: turns(false, false), requests: [request(body, 400, "x".repeat(999))] }).error).toHaveLength(
    300,
  );
});

test("tells which message was answered", () => {
  expect(judge(job, { run: turns(true, false), requests: [request(body)] }).answered).toBe("first only");
  expect(judge(job, { run: turns(false, true), requests: [request(body)] }).answered).toBe("second only");
});
