import { expect, test } from "vitest";
import { findFaults, type Seen } from "./judge.ts";
import type { Said } from "./said.ts";
import { seenRequest as request } from "./seen-request.ts";

function said(name: string, more: Partial<Said> = {}): Said {
  return {
    conversation: "c1",
    action: 0,
    message: { name, rounds: [] },
    run: name,
    stopped: false,
    at: 0,
    plain: false,
    ...more,
  };
}

function listKinds(seen: Partial<Seen>): string[] {
  return findFaults({
    said: [],
    requests: [],
    closings: () => [{ state: "final", text: "Done", error: "" }],
    isAnswered: () => true,
    isNamed: () => false,
    begun: new Map(),
    forgotten: [],
    deaths: [],
    takenBack: new Set(),
    ...seen,
  }).map(({ kind }) => kind);
}

test("finds nothing where each message is in the last request", () => {
  expect(listKinds({ said: [said("m1"), said("m2")], requests: [request(["m1"]), request(["m1", "m2"])] })).toEqual([]);
});

test("finds a message that no accepted request has, unless somebody was told", () => {
  const refused = request(["m1"], { record: { status: 400, violations: [], api: "anthropic-messages" } });
  expect(listKinds({ said: [said("m1")], requests: [refused] })).toEqual(["message lost"]);
  expect(listKinds({ said: [said("m1", { stopped: true })], requests: [refused] })).toEqual(["stopped unread"]);
  expect(listKinds({ said: [said("m1")], isNamed: () => true })).toEqual([]);
  const { run: _run, ...notTaken } = said("m1");
  expect(listKinds({ said: [notTaken] })).toEqual([]);
});

test("finds what was in a request and is neither in the last one nor in what a summary was made of", () => {
  const first = request(["m1"], { results: new Set(["t1"]) });
  expect(listKinds({ said: [said("m1")], requests: [first, request([])] })).toEqual([
    "message forgotten",
    "result forgotten",
  ]);
  const summary = request(["m1"], { results: new Set(["t1"]), summary: true });
  expect(listKinds({ said: [said("m1")], requests: [first, summary, request([])] })).toEqual([]);
  const quoted = request([], { extract: "a" });
  expect(listKinds({ said: [said("m1")], requests: [first, quoted, quoted] })).toEqual([]);
  const later = request(["m1"], { extract: "a" });
  expect(listKinds({ said: [said("m1")], requests: [quoted, later, quoted] })).toEqual(["message forgotten"]);
});

test("takes no result for forgotten that stands in the next request as refused by a filter", () => {
  const first = request(["m1"], { results: new Set(["t1"]) });
  expect(listKinds({ said: [said("m1")], requests: [first, request(["m1"], { withheld: 1 })] })).toEqual([]);
  const other = request(["m1"], { results: new Set(["t1"]), withheld: 1 });
  expect(listKinds({ said: [said("m1")], requests: [other, request(["m1"], { withheld: 1 })] })).toEqual([
    "result forgotten",
  ]);
});

test("finds a message without an answer or a word, unless the person has stopped it", () => {
  const requests = [request(["m1"])];
  const silent = { isAnswered: () => false, requests };
  const empty = (state: "final" | "aborted") => () => [{ state, text: "", error: "" }];
  expect(listKinds({ ...silent, said: [said("m1")], closings: empty("final") })).toEqual(["no word"]);
  expect(listKinds({ ...silent, said: [said("m1")], closings: () => [] })).toEqual(["no word"]);
  expect(listKinds({ ...silent, said: [said("m1", { stopped: true })], closings: empty("aborted") })).toEqual([]);
  expect(listKinds({ ...silent, said: [said("m1")] })).toEqual([]);
});

test("finds commands that ran twice, broken rules, and what the guard and the gateway say themselves", () => {
  const broken = request(["m1"], { record: { status: 400, violations: ["roles"], api: "anthropic-messages" } });
  expect(
    listKinds({
      requests: [broken],
      begun: new Map([["c1m1k1", 2]]),
      forgotten: [{ conversation: "c1", detail: "user 1" }],
      deaths: ["SIGSEGV"],
    }),
  ).toEqual(["command run twice", "rule broken", "incident of the guard", "gateway ended"]);
});

test("finds a picture that no accepted request has, and takes none for lost whose message is in none either", () => {
  const shown = said("m1", { message: { name: "m1", rounds: [], picture: true } });
  expect(listKinds({ said: [shown], requests: [request(["m1"]), request(["m1"])] })).toEqual(["picture lost"]);
  expect(
    listKinds({ said: [shown], requests: [request(["m1"], { pictures: new Set(["m1"]) }), request(["m1"])] }),
  ).toEqual([]);
  expect(listKinds({ said: [shown], requests: [request(["m1"], { weak: true }), request(["m1"])] })).toEqual([]);
  expect(listKinds({ said: [shown] })).toEqual(["message lost"]);
});

test("finds a call that a request says something false of, once", () => {
  const requests = [request(["m1"], { toldWrongly: ["k1"] }), request(["m1"], { toldWrongly: ["k1"] })];
  expect(listKinds({ said: [said("m1")], requests })).toEqual(["told wrongly"]);
});

test("what a weak model was not sent is forgotten only where it does not come back for another model", () => {
  const [first, weak] = [request(["m1"]), request([], { weak: true })];
  expect(listKinds({ said: [said("m1")], requests: [first, weak] })).toEqual([]);
  expect(listKinds({ said: [said("m1")], requests: [first, weak, request(["m1"])] })).toEqual([]);
  expect(listKinds({ said: [said("m1")], requests: [first, weak, request([])] })).toEqual(["message forgotten"]);
});

test("what an operator has taken back is gone by right, and what was said before that is not", () => {
  const before = request(["m1", "m2"], { results: new Set(["c1m1k1", "c1m2k2"]) });
  const seen = { said: [said("m1"), said("m2")], takenBack: new Set(["[[c1.m2]]"]) };
  expect(listKinds({ ...seen, requests: [before, request(["m1"], { results: new Set(["c1m1k1"]) })] })).toEqual([]);
  expect(listKinds({ ...seen, requests: [before, request([])] })).toEqual(["message forgotten", "result forgotten"]);
});
