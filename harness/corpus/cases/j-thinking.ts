/** Class J: thinking and reasoning blocks that lost their signature, their item or their neighbour. */
import {
  ALL_APIS,
  assistant,
  call,
  modelChange,
  result,
  signature,
  text,
  thinking,
  tool,
  toolu,
  user,
  type CaseSpec,
  type JsonObject,
  type Row,
} from "../builder.ts";
import { calendar, deploy, files, search, shell, weather, whatsapp } from "../chats.ts";

const id = (name: string): string => toolu(`j/${name}`);
const GPT = { api: "openai-responses", provider: "openai", model: "gpt-5.2" };
const GEMINI = { api: "google-generative-ai", provider: "google", model: "gemini-3-pro-preview" };
const DEEPSEEK = { api: "openai-completions", provider: "deepseek", model: "deepseek-v4" };
const BAD_SIGNATURE = "messages.3.content.0: Invalid `signature` in `thinking` block";

/** A reasoning item as the Responses adapter keeps it: the whole item, as JSON, in the signature's place. */
const reasoning = (item: string): JsonObject =>
  thinking("", JSON.stringify({ id: item, type: "reasoning", summary: [], encrypted_content: signature(item) }));

/** Turns of a Responses model with reasoning items alone, last, and with their call. */
const REASONING_HISTORY: Row[] = [
  ...search("j6"),
  user("Plan the day. {{MARK-j6 plan the day}}"),
  assistant([reasoning("rs_68a1f0c2")], GPT),
  user("Hello? {{MARK-j6 hello}}"),
  assistant([text("Temple first. {{MARK-j6 temple first}}"), reasoning("rs_68a1f0c3")], GPT),
  user("Then? {{MARK-j6 then}}"),
  assistant([reasoning("rs_68a1f0c4"), call("call_map|fc_map1", "web_search", { query: "map" })], GPT),
  result("call_map|fc_map1", "web_search", "{{MARK-j6 walk of 2 km}}"),
  assistant([text("Then the market. {{MARK-j6 Nishiki market}}")], GPT),
];

