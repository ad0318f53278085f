/** Class F: one call id more than once, or several results for one call. */
import {
  assistant,
  call,
  compaction,
  labelled,
  result,
  synthetic,
  SYNTHETIC,
  tool,
  toolu,
  unexpectedResult,
  unmarked,
  user,
  type CaseSpec,
  type Row,
} from "../builder.ts";
import { calendar, deploy, files, search, shell, weather } from "../chats.ts";

const KIMI = { api: "anthropic-messages", provider: "kimi-coding", model: "kimi-for-coding" };
const TOOLS = ["exec", "read", "exec"];

const name = (lane: number): string => TOOLS[lane]!;

/** A turn of a model whose call ids start again at 0 with every turn. */
const restarting = (turn: number, calls: number): Row[] => {
  const lanes = Array.from({ length: calls }, (_, lane) => lane);
  return [
    user(`Step ${turn} of the move {{MARK-f2 step ${turn} end}}`),
    assistant(
      lanes.map((lane) => call(`${name(lane)}_${lane}`, name(lane), { step: turn })),
      KIMI,
    ),
    ...lanes.map((lane) => result(`${name(lane)}_${lane}`, name(lane), `{{MARK-f2 output ${turn}/${lane} end}}`)),
    assistant([`Step ${turn} done. {{MARK-f2 done ${turn} end}}`], KIMI),
  ];
};

const id = (seed: string): string => toolu(`f/${seed}`);

