/** Class G: ids, names and arguments that a provider does not accept. */
import {
  assistant,
  call,
  compaction,
  labelled,
  message,
  result,
  SYNTHETIC,
  text,
  thinking,
  tool,
  toolu,
  user,
  type CaseSpec,
  type Json,
  type Row,
} from "../builder.ts";
import { calendar, deploy, files, search, shell, weather, whatsapp } from "../chats.ts";

const KIMI = { api: "openai-completions", provider: "openrouter", model: "moonshotai/kimi-k2.5" };
const CODEX = { api: "openai-codex-responses", provider: "openai-codex", model: "gpt-5.3-codex" };
const PATTERN = (at: string): string => `messages.${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;

/** One question whose call has the given id; the result refers to it by the same. */
const asked = (tag: string, what: string, callId: Json, name: Json = "exec"): Row[] => [
  user(`What about ${what}? {{MARK-${tag} question on ${what}}}`),
  assistant([{ type: "toolCall", id: callId, name, arguments: { what } }], { stopReason: "toolUse" }),
  message({
    role: "toolResult",
    toolCallId: callId,
    toolName: name,
    content: [text(`{{MARK-${tag} output for ${what}}}`)],
    isError: false,
  }),
  assistant([`Found it. {{MARK-${tag} answer on ${what}}}`]),
];

/** A call with anything but an object for its arguments, or (`undefined`) with none. */
const argued = (tag: string, what: string, args?: Json): Row[] => {
  const id = toolu(`g/${tag}/${what}`);
  return [
    user(`Status of ${what}? {{MARK-${tag} status of ${what}}}`),
    assistant([{ type: "toolCall", id, name: "session_status", ...(args !== undefined && { arguments: args }) }]),
    result(id, "session_status", `{{MARK-${tag} report for ${what}}}`),
    assistant([`All well. {{MARK-${tag} well: ${what}}}`]),
  ];
};

export const callFields: CaseSpec[] = [
  {
    id: "g-kimi-ids-after-switch",
    title: "Native Kimi ids with dot and colon, replayed to another model",
    report: "openclaw#12277",
    reported: "2026-02-09",
    error: PATTERN("29.content.2"),
    mustNotReach: [SYNTHETIC],
    rows: [
      ...weather("g1"),
      user("Versions of all runtimes? {{MARK-g1 versions}}"),
      assistant(
        [
          "Asking. {{MARK-g1 asking three}}",
          call("functions.exec:0", "exec", { command: "node -v" }),
          call("functions.exec:1", "exec", { command: "bun -v" }),
          call("functions.read:2", "read", { path: ".nvmrc" }),
        ],
        KIMI,
      ),
      result("functions.exec:0", "exec", "{{MARK-g1 v24.16.0}}"),
      result("functions.exec:1", "exec", "{{MARK-g1 bun 1.3.4}}"),
      result("functions.read:2", "read", "{{MARK-g1 nvmrc says 24}}"),
      assistant(["Node 24, bun 1.3. {{MARK-g1 runtimes}}"]),
      ...calendar("g1"),
    ],
  },
  {
    id: "g-kimi-ids-everywhere",
    title: "A whole session of native Kimi ids, counted over all turns",
    report: "openclaw#18484",
    reported: "2026-02-16",
    error: PATTERN("135.content.2"),
    mustNotReach: [SYNTHETIC],
    rows: ["sun", "moon", "tide", "wind", "fog", "snow", "hail"].flatMap((what, n) =>
      asked("g2", what, `functions.exec:${n}`),
    ),
  },
  {
    id: "g-phantom-result-with-empty-id",
    title: "A turn that ends for a tool but calls none, a result with empty id and name, then a compaction",
    report: "openclaw#21985",
    reported: "2026-02-20",
    error: "Invalid 'input[9].call_id': empty string",
    rows: [
      ...shell("g3").map((row, n) => (n === 0 ? labelled("kept", row) : row)),
      user("Which kernel? {{MARK-g3 kernel}}"),
      assistant([thinking("The user wants the kernel version."), text("I will look. {{MARK-g3 looking}}")], {
        stopReason: "toolUse",
        provider: "minimax",
        model: "MiniMax-M2.5",
      }),
      result("", "", "Tool  not found", { isError: true }),
      compaction("{{MARK-g3 summary: kernel question}}", "kept"),
      user("Well? {{MARK-g3 well}}"),
      assistant(["6.8. {{MARK-g3 kernel six eight}}"]),
    ],
  },
  {
    id: "g-joined-responses-ids",
    title: "The call has `call_x|fc_x` for an id, its result only `call_x`, and the other way round",
    report: "openclaw#24649",
    also: ["openclaw#19742", "openclaw#24702"],
    reported: "2026-02-23",
    error: "No tool call found for function call output with call_id call_9Lq2xVtB7.",
    mustNotReach: [SYNTHETIC],
    rows: [
      user("List the tags. {{MARK-g4 tags}}"),
      assistant([call("call_9Lq2xVtB7|fc_0a41c7d2e9", "exec", { command: "git tag" })], CODEX),
      result("call_9Lq2xVtB7", "exec", "{{MARK-g4 v1.0 and v1.1}}"),
      assistant(["Two tags. {{MARK-g4 two tags}}"], CODEX),
      user("And branches? {{MARK-g4 branches}}"),
      assistant([call("call_k2WmP0sZr", "exec", { command: "git branch" })], CODEX),
      result("call_k2WmP0sZr|fc_77b1e0aa42", "exec", "{{MARK-g4 main and next}}"),
      assistant(["Two branches. {{MARK-g4 two branches}}"], CODEX),
      ...search("g4"),
    ],
  },
  {
    id: "g-empty-ids",
    title: "Calls and results with an empty id",
    report: "openclaw#27178",
    reported: "2026-02-26",
    error:
      "Invalid 'input[3].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    mustNotReach: [SYNTHETIC],
    rows: [...asked("g5", "rent", ""), ...asked("g5", "power", ""), ...files("g5")],
  },
  {
    id: "g-ids-that-collapse",
    title: "Ids that become one and the same when every special character is dropped",
    report: "openclaw#110956",
    also: ["openclaw#56021", "openclaw#67620"],
    reported: "2026-07-19",
    error: "invalid_replay_transcript: dangling_tool_call toolCallId=callfunctionpwxnv8slgf031",
    mustNotReach: [SYNTHETIC],
    rows: [
      user("Compare the three logs. {{MARK-g6 three logs}}"),
      assistant(
        ["call_function_pwxnv8slgf03_1", "call.function.pwxnv8slgf03.1", "callfunctionpwxnv8slgf031"].map((id, n) =>
          call(id, "read", { path: `log${n}` }),
        ),
      ),
      result("callfunctionpwxnv8slgf031", "read", "{{MARK-g6 third log warns}}"),
      result("call_function_pwxnv8slgf03_1", "read", "{{MARK-g6 first log is empty}}"),
      result("call.function.pwxnv8slgf03.1", "read", "{{MARK-g6 second log fails}}"),
      assistant(["Only the second fails. {{MARK-g6 compared}}"]),
      ...weather("g6"),
    ],
  },
  {
    id: "g-mistral-wants-nine-characters",
    title: "Ids of another model, replayed to Mistral, which wants exactly nine characters",
    report: "openclaw#52548",
    also: ["openclaw#57672"],
    reported: "2026-03-23",
    apis: ["openai-completions"],
    model: "mistral-large",
    error: "Tool call id was read177411253938138 but must be a-z, A-Z, 0-9, with a length of 9.",
    mustNotReach: [SYNTHETIC],
    rows: [
      ...asked("g7", "bread", "read177411253938138", "read"),
      ...asked("g7", "wine", "read177411253938139", "read"),
      ...deploy("g7"),
    ],
  },
  {
    id: "g-no-arguments",
    title: "A call without arguments, and one whose arguments are null",
    report: "openclaw#5048",
    also: ["openclaw#5957", "openclaw#5857", "openclaw#7473"],
    reported: "2026-01-31",
    error: "messages.109.content.1.tool_use.input: Field required",
    mustNotReach: [SYNTHETIC],
    rows: [...argued("g8", "mail"), ...argued("g8", "queue", null), ...whatsapp("g8")],
  },
  {
    id: "g-arguments-of-other-types",
    title: "Arguments that are a JSON string, a broken string, a list, a number",
    report: "measured",
    reported: "2026-11-21",
    error: "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    mustNotReach: [SYNTHETIC],
    rows: [
      ...argued("g9", "door", '{"room":"kitchen"}'),
      ...argued("g9", "lamp", '{"room":"kit'),
      ...argued("g9", "oven", ["kitchen", 180]),
      ...argued("g9", "heat", 21),
    ],
  },
  {
    id: "g-ids-with-odd-characters",
    title: "Ids with spaces, umlauts, right-to-left text, emoji and a line feed",
    report: "measured",
    reported: "2026-11-21",
    error: PATTERN("1.content.0"),
    mustNotReach: [SYNTHETIC],
    rows: ["call with spaces", "Aufruf-für-später", "نداء-17", "call_🦞_1", "call\nline"].flatMap((id, n) =>
      asked("g10", `shelf ${n}`, id),
    ),
  },
  {
    id: "g-ids-of-500-characters",
    title: "Over-long ids that differ only in their last characters",
    report: "measured",
    reported: "2026-11-21",
    error:
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 500 instead.",
    mustNotReach: [SYNTHETIC],
    rows: ["north", "south"]
      .flatMap((what, n) => asked("g11", what, `call_${"Zk9".repeat(164)}${n}ab`))
      .concat(shell("g11")),
  },
  {
    id: "g-ids-that-are-no-strings",
    title: "Ids that are a number, null and an object",
    report: "measured",
    reported: "2026-11-21",
    error: "id.replace is not a function",
    rows: [
      ...asked("g12", "gas", 17),
      ...asked("g12", "water", null),
      ...asked("g12", "phone", { call: 3 }),
      ...calendar("g12"),
    ],
  },
  {
    id: "g-call-and-result-without-id",
    title: "A call with no id, answered by a result with no id right behind it",
    report: "measured",
    reported: "2026-11-21",
    error: "Cannot read properties of undefined (reading 'replace')",
    rows: [
      user("What is on channel one? {{MARK-g13 channel one}}"),
      assistant(
        ["Looking. {{MARK-g13 looking}}", { type: "toolCall", name: "web_search", arguments: { query: "tv" } }],
        { stopReason: "toolUse" },
      ),
      message({ role: "toolResult", toolName: "web_search", content: [text("20:15 news")], isError: false }),
      assistant(["News. {{MARK-g13 news at quarter past eight}}"]),
      ...weather("g13"),
    ],
  },
  {
    id: "g-result-id-under-another-name",
    title: "Results that carry their id as toolUseId, tool_use_id and tool_call_id",
    report: "measured",
    reported: "2026-11-21",
    error: "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after",
    mustNotReach: [SYNTHETIC],
    rows: ["toolUseId", "tool_use_id", "tool_call_id"].flatMap((field, n) => {
      const id = toolu(`g14/${n}`);
      return [
        user(`Door ${n}? {{MARK-g14 door ${n} end}}`),
        assistant([call(id, "exec", { command: `door ${n}` })]),
        message({
          role: "toolResult",
          [field]: id,
          toolName: "exec",
          content: [text(`{{MARK-g14 door ${n} is shut}}`)],
          isError: false,
        }),
        assistant([`Shut. {{MARK-g14 answer ${n} end}}`]),
      ];
    }),
  },
  {
    id: "g-tool-names-with-dots",
    title: "Tool names with a dot, as an MCP server or a namespace gives them",
    report: "measured",
    reported: "2026-11-21",
    error: "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    mustNotReach: [SYNTHETIC],
    rows: [
      ...asked("g15", "issue", "toolu_01dotA", "github.get_issue"),
      ...asked("g15", "pages", "toolu_01dotB", "default_api.web.fetch"),
      ...files("g15"),
    ],
  },
  {
    id: "g-tool-names-of-every-kind",
    title: "Tool names that are empty, blank, with spaces, 200 characters long, in Japanese, null",
    report: "measured",
    reported: "2026-11-21",
    error: "messages.1.content.0.tool_use.name: String should have at least 1 character",
    mustNotReach: [SYNTHETIC],
    rows: (["", " ", "web search", "very_long_".repeat(20), "検索", null] as Json[]).flatMap((name, n) =>
      asked("g16", `crate ${n}`, `toolu_01name${n}`, name),
    ),
  },
  {
    id: "g-call-without-name",
    title: "A call without a name, and a result without one",
    report: "measured",
    reported: "2026-11-21",
    error: "messages.1.content.0.tool_use.name: Field required",
    mustNotReach: [SYNTHETIC],
    rows: [
      user("Lock the bike. {{MARK-g17 bike}}"),
      assistant([{ type: "toolCall", id: "toolu_01noName", arguments: {} }]),
      message({ role: "toolResult", toolCallId: "toolu_01noName", content: [text("{{MARK-g17 locked at 18:02}}")] }),
      assistant(["Locked. {{MARK-g17 bike is locked}}"]),
      ...tool(toolu("g17"), "exec", { command: "bike status" }, "{{MARK-g17 battery 81 percent}}"),
    ],
  },
];
