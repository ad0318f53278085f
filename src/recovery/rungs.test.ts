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

describe("a second refusal, at another place than the first", () => {
  it("is followed by the last words where the same thing stands there: no form of the history was taken", () => {
    const rungs: Rungs = { extra: 0 };
    expect(nextRung(rungs, refusedAt(4, 0)).send?.kind).toBe("calls_as_text");
    expect(nextRung(rungs, refusedAt(5, 1)).send?.kind).toBe("last_words");
  });

  it("is followed by the last words where the refused words stand there as text", () => {
    const rungs: Rungs = { extra: 0 };
    const words = "the words that are refused";
    const at = (message: number, sent: unknown[], problem: HistoryFailure["problem"]) =>
      nextRung(rungs, {
        failure: { kind: "history", problem, message, ids: ["call_a"] },
        messages: HISTORY,
        sent,
        hasHistory: true,
      });
    expect(at(0, [{ functionResponse: { response: { output: words } } }], "tool_pairing").send?.kind).toBe(
      "calls_as_text",
    );
    expect(at(1, [user("a"), user(`[The tool returned:]\n> ${words}`)], "tool_pairing").send?.kind).toBe("last_words");
  });

  it("is followed by the last words where words of a block name a plain text: no form changes it", () => {
    const rungs: Rungs = { extra: 0 };
    const at = (message: number, ids: string[]) =>
      nextRung(rungs, {
        failure: { kind: "history", problem: "block_form", message, block: 0, ids },
        messages: HISTORY,
        sent: HISTORY,
        hasHistory: true,
      });
    expect(at(1, ["call_a"]).send?.kind).toBe("calls_as_text");
    expect(at(3, []).send?.kind).toBe("last_words");
  });

  it("is followed by the plainest form where something else stands there", () => {
    const rungs: Rungs = { extra: 0 };
    expect(nextRung(rungs, refusedAt(4, 0)).send?.kind).toBe("calls_as_text");
    expect(nextRung(rungs, refusedAt(5, 0)).send?.kind).toBe("flat");
  });
});
