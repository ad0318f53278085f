import { anthropicError, wrapError, openAiError, makeStream } from "../played/envelopes.ts";
import { makeMark, makeTurns, type PlayedCase } from "../played/case.ts";
import { findIn, readList, objectsIn, listParts } from "../played/read-body.ts";
import { answer, call, makeCase, madeBy, result, user } from "../played/rows.ts";
import type { StoredMessage } from "../openclaw/transcript.ts";
import type { Front, FrontAnswer } from "../providers/index.ts";

const CLAUDE = madeBy("anthropic-messages");

/** A question, a call, its result and an answer, all for Anthropic's API. */
function oneCall(
  told: Pick<PlayedCase, "id" | "title" | "report">,
  tag: string,
  words: { command?: string; result?: string; first?: string },
  front: Front,
): PlayedCase {
  const mark = (name: string): string => makeMark(tag, name);
  const rows = [
    user(`${words.first ?? "Q"} ${mark("q1")}`),
    answer(CLAUDE, [call("toolu_01DF", "exec", { command: `${mark("c1")} ${words.command ?? ""}` })]),
    result("toolu_01DF", "exec", `${mark("r1")} ${words.result ?? ""} ${mark("end")}`),
    answer(CLAUDE, `So it is. ${mark("a1")}`),
  ];
  return makeCase(
    told,
    rows,
    { api: "anthropic-messages" },
    makeTurns(tag, [{ front }, { front }, {}, { provider: "elsewhere" }]),
  );
}

const POISON = "poisoned-magpie";
const hasPoison: (says: FrontAnswer) => Front =
  (says) =>
  ({ body }) =>
    findIn(body, ({ type, input }) => type === "tool_use" && JSON.stringify(input).includes(POISON)) && says;

const NUL = oneCall(
  { id: "nul-in-result", title: "U+0000 in a result", report: "claude-code#94055" },
  "nul",
  { result: "ELF\u0000\u0000\u0002 tail" },
  ({ raw }) => {
    const at = raw.indexOf(String.raw`\u0000`);
    return at < 0
      ? undefined
      : anthropicError(
          `The request body is not valid JSON: unexpected end of data: line 1 column ${at} (char ${at - 1})`,
        );
  },
);

const ALWAYS_500: readonly PlayedCase[] = [
  oneCall(
    { id: "always-500", title: "status 500 for this history, each time", report: "claude-code#67396" },
    "df",
    { command: POISON },
    hasPoison(anthropicError("Internal server error", 500, "api_error")),
  ),
  oneCall(
    {
      id: "always-500-in-stream",
      title: "an error of the server inside the stream, each time",
      report: "claude-code#67396",
    },
    "ix",
    { command: POISON },
    hasPoison(
      makeStream([
        {
          type: "message_start",
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "claude-opus-4-5",
            content: [],
            stop_reason: null,
            usage: { input_tokens: 10, output_tokens: 1 },
          },
        },
        { type: "error", error: { type: "api_error", message: "Internal server error" } },
      ]),
    ),
  ),
];

const noCalls: Front = ({ body }) =>
  readList(body).some((message) => message["tool_calls"] !== undefined)
    ? wrapError("openai-completions", 500, "Value looks like object, but can't find closing '}' symbol")
    : undefined;

function ollama500(): PlayedCase {
  const tag = "ol";
  const origin = madeBy("openai-completions", { provider: "ollama", model: "gemma4" });
  const rows = [
    user(`Q ${makeMark(tag, "q1")}`),
    answer(origin, [call("call_ol", "exec", { command: `${makeMark(tag, "c1")} echo "{"` })]),
    result("call_ol", "exec", makeMark(tag, "r1")),
    answer(origin, makeMark(tag, "a1")),
  ];
  const told = {
    id: "ollama-500",
    title: "a call in the history is answered with status 500",
    report: "openclaw#46679",
  };
  const session = { api: "openai-completions", provider: "ollama", model: "gemma4" } as const;
  return makeCase(
    told,
    rows,
    session,
    makeTurns(tag, [{ front: noCalls }, { front: noCalls }, {}, { provider: "elsewhere" }]),
  );
}

const LONE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}/;

const SURROGATE = oneCall(
  { id: "lone-surrogate", title: "half a character in a result and in arguments", report: "openclaw#18105" },
  "ls",
  { first: "Send buttons \ud83e", command: "\ud83eade9", result: "sent \udde9 ok" },
  ({ raw }) => {
    const at = LONE.exec(raw)?.index;
    return at === undefined
      ? undefined
      : anthropicError(
          `The request body is not valid JSON: no low surrogate in string: line 1 column ${at} (char ${at - 1})`,
        );
  },
);

const contentLength = (content: unknown): number =>
  typeof content === "string" ? content.length : JSON.stringify(content ?? "").length;

