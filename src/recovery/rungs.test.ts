import { describe, expect, it } from "vitest";
import { assistant, call, result, says, user } from "../../harness/messages.ts";
import type { HistoryFailure } from "./choose.ts";
import { treat } from "./forms/treatment.ts";
import { nextRung, type Rungs } from "./rungs.ts";

const HISTORY = [
  user("read"),
  assistant(call("call_a")),
  result("call_a"),
  says("so"),
  user("and what else is in it?"),
  says("ho"),
  user("on"),
];

/** Refuses a body, which is the history with its messages behind `added` others, at a place of it. */
function refusedAt(message: number, added: number): Parameters<typeof nextRung>[1] {
  const sent = [...Array.from({ length: added }, (_, nth) => user(`added ${nth}`)), ...HISTORY];
  const failure: HistoryFailure = { kind: "history", problem: "tool_pairing", message, ids: ["call_a"] };
  return { failure, messages: HISTORY, sent, hasHistory: true };
}

/** Refuses the same history with another call, whose first one was sent as text, for a call of it. */
function refusedThen(id: string, problem: HistoryFailure["problem"] = "tool_pairing"): Parameters<typeof nextRung>[1] {
  const messages = treat([...HISTORY, assistant(call("call_b")), result("call_b"), user("go")], {
    kind: "calls_as_text",
    ids: ["call_a"],
  });
  return { failure: { kind: "history", problem, ids: [id] }, messages, sent: messages, hasHistory: true };
}

describe("a second refusal in a run", () => {
  const first: Rungs = { extra: 1, treated: refusedAt(4, 0).failure };

  it("is followed by the last words where it names the same call: words that move would leave the turn without an answer", () => {
    const rungs = { ...first };
    expect(nextRung(rungs, refusedThen("call_a")).send).toEqual({ kind: "last_words" });
    expect(nextRung(rungs, refusedThen("call_a"))).toEqual({ end: "endpoint" });
  });

  it("is followed by the last words where it is of something else", () => {
    for (const problem of ["image", "role_order", "media", "block_form", "unspecified", "route"] as const)
      expect(nextRung({ ...first }, refusedThen("call_b", problem)).send?.kind, problem).toBe("last_words");
  });

  it("is followed by the plainest form where the same words name another call: all words are sent", () => {
    expect(nextRung({ ...first }, refusedThen("call_b")).send?.kind).toBe("flat");
  });

  it("is followed by the last words where words about pictures name another call: no picture stands there", () => {
    const rungs: Rungs = { extra: 1, treated: { kind: "history", problem: "image", ids: [] } };
    expect(nextRung(rungs, refusedThen("call_b", "image")).send).toEqual({ kind: "last_words" });
  });

  it("is followed by the plainest form where no last words can be sent alone", () => {
    const rungs: Rungs = { extra: 0 };
    expect(nextRung(rungs, { ...refusedAt(4, 0), hasHistory: false }).send?.kind).toBe("calls_as_text");
    expect(nextRung(rungs, { ...refusedAt(5, 0), hasHistory: false }).send?.kind).toBe("flat");
  });
});

it("words that no form was tried with are not known to be refused, so that a search asks about them", () => {
  const rungs: Rungs = { extra: 0 };
  const refused = { ...refusedAt(0, 1), allows: () => false };
  expect(nextRung(rungs, refused).send?.kind).toBe("last_words");
  expect(rungs.isPlain).toBe(false);
});