export const thinkingBlocks: CaseSpec[] = [
  {
    id: "j-thinking-without-signature",
    title: "A thinking block without a signature before a call",
    report: "openclaw#8664",
    reported: "2026-02-04",
    error: "messages.3.content.0.thinking.signature: Field required",
    rows: [
      ...weather("j1"),
      user("Fix the hinge. {{MARK-j1 hinge}}"),
      assistant([thinking("The user wants the hinge fixed."), call(id("1"), "exec", { command: "hinge fix" })]),
      result(id("1"), "exec", "{{MARK-j1 hinge is oiled}}"),
      assistant([thinking("It is done."), text("Oiled. {{MARK-j1 done with the hinge}}")]),
    ],
  },
  {
    id: "j-nine-thoughts-no-signature",
    title: "Nine thinking blocks of interrupted streams, none signed, and a model change between",
    report: "openclaw#84430",
    also: ["openclaw#85870", "openclaw#91501", "openclaw#120596", "openclaw#84448"],
    reported: "2026-05-20",
    error: BAD_SIGNATURE,
    rows: Array.from({ length: 9 }, (_, n) => [
      user(`Riddle ${n}? {{MARK-j2 riddle ${n} end}}`),
      assistant([thinking(`Riddle ${n} is about a mirror.`), text(`Answer ${n}. {{MARK-j2 solution ${n} end}}`)]),
      ...(n === 4 ? [modelChange("anthropic", "claude-sonnet-4-6")] : []),
    ]).flat(),
  },
  {
    id: "j-signatures-nobody-signed",
    title: "Thinking blocks with signatures that are broken, empty, or of another model",
    report: "openclaw#94534",
    also: ["openclaw#94992"],
    reported: "2026-06-18",
    error: BAD_SIGNATURE,
    rows: [
      ...files("j3"),
      user("Think hard. {{MARK-j3 think hard}}"),
      assistant([
        thinking("Hard thoughts.", signature("j3").slice(0, 40)),
        text("I thought. {{MARK-j3 I thought}}"),
        call(id("3"), "exec", { command: "bc" }),
      ]),
      result(id("3"), "exec", "{{MARK-j3 result is 1729}}"),
      assistant([
        thinking("More.", ""),
        thinking("Again.", "not base64 at all!"),
        text("It is 1729. {{MARK-j3 taxicab number}}"),
      ]),
      user("And now? {{MARK-j3 and now}}"),
      assistant([thinking("Signed elsewhere.", signature("other")), text("Done. {{MARK-j3 done}}")], {
        model: "claude-sonnet-4-5",
      }),
    ],
  },
  {
    id: "j-empty-thinking",
    title: "Thinking blocks with empty text, with and without a signature, also alone in their message",
    report: "openclaw#112029",
    reported: "2026-07-21",
    error: "messages.1.content.0.thinking: each thinking block must contain non-whitespace thinking",
    rows: [
      user("Hm? {{MARK-j4 hm}}"),
      assistant([thinking(""), text("Hm. {{MARK-j4 hm indeed}}")]),
      user("Yes? {{MARK-j4 yes}}"),
      assistant([thinking("", signature("j4"))]),
      user("No? {{MARK-j4 no}}"),
      assistant([thinking("  \n"), call(id("4"), "exec", {})]),
      result(id("4"), "exec", "{{MARK-j4 exit code 0}}"),
      ...shell("j4"),
    ],
  },
  {
    id: "j-thinking-is-no-string",
    title: "Thinking blocks whose text or signature is missing, null, a number or a list",
    report: "measured",
    reported: "2026-11-21",
    error: "block.thinking.trim is not a function",
    rows: [
      user("Ready? {{MARK-j5 ready}}"),
      assistant([{ type: "thinking" }, text("Ready. {{MARK-j5 I am ready}}")]),
      user("Steady? {{MARK-j5 steady}}"),
      assistant([
        { type: "thinking", thinking: null, thinkingSignature: signature("j5") },
        text("Steady. {{MARK-j5 I am steady}}"),
      ]),
      user("Go? {{MARK-j5 go}}"),
      assistant([
        { type: "thinking", thinking: 12, thinkingSignature: 12 },
        { type: "thinking", thinking: ["a"] },
        text("Gone. {{MARK-j5 gone}}"),
      ]),
      ...calendar("j5"),
    ],
  },
  {
    id: "j-reasoning-without-follower",
    title: "Reasoning items alone in their turn, or last in it",
    report: "openclaw#18428",
    also: ["openclaw#58967", "openclaw#36157"],
    reported: "2026-02-16",
    error: "400 Item 'rs_68a1f0c2' of type 'reasoning' was provided without its required following item.",
    apis: ["openai-responses"],
    model: "gpt-5.2",
    rows: REASONING_HISTORY,
  },
  {
    id: "j-reasoning-items-on-other-apis",
    title: "A history with Responses reasoning items and joined ids, replayed to every other API",
    report: "openclaw#58967",
    reported: "2026-04-01",
    apis: ALL_APIS.filter((api) => api !== "openai-responses"),
    error: BAD_SIGNATURE,
    rows: REASONING_HISTORY,
  },
  {
    id: "j-call-without-its-reasoning",
    title: "Calls and messages with Responses item ids whose reasoning item was dropped",
    report: "openclaw#19582",
    also: ["openclaw#22114", "openclaw#80452", "openclaw#18632"],
    reported: "2026-02-18",
    error:
      "400 Item 'fc_7d90e1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_7d90e0'.",
    apis: ["openai-responses"],
    model: "gpt-5.2",
    rows: [
      user("Rename the photos. {{MARK-j7 photos of May}}"),
      assistant([call("call_ren|fc_7d90e1", "exec", { command: "mv" })], GPT),
      result("call_ren|fc_7d90e1", "exec", "{{MARK-j7 renamed 212 photos}}"),
      assistant([{ ...text("Renamed. {{MARK-j7 all renamed}}"), textSignature: "msg_7d90e4" }], GPT),
      user("Sort them. {{MARK-j7 sort by date}}"),
      assistant([thinking("Sorting."), { ...text("Sorted. {{MARK-j7 sorted}}"), textSignature: "msg_7d90e5" }], GPT),
      ...deploy("j7"),
    ],
  },
  {
    id: "j-reasoning-signature-is-no-json",
    title: "A signature of another API stands where the Responses adapter wants a reasoning item",
    report: "measured",
    reported: "2026-11-21",
    error: "Unexpected token 'E', \"EqoBCkgI\"... is not valid JSON",
    apis: ["openai-responses"],
    model: "gpt-5.2",
    rows: [
      user("Name three rivers. {{MARK-j8 three rivers}}"),
      assistant(
        [thinking("Elbe, Oder, Rhine.", signature("j8")), text("Elbe, Oder, Rhine. {{MARK-j8 rivers named}}")],
        GPT,
      ),
      user("And lakes? {{MARK-j8 lakes}}"),
      assistant([thinking("Lakes.", "{}"), thinking("More lakes.", "[1]"), text("Müritz. {{MARK-j8 Müritz}}")], GPT),
      ...weather("j8"),
    ],
  },
  {
    id: "j-gemini-call-without-thought-signature",
    title: "Gemini calls without thoughtSignature, one with an invalid one",
    report: "openclaw#63397",
    also: ["openclaw#72127", "openclaw#71725", "openclaw#58235"],
    reported: "2026-04-08",
    apis: ["google-generative-ai"],
    model: "gemini-3-pro-preview",
    error:
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call default_api:exec , position 75.",
    rows: [
      ...calendar("j9"),
      user("Count the lines. {{MARK-j9 count lines}}"),
      assistant([call("exec_1767", "exec", { command: "wc -l" })], GEMINI),
      result("exec_1767", "exec", "{{MARK-j9 1204 lines}}"),
      assistant(
        [
          text("1204. {{MARK-j9 twelve hundred}}"),
          { ...call("exec_1768", "exec", { command: "wc -w" }), thoughtSignature: "??" },
          call("exec_1769", "exec", { command: "wc -c" }),
        ],
        GEMINI,
      ),
      result("exec_1768", "exec", "{{MARK-j9 9921 words}}"),
      result("exec_1769", "exec", "{{MARK-j9 61002 bytes}}"),
      assistant([text("Counted. {{MARK-j9 counted}}")], GEMINI),
    ],
  },
  {
    id: "j-reasoning-content-not-passed-back",
    title: "Tool calls of a thinking model whose reasoning was dropped from the history",
    report: "openclaw#71050",
    also: [
      "openclaw#71160",
      "openclaw#71455",
      "openclaw#72044",
      "openclaw#82161",
      "openclaw#83135",
      "openclaw#70565",
      "openclaw#70996",
    ],
    reported: "2026-04-24",
    apis: ["openai-completions"],
    model: "deepseek-v4",
    error: "400 The reasoning_content in the thinking mode must be passed back to the API.",
    rows: [
      user("Find the leak. {{MARK-j10 water leak}}"),
      assistant([call("call_leak1", "exec", { command: "meter" })], DEEPSEEK),
      result("call_leak1", "exec", "{{MARK-j10 3 litres an hour}}"),
      assistant(
        [thinking("A slow leak.", "reasoning_content"), call("call_leak2", "exec", { command: "valve" })],
        DEEPSEEK,
      ),
      result("call_leak2", "exec", "{{MARK-j10 valve two drips}}"),
      assistant([text("Valve two. {{MARK-j10 valve two}}")], DEEPSEEK),
      ...whatsapp("j10"),
      ...tool(id("10"), "exec", { command: "valve close 2" }, "{{MARK-j10 valve closed}}"),
    ],
  },
];