export const duplicates: CaseSpec[] = [
  {
    id: "f-one-id-twice-in-a-message",
    title: "Two calls of one message have the same id",
    report: "openclaw#40897",
    also: ["openclaw#40996"],
    reported: "2026-03-09",
    error: "HTTP 400 duplicate `tool_call_id`",
    mustNotReach: [SYNTHETIC],
    rows: [
      ...files("f1"),
      user("Change both dates. {{MARK-f1 two dates}}"),
      assistant([call("edit:22", "edit", { path: "a.md" }), call("edit:22", "edit", { path: "b.md" })]),
      result("edit:22", "edit", "{{MARK-f1 a.md changed}}"),
      result("edit:22", "edit", "{{MARK-f1 b.md changed}}"),
      assistant(["Both changed. {{MARK-f1 dates are right}}"]),
      ...tool("edit:22", "edit", { path: "c.md" }, "{{MARK-f1 c.md changed later}}"),
      assistant(["And c. {{MARK-f1 third file}}"]),
    ],
  },
  {
    id: "f-ids-restart-every-turn",
    title: "Ids restart at 0 with every turn: eleven calls in five turns",
    report: "openclaw#109443",
    reported: "2026-07-17",
    error: unexpectedResult("8.content.0", "exec_0"),
    mustNotReach: [SYNTHETIC],
    rows: [1, 2, 3, 2, 3].flatMap((calls, turn) => restarting(turn, calls)),
  },
  {
    id: "f-same-result-stored-twice",
    title: "The same result stands twice behind its call",
    report: "measured",
    reported: "2026-11-21",
    error: unexpectedResult("4.content.1", id("3")),
    rows: [
      ...weather("f3"),
      user("Print the label. {{MARK-f3 label for Porto}}"),
      ...tool(id("3"), "exec", { command: "lp label.pdf" }, "{{MARK-f3 request id is hp-88}}"),
      result(id("3"), "exec", "{{MARK-f3 request id is hp-88}}"),
      assistant(["Printed. {{MARK-f3 label printed}}"]),
      ...calendar("f3"),
    ],
  },
  {
    id: "f-invented-and-real-result",
    title: "An invented result and right behind it the real one, twice, once in the other order",
    report: "openclaw#77642",
    reported: "2026-04-29",
    error: unexpectedResult("2.content.1", id("4/0")),
    mustNotReach: [SYNTHETIC],
    rows: [
      user("Ping both gateways. {{MARK-f4 two gateways}}"),
      assistant([call(id("4/0"), "exec", { command: "ping a" })]),
      synthetic(id("4/0"), "exec"),
      result(id("4/0"), "exec", "{{MARK-f4 gateway a 3 ms}}"),
      assistant([call(id("4/1"), "exec", { command: "ping b" })]),
      result(id("4/1"), "exec", "{{MARK-f4 gateway b 9 ms}}"),
      synthetic(id("4/1"), "exec"),
      assistant(["Both answer. {{MARK-f4 both answer}}"]),
      ...shell("f4"),
    ],
  },
  {
    id: "f-id-used-again-after-compaction",
    title: "One id before and after a compaction: the kept result belongs to a call that was summed up",
    report: "openclaw#121146",
    reported: "2026-08-09",
    error: unexpectedResult("1.content.0", "exec_0"),
    rows: [
      ...unmarked(search("f5")),
      user("List the fonts"),
      assistant([call("exec_0", "exec", { command: "fc-list" })], KIMI),
      labelled("kept", result("exec_0", "exec", "Noto Sans, Noto Serif")),
      assistant(["Two families. {{MARK-f5 two font families}}"], KIMI),
      compaction("{{MARK-f5 summary: Kyoto trip, then fonts}}", "kept"),
      user("Install Inter. {{MARK-f5 install Inter}}"),
      assistant([call("exec_0", "exec", { command: "apt install fonts-inter" })], KIMI),
      result("exec_0", "exec", "{{MARK-f5 fonts-inter set up}}"),
      assistant(["Installed. {{MARK-f5 Inter is there}}"], KIMI),
    ],
  },
  {
    id: "f-same-id-in-two-turns",
    title: "Two turns use the same call id, in another provider's style",
    report: "measured",
    reported: "2026-11-21",
    error: "HTTP 400 duplicate `tool_call_id`",
    mustNotReach: [SYNTHETIC],
    rows: [
      user("Sum of the first column? {{MARK-f6 first column}}"),
      ...tool("call_abc123", "exec", { command: "awk 1" }, "{{MARK-f6 sum is 4410}}"),
      assistant(["4410. {{MARK-f6 first answer}}"]),
      user("And the second? {{MARK-f6 second column}}"),
      ...tool("call_abc123", "exec", { command: "awk 2" }, "{{MARK-f6 sum is 7093}}"),
      assistant(["7093. {{MARK-f6 second answer}}"]),
      ...deploy("f6"),
    ],
  },
  {
    id: "f-one-id-two-tools",
    title: "Two calls of one message, to different tools, share an id; only results tell them apart",
    report: "measured",
    reported: "2026-11-21",
    error: "invalid_replay_transcript: dangling_tool_call toolCallId=call_same",
    mustNotReach: [SYNTHETIC],
    rows: [
      ...calendar("f7"),
      user("Read the list and the weather. {{MARK-f7 list and weather}}"),
      assistant([
        "Both. {{MARK-f7 reading both}}",
        call("call_same", "read", { path: "list.md" }),
        call("call_same", "web_fetch", { url: "https://weather.example" }),
      ]),
      result("call_same", "read", "{{MARK-f7 bread and butter}}"),
      result("call_same", "web_fetch", "{{MARK-f7 nine degrees}}"),
      assistant(["Bread, butter, nine degrees. {{MARK-f7 all read}}"]),
    ],
  },
  {
    id: "f-two-different-results-for-one-call",
    title: "A background command answers twice under one id: first that it runs, then what came out",
    report: "openclaw#8264",
    reported: "2026-02-03",
    error: unexpectedResult("4.content.0", id("8")),
    rows: [
      user("Build the image. {{MARK-f8 image for arm64}}"),
      assistant([call(id("8"), "exec", { command: "docker build ." })]),
      result(id("8"), "exec", "{{MARK-f8 build runs in the background}}"),
      assistant(["It is building. {{MARK-f8 building}}"]),
      result(id("8"), "exec", "{{MARK-f8 image sha 77ac written}}"),
      user("Ready? {{MARK-f8 ready}}"),
      assistant(["Yes. {{MARK-f8 image is ready}}"]),
    ],
  },
];
