/** Class P: blocks of other formats and other types than OpenClaw's own. */
import {
  assistant,
  assistantRaw,
  call,
  message,
  result,
  SYNTHETIC,
  text,
  tool,
  toolu,
  unexpectedResult,
  user,
  type CaseSpec,
  type Json,
  type JsonObject,
  type Row,
} from "../builder.ts";
import { calendar, deploy, files, search, shell, weather, whatsapp } from "../chats.ts";

const TRIM = "Cannot read properties of undefined (reading 'trim')";
const UNPAIRED = unexpectedResult("2.content.0", "toolu_01…");

/** One errand whose call is spelt in some other way; the result is OpenClaw's own. */
const spelt = (tag: string, what: string, callId: string, block: JsonObject): Row[] => [
  user(`Order ${what}. {{MARK-${tag} order of ${what}}}`),
  assistant([`Ordering. {{MARK-${tag} ordering ${what}}}`, block], { stopReason: "toolUse" }),
  result(callId, "exec", `{{MARK-${tag} receipt for ${what}}}`),
  assistant([`Ordered. {{MARK-${tag} ordered ${what}}}`]),
];

/** One exchange whose answer ends with the given block, behind a text. */
const said = (tag: string, n: number, block: Json): Row[] => [
  user(`Part ${n}? {{MARK-${tag} part ${n} end}}`),
  assistant([text(`Part ${n} follows. {{MARK-${tag} reply ${n} end}}`), block]),
];

/** One exchange whose question ends with the given block, behind a text. */
const heard = (tag: string, n: number, block: Json): Row[] => [
  user([text(`See number ${n}. {{MARK-${tag} number ${n} end}}`), block]),
  assistant([`Seen. {{MARK-${tag} seen ${n} end}}`]),
];

