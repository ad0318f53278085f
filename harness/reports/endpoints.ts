import { openAiError } from "../played/envelopes.ts";
import { makeMark, makeTurns, type PlayedCase } from "../played/case.ts";
import { readList, listParts } from "../played/read-body.ts";
import { answer, call, makeCase, madeBy, NO_USAGE, result, user } from "../played/rows.ts";
import type { StoredMessage } from "../openclaw/transcript.ts";
import type { SessionInput } from "../openclaw/types.ts";
import type { Front, FrontAnswer, JsonObject } from "../providers/index.ts";

type Route = Omit<SessionInput, "transcript">;

const CLAUDE = madeBy("anthropic-messages");
const GPT = madeBy("openai-completions");

/** Sixty rounds of a valid conversation. */
function longTalk(tag: string): StoredMessage[] {
  return Array.from({ length: 60 }, (_, at): StoredMessage[] => {
    const n = String(at).padStart(2, "0");
    return [
      user(`Note ${n}: ${makeMark(tag, `asked${n}`)}. ${`words of the question ${n} `.repeat(20)}`),
      answer(CLAUDE, [call(`toolu_01${tag}${n}`, "exec", { command: makeMark(tag, `ran${n}`) })]),
      result(`toolu_01${tag}${n}`, "exec", makeMark(tag, `found${n}`)),
      answer(CLAUDE, `Noted ${n}. ${makeMark(tag, `noted${n}`)}. ${`words of the answer ${n} `.repeat(20)}`),
    ];
  }).flat();
}

/**
 * A valid conversation that has come to an endpoint which takes none, for two messages; then it is back where it was.
 */
function endpoint(
  tag: string,
  report: string,
  says: FrontAnswer,
  route: Partial<Route>,
  front: Front = () => says,
): PlayedCase {
  const told = { id: `endpoint-${tag}`, title: "an endpoint that refuses every request, for two messages", report };
  return makeCase(
    told,
    longTalk(tag),
    { api: "openai-completions", ...route },
    makeTurns(tag, [{ front }, { front }, {}, { provider: "elsewhere" }]),
  );
}

const roleOfFirst = (body: JsonObject): unknown => readList(body)[0]?.["role"];

/** The same for an endpoint that knows no role `developer`, or no system prompt. */
function withoutRole(
  tag: string,
  report: string,
  says: FrontAnswer,
  route: Partial<Route>,
  roles: readonly string[] = ["developer"],
): PlayedCase {
  const front: Front = ({ body }) => (roles.includes(String(roleOfFirst(body))) ? says : undefined);
  return endpoint(tag, report, says, { thinking: true, ...route }, front);
}

const UNKNOWN_VARIANT = openAiError(
  "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool` at line 1 column 51",
);

const ENDPOINTS: readonly PlayedCase[] = [
  withoutRole(
    "deva",
    "openclaw#27037",
    openAiError("developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'", {
      code: "invalid_parameter_error",
    }),
    { provider: "bailian", model: "qwen3.5-plus" },
  ),
  withoutRole("devb", "openclaw#5704", UNKNOWN_VARIANT, { provider: "ds-proxy", model: "deepseek-v4" }),
  withoutRole(
    "devc",
    "openclaw#23115",
    { status: 400, body: { error: { code: "1214", message: "角色信息不正确" } } },
    { provider: "zhipu", model: "glm-5" },
  ),
  withoutRole(
    "devd",
    "openclaw#28732",
    { status: 400, body: { error: { message: "invalid msg role: developer" } } },
    { provider: "bailian2", model: "glm-5" },
  ),
  withoutRole(
    "deve",
    "openclaw#11490",
    {
      status: 400,
      body: {
        message:
          "body.messages.0: Input tag 'developer' found using 'role' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'",
        type: "invalid_request_error",
        param: "validation_error",
        code: "wrong_api_format",
      },
    },
    { provider: "cerebras-litellm", model: "zai-glm" },
  ),
  withoutRole("devf", "openclaw#27037", openAiError("chat template rejected the request: Unexpected message role."), {
    provider: "halogen",
    model: "qwen3.8-flash-next",
  }),
  withoutRole(
    "devg",
    "openclaw#101459",
    openAiError("System messages are not allowed"),
    { api: "openai-responses", provider: "wooh-openai-r", model: "gpt-5.5" },
    ["system", "developer"],
  ),
  endpoint(
    "alternate",
    "openclaw#77336",
    openAiError("Conversation roles must alternate user/assistant/user/assistant/...", {
      code: 400,
      type: "BadRequestError",
    }),
    { provider: "vllm", model: "gemma-4-27b" },
  ),
  endpoint("variant", "openclaw#5704", UNKNOWN_VARIANT, { provider: "ds-proxy", model: "deepseek-v4", thinking: true }),
  endpoint(
    "query",
    "openclaw#32936",
    { status: 400, body: { error: 'Error rendering prompt with jinja template: "No user query found in messages.".' } },
    { provider: "lmstudio", model: "qwen3.5-27b" },
  ),
  endpoint("system", "measured", openAiError("System message must be at the beginning."), {
    provider: "sglang",
    model: "qwen3.8",
  }),
];

