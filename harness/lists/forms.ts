/** One conversation with calls in every form of lists that is known, and the requests that are made of such lists. */
import { isObject, type JsonObject } from "../../src/transcript/json/json.ts";

/** What is said or done in a conversation, in no form of anybody's. */
export type Step =
  | { kind: "user"; text: string }
  | { kind: "assistant"; text: string; calls: readonly Call[] }
  | { kind: "result"; id: string; name: string; text: string | null };

/** A call; arguments that were cut off are a text. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

type Render = (steps: readonly Step[]) => JsonObject[];

function byStep(
  user: (text: string) => JsonObject,
  assistant: (text: string, calls: readonly Call[]) => JsonObject[],
  result: (step: Step & { kind: "result" }) => JsonObject,
): Render {
  return (steps) =>
    steps.flatMap((step) => {
      if (step.kind === "user") return [user(step.text)];
      return step.kind === "assistant" ? assistant(step.text, step.calls) : [result(step)];
    });
}

function argumentsText(input: unknown): unknown {
  return typeof input === "string" ? input : JSON.stringify(input);
}

const anthropic = byStep(
  (text) => ({ role: "user", content: text }),
  (text, calls) => [
    {
      role: "assistant",
      content: [
        ...(text === "" && calls.length > 0 ? [] : [{ type: "text", text }]),
        ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
      ],
    },
  ],
  ({ id, text }) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] }),
);

const converse = byStep(
  (text) => ({ role: "user", content: [{ text }] }),
  (text, calls) => [
    {
      role: "assistant",
      content: [
        ...(text === "" ? [] : [{ text }]),
        ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
      ],
    },
  ],
  ({ id, text }) => ({ role: "user", content: [{ toolResult: { toolUseId: id, content: [{ text }] } }] }),
);

const gemini = byStep(
  (text) => ({ role: "user", parts: [{ text }] }),
  (text, calls) => [
    {
      role: "model",
      parts: [
        ...(text === "" ? [] : [{ text }]),
        ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
      ],
    },
  ],
  ({ id, name, text }) => ({
    role: "user",
    parts: [{ functionResponse: { id, name, response: text === null ? null : { output: text } } }],
  }),
);

/** Results of one turn are one message in these forms. */
function joined(render: Render, field: "content" | "parts"): Render {
  return (steps) => {
    const out: JsonObject[] = [];
    let isJoining = false;
    for (const step of steps) {
      const rows = render([step]);
      const isResult = step.kind === "result";
      const last = out.at(-1);
      if (isResult && isJoining && last)
        last[field] = [...(last[field] as unknown[]), ...(rows[0]![field] as unknown[])];
      else out.push(...rows);
      isJoining = isResult;
    }
    return out;
  };
}

const chat = byStep(
  (text) => ({ role: "user", content: text }),
  (text, calls) => [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, input }) => ({
          id,
          type: "function",
          function: { name, arguments: argumentsText(input) },
        })),
      }),
    },
  ],
  ({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }),
);

const responses = byStep(
  (text) => ({ role: "user", content: text }),
  (text, calls) => [
    ...(text === "" && calls.length > 0
      ? []
      : [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }]),
    ...calls.map(({ id, name, input }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: argumentsText(input),
    })),
  ],
  ({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }),
);

const agents = byStep(
  (text) => ({ type: "message", role: "user", content: text }),
  (text, calls) => [
    ...(text === "" && calls.length > 0
      ? []
      : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] }]),
    ...calls.map(({ id, name, input }) => ({
      type: "function_call",
      callId: id,
      name,
      status: "completed",
      arguments: argumentsText(input),
    })),
  ],
  ({ id, name, text }) => ({
    type: "function_call_result",
    callId: id,
    name,
    status: "completed",
    output: text === null ? null : { type: "text", text },
  }),
);

const model = byStep(
  (text) => ({ role: "user", content: text }),
  (text, calls) => [
    {
      role: "assistant",
      content: [
        ...(text === "" ? [] : [{ type: "text", text }]),
        ...calls.map(({ id, name, input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input })),
      ],
    },
  ],
  ({ id, name, text }) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value: text } }],
  }),
);

const langchain = byStep(
  (text) => ({ type: "human", data: { content: text } }),
  (text, calls) => [
    {
      type: "ai",
      data: {
        content: text,
        tool_calls: calls
          .filter(({ input }) => typeof input !== "string")
          .map(({ id, name, input }) => ({ id, name, args: input, type: "tool_call" })),
        invalid_tool_calls: calls
          .filter(({ input }) => typeof input === "string")
          .map(({ id, name, input }) => ({ id, name, args: input, type: "invalid_tool_call" })),
      },
    },
  ],
  ({ id, name, text }) => ({ type: "tool", data: { content: text, tool_call_id: id, name } }),
);

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };

const openclaw = byStep(
  (text) => ({ role: "user", content: text, timestamp: 1 }),
  (text, calls) => [
    {
      role: "assistant",
      content: [
        ...(text === "" ? [] : [{ type: "text", text }]),
        ...calls.map(({ id, name, input }) => ({ type: "toolCall", id, name, arguments: input })),
      ],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      usage: USAGE,
      stopReason: calls.length > 0 ? "toolUse" : "stop",
      timestamp: 1,
    },
  ],
  ({ id, name, text }) => ({
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 1,
  }),
);

function openclawRows(steps: readonly Step[]): JsonObject[] {
  const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
  return [
    header,
    ...openclaw(steps).map((message, at) => ({
      type: "message",
      id: `row${at}`,
      parentId: at === 0 ? null : `row${at - 1}`,
      timestamp: header.timestamp,
      message,
    })),
  ];
}

/** A result stands in the part of its call, so that of several only the first one is there. */
function ui(steps: readonly Step[]): JsonObject[] {
  const results = steps.filter((step) => step.kind === "result");
  return steps.flatMap((step, at): JsonObject[] => {
    if (step.kind === "result") return [];
    const text =
      step.text === "" && step.kind === "assistant" && step.calls.length > 0 ? [] : [{ type: "text", text: step.text }];
    const calls = step.kind === "user" ? [] : step.calls;
    const parts = calls.map(({ id, name, input }) => {
      const result = results.find((one) => one.id === id);
      const call = { type: `tool-${name}`, toolCallId: id, input };
      return result
        ? { ...call, state: "output-available", output: result.text }
        : { ...call, state: typeof input === "string" ? "input-streaming" : "input-available" };
    });
    return [{ id: `m${at}`, role: step.kind, parts: [...text, ...parts] }];
  });
}

/** The forms by the names that src/lists gives them. */
export const RENDER = {
  openclaw,
  "openclaw-rows": openclawRows,
  anthropic: joined(anthropic, "content"),
  chat,
  responses,
  gemini: joined(gemini, "parts"),
  converse: joined(converse, "content"),
  "ai-sdk-model": model,
  "ai-sdk-ui": ui,
  langchain,
  agents,
} satisfies Record<string, Render>;

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
