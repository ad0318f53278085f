/** An oracle that sees nothing wrong in what is wrong would prove nothing. */
import { expect, test } from "vitest";
import { findFaults, type Evidence } from "./oracle.ts";

const WORD = "w1-0-1q";
const call = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "exec", input: { for: WORD } }] };
const result = (content: string): object => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "toolu_1", content }],
});
const RAN = [
  { kind: "ran", word: WORD },
  { kind: "gave", word: WORD },
  { kind: "settled", word: WORD },
] as const;

function evidence(history: object[], more: Partial<Evidence> = {}): Evidence {
  const text = JSON.stringify(history);
  return { notes: RAN, stored: text, history, sent: text, ...more };
}

test("nothing is wrong where the history says what was", () => {
  expect(findFaults(evidence([call, result(`did ${WORD}`)]))).toEqual([]);
  expect(findFaults(evidence([call, result("It may have run.")], { notes: [{ kind: "ran", word: WORD }] }))).toEqual(
    [],
  );
  expect(
    findFaults(
      evidence([], {
        notes: [
          { kind: "ran", word: WORD },
          { kind: "threw", word: WORD },
        ],
      }),
    ),
  ).toEqual([]);
});

test.each<[string, Evidence, RegExp]>([
  ["a result that is not stored", evidence([call, result("something else")]), /^lost result: .* is not stored$/],
  ["a result that is not sent", evidence([call, result(`did ${WORD}`)], { sent: "[]" }), /^lost result: .* not sent$/],
  [
    "a word of the user's that is not stored",
    evidence([], { notes: [{ kind: "asked", word: WORD }] }),
    /^lost word: .* is not stored$/,
  ],
  [
    "a word of the user's that is not sent",
    evidence([], { notes: [{ kind: "asked", word: WORD }], stored: `said ${WORD}` }),
    /^lost word: .* is not sent$/,
  ],
  ["a tool that ran twice", evidence([call, result(`did ${WORD}`)], { notes: [RAN[0], ...RAN] }), /^ran twice/],
  [
    "a call that ran and is told as not started",
    evidence([call, result("[This tool call was not started]")], { notes: [RAN[0]] }),
    /^false statement: .* told as a call that did nothing$/,
  ],
  [
    "a result of another call",
    evidence([call, result("did w1-0-2q")], { notes: [RAN[0], { kind: "gave", word: "w1-0-2q" }] }),
    /^false statement: .* has the result of w1-0-2q$/,
  ],
  [
    "a result that no tool gave",
    evidence([call, result(`did ${WORD}`)], { notes: [RAN[0]] }),
    /^false statement: .* gave nothing back/,
  ],
  ["a call without a result", evidence([call], { notes: [RAN[0]] }), /^no result/],
  ["a tool that ran and left no trace", evidence([], { notes: [RAN[0]] }), /^no trace/],
  [
    "a fault that the program has noted",
    evidence([], { notes: [{ kind: "fault", word: "invalid request" }] }),
    /^invalid request$/,
  ],
])("%s is found", (_what, given, fault) => {
  expect(findFaults(given)).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
});
