/** A conversation with calls in every form of lists that is known. */
import type { JsonObject } from "../../transcript/json/json.ts";

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

/** The name of a form. */
export type Form = keyof typeof RENDER;