export const foreignBlocks: CaseSpec[] = [
  {
    id: "p-foreign-blocks-in-user",
    title: "User messages with attachment, file, document, input_text, audio and video blocks",
    report: "measured",
    reported: "2026-11-21",
    error: TRIM,
    rows: (
      [
        { type: "attachment", name: "plan.pdf", text: "{{MARK-p1 attachment says gate B}}" },
        { type: "file", file: { filename: "list.csv", content: "{{MARK-p1 csv row 118}}" } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "{{MARK-p1 document body}}" } },
        { type: "input_text", text: "{{MARK-p1 input text of the user}}" },
        { type: "audio", transcript: "{{MARK-p1 voice note transcript}}" },
        { type: "video", url: "https://clips.example/17" },
      ] as Json[]
    ).flatMap((block, n) => heard("p1", n, block)),
  },
  {
    id: "p-tool-result-block-in-user",
    title: "The result of a stored call sits as a tool_result block inside the next user message",
    report: "openclaw#52024",
    reported: "2026-03-22",
    error: TRIM,
    mustNotReach: [SYNTHETIC],
    rows: [
      ...weather("p2"),
      user("Check the seal. {{MARK-p2 seal}}"),
      assistant([call(toolu("p2"), "exec", { command: "seal check" })]),
      user([
        { type: "tool_result", tool_use_id: toolu("p2"), content: [text("{{MARK-p2 seal is intact}}")] },
        text("And the lid? {{MARK-p2 lid}}"),
      ]),
      assistant(["Both are fine. {{MARK-p2 seal and lid}}"]),
    ],
  },
  {
    id: "p-foreign-blocks-in-assistant",
    title: "Assistant messages with output_text, canvas, file, refusal and other blocks",
    report: "measured",
    reported: "2026-11-21",
    error: TRIM,
    rows: (
      [
        { type: "output_text", text: "{{MARK-p3 output text of a Responses model}}", annotations: [] },
        { type: "canvas", title: "Map", html: "<p>{{MARK-p3 canvas of the harbour}}</p>" },
        { type: "file", name: "report.md", content: "{{MARK-p3 file content}}" },
        { type: "refusal", refusal: "{{MARK-p3 refused politely}}" },
        { type: "reaction", emoji: "👍" },
        { type: "redacted_thinking", data: "EqoBCkgIopaque" },
      ] as Json[]
    ).flatMap((block, n) => said("p3", n, block)),
  },
  {
    id: "p-answers-without-usage",
    title: "Answers that another program stored without their cost or with a part of it, two of them without a model",
    report: "measured",
    reported: "2026-11-24",
    error: "Cannot read properties of undefined (reading 'totalTokens')",
    rows: [
      user("Which ferry goes? {{MARK-p15 which ferry}}"),
      message({ role: "assistant", content: [text("The one at nine. {{MARK-p15 at nine}}")], stopReason: "stop" }),
      user("And back? {{MARK-p15 and back}}"),
      assistant(["At four. {{MARK-p15 at four}}"], { usage: { input: 7, output: 2 } }),
      user("Thank you. {{MARK-p15 thanks}}"),
      message({ role: "assistant", content: [text("Good journey. {{MARK-p15 journey}}")] }),
    ],
  },
  {
    id: "p-server-tools-in-assistant",
    title:
      "Assistant messages with Anthropic's server tools, one call without its result and one result without its call",
    report: "measured",
    reported: "2026-11-23",
    error: TRIM,
    rows: [
      ...said("p16", 0, {
        type: "server_tool_use",
        id: "srvtoolu_p16a",
        name: "web_search",
        input: { query: "{{MARK-p16 tides of Husum}}" },
      }),
      ...said("p16", 1, {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_p16a",
        content: [
          { type: "web_search_result", title: "{{MARK-p16 high water 14:10}}", url: "https://tides.example/husum" },
        ],
      }),
      ...said("p16", 2, { type: "server_tool_use", id: "srvtoolu_p16b", name: "advisor", input: {} }),
      ...said("p16", 3, {
        type: "advisor_tool_result",
        tool_use_id: "srvtoolu_p16c",
        content: { type: "advisor_result", text: "{{MARK-p16 sail at slack water}}" },
      }),
    ],
  },
  {
    id: "p-assistant-of-foreign-blocks-only",
    title: "Assistant messages with nothing but blocks of foreign types",
    report: "measured",
    reported: "2026-11-21",
    error: TRIM,
    rows: [
      user("Show it. {{MARK-p4 show it}}"),
      assistant([{ type: "output_text", text: "{{MARK-p4 shown as output text}}" }]),
      user("Again. {{MARK-p4 again}}"),
      assistant([
        { type: "canvas", text: "{{MARK-p4 shown on canvas}}" },
        { type: "sticker", id: 9 },
      ]),
      ...calendar("p4"),
    ],
  },
  {
    id: "p-function-call-item-in-assistant",
    title: "A Responses function_call item stands in the assistant message in place of a call block",
    report: "measured",
    reported: "2026-11-21",
    error: TRIM,
    rows: spelt("p5", "coffee", "call_p5coffee", {
      type: "function_call",
      id: "fc_p5",
      call_id: "call_p5coffee",
      name: "exec",
      arguments: '{"command":"order coffee"}',
    }).concat(search("p5")),
  },
  {
    id: "p-call-spelt-tool-use-camel",
    title: "The call block is spelt toolUse",
    report: "measured",
    reported: "2026-11-21",
    error: UNPAIRED,
    mustNotReach: [SYNTHETIC],
    rows: [
      ...files("p6"),
      ...spelt("p6", "paper", "toolu_01paper", {
        type: "toolUse",
        id: "toolu_01paper",
        name: "exec",
        arguments: { command: "order paper" },
      }),
      ...spelt("p6", "ink", "tooluse_ink7", {
        type: "toolUse",
        toolUseId: "tooluse_ink7",
        name: "exec",
        input: { command: "order ink" },
      }),
    ],
  },
  {
    id: "p-call-spelt-tool-use-snake",
    title: "The call block is spelt tool_use, with `input` for arguments",
    report: "openclaw#8525",
    reported: "2026-02-04",
    error: UNPAIRED,
    mustNotReach: [SYNTHETIC],
    rows: [
      ...spelt("p7", "salt", "toolu_01salt", {
        type: "tool_use",
        id: "toolu_01salt",
        name: "exec",
        input: { command: "order salt" },
      }),
      ...shell("p7"),
    ],
  },
  {
    id: "p-call-spelt-function-call-camel",
    title: "The call block is spelt functionCall, in OpenClaw's and in Gemini's form",
    report: "measured",
    reported: "2026-11-21",
    error: UNPAIRED,
    mustNotReach: [SYNTHETIC],
    rows: [
      ...spelt("p8", "tea", "call_tea", {
        type: "functionCall",
        id: "call_tea",
        name: "exec",
        arguments: { command: "order tea" },
      }),
      ...spelt("p8", "rice", "call_rice", {
        type: "functionCall",
        functionCall: { id: "call_rice", name: "exec", args: { command: "order rice" } },
      }),
      ...whatsapp("p8"),
    ],
  },
  {
    id: "p-call-spelt-function-call-snake",
    title: "The call block is spelt function_call, tool_call and toolcall",
    report: "measured",
    reported: "2026-11-21",
    error: TRIM,
    mustNotReach: [SYNTHETIC],
    rows: ["function_call", "tool_call", "toolcall"].flatMap((type, n) =>
      spelt("p9", `box ${n}`, `call_box${n}`, {
        type,
        id: `call_box${n}`,
        name: "exec",
        arguments: { command: `order box ${n}` },
      }),
    ),
  },
  {
    id: "p-raw-anthropic-transcript",
    title: "A whole transcript in the format of the Anthropic API: tool_use and tool_result blocks",
    report: "openclaw#8525",
    reported: "2026-02-04",
    error: UNPAIRED,
    mustNotReach: [SYNTHETIC],
    rows: ["oak", "elm", "ash"].flatMap((tree) => [
      user([text(`How old is the ${tree}? {{MARK-p10 age of ${tree}}}`)]),
      assistant(
        [
          `Measuring. {{MARK-p10 measuring ${tree}}}`,
          { type: "tool_use", id: `toolu_01${tree}`, name: "exec", input: { command: `age ${tree}` } },
        ],
        { stopReason: "toolUse" },
      ),
      user([{ type: "tool_result", tool_use_id: `toolu_01${tree}`, content: `{{MARK-p10 rings of ${tree}}}` }]),
      assistant([`Old. {{MARK-p10 old ${tree}}}`]),
    ]),
  },
  {
    id: "p-raw-transcript-with-parallel-calls",
    title: "API-format blocks, two parallel calls, their results in two user messages in the wrong order",
    report: "openclaw#8525",
    reported: "2026-02-04",
    error: UNPAIRED,
    mustNotReach: [SYNTHETIC],
    rows: [
      user("Compare both quotes. {{MARK-p11 both quotes}}"),
      message({
        role: "assistant",
        content: [
          { type: "tool_use", id: "toolu_01qA", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "toolu_01qB", name: "read", input: { path: "b" } },
        ],
      }),
      user([{ type: "tool_result", tool_use_id: "toolu_01qB", content: [text("{{MARK-p11 quote b 910 EUR}}")] }]),
      user([
        { type: "tool_result", tool_use_id: "toolu_01qA", content: [text("{{MARK-p11 quote a 870 EUR}}")] },
        text("Well? {{MARK-p11 well}}"),
      ]),
      message({ role: "assistant", content: "Take a. {{MARK-p11 take quote a}}" }),
      ...weather("p11"),
    ],
  },
  {
    id: "p-text-is-no-string",
    title: "Text blocks whose text is missing, null, a number, a list or an object",
    report: "measured",
    reported: "2026-11-21",
    error: "Cannot read properties of null (reading 'type')",
    rows: [
      ...([{ type: "text" }, { type: "text", text: null }, { type: "text", text: 4 }] as Json[]).flatMap((block, n) =>
        heard("p12", n, block),
      ),
      ...(
        [{ type: "text" }, { type: "text", text: ["a"] }, { type: "text", text: { value: "b" } }, null, 5, {}] as Json[]
      ).flatMap((block, n) => said("p12", n, block)),
      ...tool(toolu("p12"), "exec", { command: "true" }, "{{MARK-p12 exit code 0}}"),
    ],
  },
  {
    id: "p-foreign-blocks-in-result",
    title: "Tool results with json, resource and output_text blocks, and text that is no string",
    report: "measured",
    reported: "2026-11-21",
    error: TRIM,
    mustNotReach: [SYNTHETIC],
    rows: [
      ...deploy("p13"),
      user("Ask the server for its status. {{MARK-p13 server status}}"),
      assistant([0, 1, 2].map((n) => call(toolu(`p13/${n}`), "exec", { n }))),
      ...(
        [
          [{ type: "json", json: { state: "{{MARK-p13 state is green}}" } }],
          [{ type: "resource", resource: { uri: "mcp://log", text: "{{MARK-p13 resource text}}" } }],
          [
            { type: "output_text", text: "{{MARK-p13 output text}}" },
            { type: "text", text: 9 },
          ],
        ] as Json[][]
      ).map((content, n) =>
        message({ role: "toolResult", toolCallId: toolu(`p13/${n}`), toolName: "exec", content, isError: false }),
      ),
      assistant(["Green. {{MARK-p13 all green}}"]),
    ],
  },
  {
    id: "p-bare-messages-of-another-client",
    title: "Messages without api, model, usage and stop reason, as another client writes them",
    report: "measured",
    reported: "2026-11-21",
    error: "assistantMsg.content.flatMap is not a function",
    rows: [
      user("Salve. {{MARK-p14 salve}}"),
      assistantRaw("Ave. {{MARK-p14 ave}}"),
      user("Quid novi? {{MARK-p14 quid novi}}"),
      message({ role: "assistant", content: [text("Nihil. {{MARK-p14 nihil novi}}")] }),
      ...files("p14"),
    ],
  },
];
