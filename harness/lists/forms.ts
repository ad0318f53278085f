/** The forms of src/conformance, and the requests that are made of lists in them. */
import { isObject, type JsonObject } from "../../src/transcript/json/json.ts";
import { RENDER } from "../../src/conformance/cases/forms.ts";

export { RENDER, type Call, type Step } from "../../src/conformance/cases/forms.ts";

/** A request for a strict server: the name of its API and the body. */
export type Request = readonly [
  api:
    | "anthropic-messages"
    | "openai-completions"
    | "openai-responses"
    | "google-generative-ai"
    | "bedrock-converse-stream",
  body: JsonObject,
];

const objects = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** Returns the requests that a program, or the framework whose form it is, makes of a list. */
export function makeRequests(form: keyof typeof RENDER, list: readonly unknown[]): Request[] {
  switch (form) {
    case "anthropic":
      return [["anthropic-messages", { model: "m", max_tokens: 1, messages: list }]];
    case "chat":
      return [["openai-completions", { model: "m", messages: list }]];
    case "responses":
      return [["openai-responses", { model: "m", input: list }]];
    case "gemini":
      return [["google-generative-ai", { contents: list }]];
    case "converse":
      return [["bedrock-converse-stream", { messages: list }]];
    case "ai-sdk-model":
      return makeRequests(
        "chat",
        list.flatMap((row) => chatOfModel(row as JsonObject)),
      );
    case "ai-sdk-ui":
      return makeRequests(
        "ai-sdk-model",
        list.flatMap((row) => modelOfUi(row as JsonObject)),
      );
    case "langchain":
      return makeRequests(
        "chat",
        list.map((row) => chatOfLangChain(row as JsonObject)),
      );
    case "agents":
      return makeRequests(
        "responses",
        list.map((row) => responsesOfAgents(row as JsonObject)),
      );
    case "openclaw-rows":
      return makeRequests(
        "openclaw",
        list.flatMap((row) => objects([(row as JsonObject).message])),
      );
    case "openclaw":
      return makeRequests(
        "chat",
        list.map((row) => chatOfOpenClaw(row as JsonObject)),
      );
  }
}

const calling = (id: unknown, name: unknown, input: unknown): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

function chatMessage(text: string, calls: readonly JsonObject[]): JsonObject {
  return { role: "assistant", content: text === "" ? null : text, ...(calls.length > 0 && { tool_calls: calls }) };
}

function chatOfOpenClaw(message: JsonObject): JsonObject {
  const text =
    typeof message.content === "string"
      ? message.content
      : objects(message.content)
          .map((one) => one.text ?? "")
          .join("");
  if (message.role === "toolResult") return { role: "tool", tool_call_id: message.toolCallId, content: text };
  if (message.role === "user") return { role: "user", content: text };
  const calls = objects(message.content).filter(({ type }) => type === "toolCall");
  return chatMessage(
    text,
    calls.map((one) => calling(one.id, one.name, one.arguments)),
  );
}

function chatOfModel({ role, content }: JsonObject): JsonObject[] {
  const parts = objects(content);
  const text = typeof content === "string" ? content : parts.map((part) => part.text ?? "").join("");
  if (role === "tool")
    return parts.map((part) => ({
      role,
      tool_call_id: part.toolCallId,
      content: (part.output as JsonObject).value,
    }));
  if (role !== "assistant") return [{ role, content: text }];
  const calls = parts.filter(({ type }) => type === "tool-call");
  return [
    chatMessage(
      text,
      calls.map((part) => calling(part.toolCallId, part.toolName, part.input)),
    ),
  ];
}

/** The same as the AI SDK's convertToModelMessages. */
function modelOfUi({ role, parts }: JsonObject): JsonObject[] {
  const calls = objects(parts).filter(
    ({ type, state }) => String(type).startsWith("tool-") && state !== "input-streaming",
  );
  const texts = objects(parts).filter(({ type }) => type === "text");
  if (role !== "assistant") return [{ role, content: texts }];
  const named = calls.map((part) => ({ toolCallId: part.toolCallId, toolName: String(part.type).slice(5), part }));
  const content = [...texts, ...named.map(({ part, ...call }) => ({ type: "tool-call", ...call, input: part.input }))];
  const results = named.filter(({ part }) => String(part.state).startsWith("output-"));
  return [
    ...(content.length > 0 ? [{ role, content }] : []),
    ...results.map(({ part, ...call }) => ({
      role: "tool",
      content: [
        {
          type: "tool-result",
          ...call,
          output: {
            type: "text",
            value: part.errorText ?? (typeof part.output === "string" ? part.output : JSON.stringify(part.output)),
          },
        },
      ],
    })),
  ];
}

/** The same as LangChain's client of OpenAI, which sends no calls that it could not read. */
function chatOfLangChain({ type, data }: JsonObject): JsonObject {
  const { content, tool_calls: calls, tool_call_id: id } = data as JsonObject;
  if (type === "tool") return { role: "tool", tool_call_id: id, content };
  if (type === "human") return { role: "user", content };
  return chatMessage(
    content as string,
    objects(calls).map((one) => calling(one.id, one.name, one.args)),
  );
}

function responsesOfAgents({ callId, output, type, status: _status, ...item }: JsonObject): JsonObject {
  if (type === "function_call") return { ...item, type, call_id: callId };
  if (type !== "function_call_result") return { ...item, type };
  return { type: "function_call_output", call_id: callId, output: (output as JsonObject).text };
}