/** A text that is longer than the endpoint takes, in a result. */
function tooLong(
  tag: string,
  most: number,
  says: (at: string, found: number) => FrontAnswer,
  told: string,
): PlayedCase {
  const api = "openai-completions";
  const origin = madeBy(api);
  const mark = (name: string): string => makeMark(tag, name);
  const rows = [
    user(`Q ${mark("q1")}`),
    answer(origin, [call(`call_${tag}`, "exec", { command: mark("c1") })]),
    result(`call_${tag}`, "exec", `${mark("r1")} ${"a line of the output\n".repeat(2_000)} ${mark("end")}`),
    answer(origin, mark("a1")),
    user(`${mark("q2")} ${"a long question ".repeat(200)}`),
    answer(origin, mark("a2")),
  ];
  const front: Front = ({ body }) => {
    const list = readList(body);
    const at = list.findIndex(({ role, content }) => role !== "system" && contentLength(content) > most);
    return at < 0 ? undefined : says(`messages[${at}].content`, contentLength(list[at]!["content"]));
  };
  return makeCase(
    { id: `too-long-${tag}`, title: told, report: "measured" },
    rows,
    { api },
    makeTurns(tag, [{ front }, { front }, {}, { provider: "elsewhere" }]),
  );
}

const TOO_LONG: readonly PlayedCase[] = [
  tooLong(
    "text",
    10_000,
    (at, found) =>
      openAiError(
        `Invalid '${at}': string too long. Expected a string with maximum length 10000, but got a string with length ${found} instead.`,
        { code: "string_above_max_length", param: at },
      ),
    "a text that is longer than the endpoint takes",
  ),
  tooLong(
    "body",
    10_000,
    () => ({
      status: 413,
      contentType: "text/html",
      body: "<html><head><title>413 Request Entity Too Large</title></head></html>",
    }),
    "a request that is larger than the proxy takes",
  ),
];

const noTextBehindCalls: Front = ({ body }) => {
  for (const [at, message] of readList(body).entries()) {
    const parts = message["role"] === "assistant" ? listParts(message) : [];
    const first = parts.findIndex(({ type }) => type === "tool_use");
    if (first < 0 || !parts.slice(first).some(({ type }) => type === "text")) continue;
    return anthropicError(
      `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${String(parts[first]!["id"])}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
  return undefined;
};

function textBehindCall(): PlayedCase {
  const tag = "tb";
  const origin = madeBy("google-generative-ai", { model: "gemini-3-flash" });
  const rows = [
    user(`Q ${makeMark(tag, "q1")}`),
    answer(origin, [
      call("sessions_spawn_1739", "sessions_spawn", { task: makeMark(tag, "task") }),
      makeMark(tag, "spoken"),
    ]),
    result("sessions_spawn_1739", "sessions_spawn", makeMark(tag, "spawned")),
    answer(CLAUDE, makeMark(tag, "done")),
  ];
  const told = { id: "text-behind-call", title: "text behind a call in one message", report: "openclaw#11291" };
  return makeCase(
    told,
    rows,
    { api: "anthropic-messages" },
    makeTurns(tag, [{ front: noTextBehindCalls }, { front: noTextBehindCalls }]),
  );
}

function largeResults(): PlayedCase {
  const tag = "tr";
  const rows = Array.from({ length: 44 }, (_, at): StoredMessage[] => {
    const n = String(at).padStart(2, "0");
    return [
      user(`Step ${n}, ${makeMark(tag, `step${n}`)}`),
      answer(CLAUDE, [call(`toolu_01TR${n}`, "exec", { command: `step ${n}` })]),
      result(
        `toolu_01TR${n}`,
        "exec",
        `${makeMark(tag, `head${n}`)} ${`line of output ${n} `.repeat(900)} ${makeMark(tag, `tail${n}`)}`,
      ),
      answer(CLAUDE, makeMark(tag, `said${n}`)),
    ];
  }).flat();
  const told = { id: "many-large-results", title: "many large results in a large window", report: "openclaw#107704" };
  return makeCase(told, rows, { api: "anthropic-messages", contextWindow: 400_000 }, makeTurns(tag, [{}, {}]));
}

const fourCacheMarks: Front = ({ body }) => {
  const found = objectsIn(body).filter(({ value }) => value["cache_control"] !== undefined).length;
  return found > 4
    ? anthropicError(`A maximum of 4 blocks with cache_control may be provided. Found ${found}.`)
    : undefined;
};

const marked = (text: string): StoredMessage => ({ type: "text", text, cache_control: { type: "ephemeral" } });

function cacheMarks(): PlayedCase {
  const tag = "cm";
  const rows = Array.from({ length: 6 }, (_, n): StoredMessage[] => [
    user([marked(makeMark(tag, `q${n}`))]),
    answer(CLAUDE, [marked(makeMark(tag, `a${n}`))]),
  ]).flat();
  const told = { id: "five-cache-marks", title: "more than four cache marks", report: "openclaw#91982" };
  return makeCase(
    told,
    rows,
    { api: "anthropic-messages" },
    makeTurns(tag, [{ front: fourCacheMarks }, { front: fourCacheMarks }]),
  );
}

/** Texts and calls that an endpoint cannot read, finds too long, or fails on. */
export const TEXT_REPORTS: readonly PlayedCase[] = [
  NUL,
  ...ALWAYS_500,
  ollama500(),
  SURROGATE,
  ...TOO_LONG,
  textBehindCall(),
  largeResults(),
  cacheMarks(),
];
