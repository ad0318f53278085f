/** Class A: a result whose call was lost when the history was cut to its last turns, or when the tree was flattened. */
import {
  assistant,
  call,
  withParent,
  cutOff,
  result,
  text,
  toolu,
  unexpectedResult,
  user,
  type CaseSpec,
  type Row,
} from "../builder.ts";
import { calendar, rounds, search, shell, whatsapp } from "../chats.ts";

/**
 * Turns in which the next question always comes before the last result (with parallel calls: before all but the first
 * result), so that every cut of the history separates a call from its result. Only turns from `marked` on claim
 * anything, because the cut moves on by one turn with every message.
 */
function interleaved(tag: string, turns: number, marked: number, parallel = 1): Row[] {
  const lanes = Array.from({ length: parallel }, (_, lane) => lane);
  const late = parallel === 1 ? lanes : lanes.slice(1);
  const id = (n: number, lane: number): string => toolu(`${tag}/${n}/${lane}`);
  const mark = (n: number, value: string): string => (n >= marked ? `{{${value}}}` : value);
  const answer = (n: number, lane: number): Row =>
    result(id(n, lane), "exec", mark(n, `${tag} stock ${n}/${lane}: ${17 * n} pieces`));

  const turn = (n: number): Row[] => [
    user(`Next one, please: ${mark(n, `${tag} question ${n} on item SKU-${4100 + n}`)}`),
    ...(n === 0 ? [] : late.map((lane) => answer(n - 1, lane))),
    assistant([
      `Looking it up. ${mark(n, `${tag} answer ${n} of the clerk`)}`,
      ...lanes.map((lane) => call(id(n, lane), "exec", { command: `stock SKU-${4100 + n} --depot ${lane}` })),
    ]),
    ...(parallel === 1 ? [] : [answer(n, 0)]),
  ];
  return [
    ...Array.from({ length: turns }, (_, n) => turn(n)).flat(),
    ...late.map((lane) => answer(turns - 1, lane)),
    assistant([`That was the last one. {{${tag} all items looked up}}`]),
  ];
}

const ORPHAN = toolu("a/tree");

export const historyLimit: CaseSpec[] = [
  {
    id: "a-limit-between-call-and-result",
    title: "The history limit always falls between a call and its result, which a user message separates",
    report: "openclaw#4650",
    also: ["openclaw#4387"],
    reported: "2026-01-30",
    error: unexpectedResult("18.content.1", "toolu_01Y41DmovMuY4ZRW5FmxDStd"),
    historyLimit: 4,
    rows: [...cutOff(shell("a1")), ...cutOff(calendar("a1")), ...interleaved("a1", 9, 6)],
  },
  {
    id: "a-limit-halves-parallel-calls",
    title: "The history limit keeps the second result of two parallel calls and cuts off the call",
    report: "openclaw#13896",
    reported: "2026-02-11",
    error: unexpectedResult("14.content.1", "toolu_01JRe7vPiWiFCUPwUaYWKyaF"),
    historyLimit: 3,
    rows: [...cutOff(search("a2")), ...interleaved("a2", 7, 5, 3)],
  },
  {
    id: "a-limit-in-a-long-session",
    title: "A long session, cut to twenty turns in the middle of a tool call",
    report: "openclaw#38370",
    reported: "2026-03-06",
    error: unexpectedResult("434.content.1", "toolu_01Vq6m4qpujG9jQqHVSseEBV"),
    historyLimit: 20,
    rows: [...cutOff(rounds("a3", 60)), ...interleaved("a3", 30, 12)],
  },
  {
    id: "a-first-message-is-a-result",
    title: "The call's entry is missing from the tree, and so the result is the first message of the branch",
    report: "openclaw#25411",
    reported: "2026-02-24",
    error: unexpectedResult("0.content.0", "toolu_0117z8jmfvp7auBjB168Q2JF"),
    rows: [
      withParent("missing", result(ORPHAN, "web_search", "1. Ferry timetable, summer 2026")),
      assistant(["{{MARK-a4 ferry leaves at 07:40}} from pier 3."]),
      user("And back? {{MARK-a4 return on Sunday}}"),
      ...search("a4"),
      ...whatsapp("a4"),
    ],
  },
  {
    id: "a-orphan-inside-a-user-row",
    title: "A result without a call sits as a block inside a user message",
    report: "openclaw#52024",
    also: ["openclaw#52035"],
    reported: "2026-03-22",
    error: unexpectedResult("2.content.0", "toolu_01KqorphanUserRow"),
    rows: [
      ...shell("a5"),
      user([
        {
          type: "tool_result",
          tool_use_id: "toolu_01KqorphanUserRow",
          content: [text("left over from a trimmed turn")],
        },
        text("Please go on with ticket {{MARK-a5 ticket 99120}}"),
      ]),
      assistant(["Going on. {{MARK-a5 log rotation restarted}}"]),
    ],
  },
];
