import { describe, expect, it } from "vitest";
import { assistant, call, result, says, user } from "../../harness/messages.ts";
import type { HistoryFailure } from "./choose.ts";
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

describe("a second refusal in a run", () => {
  it.each([
    ["at the same place", 4, 0],
    ["where the same thing stands at another place", 5, 1],
    ["where something else stands", 5, 0],
  ])("is followed by the last words %s: words that move would leave the turn without an answer", (_, place, added) => {
    const rungs: Rungs = { extra: 0 };
    expect(nextRung(rungs, refusedAt(4, 0)).send?.kind).toBe("calls_as_text");
    expect(nextRung(rungs, refusedAt(place, added)).send).toEqual({ kind: "last_words" });
    expect(nextRung(rungs, refusedAt(place, added))).toEqual({ end: "endpoint" });
  });

  it("of other words, of another picture or behind a lesson, is followed by the last words too", () => {
    const problems = ["tool_pairing", "image", "role_order", "media", "block_form", "route"] as const;
    for (const before of problems)
      for (const problem of problems) {
        const refused = refusedAt(4, 0);
        const treated = { ...refused.failure, problem: before };
        const next = nextRung({ extra: 1, treated }, { ...refused, failure: { ...refused.failure, problem } });
        expect(next.send?.kind, `${before}, then ${problem}`).toBe("last_words");
      }
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