const asks = (message: JsonObject): boolean => Array.isArray(message["tool_calls"]) && message["tool_calls"].length > 0;

/** Whether users and assistants without calls do not alternate, as some chat templates ask for. */
function breaksOrder(body: JsonObject): boolean {
  const counted = readList(body).filter(
    (message) => message["role"] === "user" || (message["role"] === "assistant" && !asks(message)),
  );
  return counted.some(({ role }, at) => (role === "user") !== (at % 2 === 0));
}

const ORDER =
  "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.";
const ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/...";

/** A history whose roles do not alternate, and a chat template that wants them to. */
function template(tag: string, report: string, says: FrontAnswer, provider: string): PlayedCase {
  const mark = (name: string): string => makeMark(tag, name);
  const rows = [
    user(`Q ${mark("q1")}`),
    answer(GPT, [call(`call_${tag}`, "exec", { command: mark("c1") })]),
    result(`call_${tag}`, "exec", mark("r1")),
    user(`Are you there? ${mark("there")}`),
    answer(GPT, `Yes. ${mark("yes")}`),
    user(`And then? ${mark("then")}`),
    user(`Hello? ${mark("hello")}`),
    answer(GPT, `Here. ${mark("here")}`),
  ];
  const front: Front = ({ body }) => (breaksOrder(body) ? says : undefined);
  const told = { id: `template-${tag}`, title: "a chat template refuses the order of roles", report };
  const session: Route = { api: "openai-completions", provider, model: "local-model" };
  return makeCase(told, rows, session, makeTurns(tag, [{ front }, { front }, {}, { provider: "elsewhere" }]));
}

const TEMPLATES: readonly PlayedCase[] = [
  template(
    "llamacpp",
    "opencode#5034",
    {
      status: 500,
      body: {
        error: {
          code: 500,
          message: `${ORDER} at row 189, column 164:\n        {%- if (message['role'] == 'user') != (ns.index % 2 == 0) %}\n            {{- raise_exception('${ORDER}') }}\n                           ^\n`,
          type: "server_error",
        },
      },
    },
    "llamacpp",
  ),
  template(
    "sglang",
    "openclaw#77336",
    { status: 400, body: { object: "error", message: ALTERNATE, type: "BadRequestError", param: null, code: 400 } },
    "sglang",
  ),
  template("enveloped", "openclaw#77336", openAiError(ALTERNATE, { type: "BadRequestError", code: 400 }), "sglang"),
];

/** A session of one call, and an endpoint with a rule that its refusal does not explain. */
function unexplained(
  tag: string,
  report: string,
  session: Partial<Route>,
  breaks: (body: JsonObject) => boolean,
  says: FrontAnswer,
  between: readonly StoredMessage[] = [],
): PlayedCase {
  const mark = (name: string): string => makeMark(tag, name);
  const rows = [
    user([`Q ${mark("q1")}`]),
    answer(GPT, [call(`call_${tag}`, "exec", { command: mark("c1") })]),
    result(`call_${tag}`, "exec", mark("r1")),
    answer(GPT, mark("a1")),
    ...between,
  ];
  const front: Front = ({ body }) => (breaks(body) ? says : undefined);
  const told = { id: `endpoint-rule-${tag}`, title: "an endpoint with a rule of its own", report };
  return makeCase(
    told,
    rows,
    { api: "openai-completions", ...session },
    makeTurns(tag, [{ front }, { front }, {}, { provider: "elsewhere" }]),
  );
}

const isBlank = (message: JsonObject): boolean => {
  const content = message["content"];
  const text =
    typeof content === "string"
      ? content
      : listParts(message)
          .map((part) => String(part["text"] ?? ""))
          .join("");
  return text.trim() === "" && message["tool_calls"] === undefined && message["role"] !== "tool";
};
const FAILED = answer(GPT, [], { stopReason: "error", errorMessage: "400 messages 参数非法", usage: NO_USAGE });

const UNEXPLAINED: readonly PlayedCase[] = [
  unexplained(
    "zai",
    "openclaw#75421",
    { provider: "zai", model: "glm-5.1" },
    (body) => readList(body).some(isBlank),
    { status: 400, body: { error: { code: "1200", message: "messages 参数非法" } } },
    [user(""), FAILED, user([" "]), FAILED, user([])],
  ),
  unexplained(
    "glm",
    "openclaw#75421",
    { provider: "zai", model: "glm-5.1" },
    (body) => readList(body).some(({ role }) => role === "tool"),
    { status: 400, body: { error: { code: "1213", message: "未正常接收到prompt参数。" } } },
  ),
  unexplained(
    "qwen",
    "openclaw#32936",
    { provider: "lmstudio", model: "qwen3.5-27b" },
    (body) =>
      !readList(body).some(
        ({ role, content }) => role === "user" && typeof content === "string" && content.trim() !== "",
      ),
    {
      status: 400,
      body: {
        error:
          'Error rendering prompt with jinja template: "No user query found in messages.". This is usually an issue with the model\'s prompt template.',
      },
    },
  ),
];

/** Endpoints whose refusals have other reasons than a broken history, or reasons of their own. */
export const ENDPOINT_REPORTS: readonly PlayedCase[] = [...ENDPOINTS, ...TEMPLATES, ...UNEXPLAINED];
