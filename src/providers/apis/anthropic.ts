import { signThinking } from "../signatures.ts";
import { argumentsText, argumentsValue, halves, sse } from "../sse.ts";
import type { Answer, AnswerBlock, ApiAdapter, Frame, JsonObject, Mark, ProviderError, StopKind } from "../types.ts";

const STOP: Record<StopKind, string> = {
  stop: "end_turn",
  tool: "tool_use",
  refusal: "refusal",
  "content-filter": "refusal",
  length: "max_tokens",
};
const REFUSAL = {
  type: "refusal",
  category: "cyber",
  explanation: "This request was declined because it could enable cyber harm.",
};
const TYPES: Record<ProviderError["kind"], string> = {
  invalid: "invalid_request_error",
  "content-filter": "invalid_request_error",
  auth: "authentication_error",
  "rate-limit": "rate_limit_error",
  server: "api_error",
  overloaded: "overloaded_error",
};

function event(type: string, data: JsonObject, mark?: Mark): Frame {
  return sse({ type, ...data }, mark === undefined ? { event: type } : { event: type, mark });
}

function blockFrames(block: AnswerBlock, index: number): Frame[] {
  const start = (empty: JsonObject) => event("content_block_start", { index, content_block: empty });
  const delta = (value: JsonObject, mark?: Mark) => event("content_block_delta", { index, delta: value }, mark);
  if (block.type === "text") {
    return [
      start({ type: "text", text: "" }),
      ...block.pieces.map((text, i) => delta({ type: "text_delta", text }, i === 0 ? "in-text" : undefined)),
      event("content_block_stop", { index }),
    ];
  }
  if (block.type === "thinking") {
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      delta({ type: "thinking_delta", thinking: block.thinking }),
      delta({ type: "signature_delta", signature: signThinking(block.thinking) }),
      event("content_block_stop", { index }),
    ];
  }
  const [first, second] = halves(argumentsText(block.arguments));
  return [
    start({ type: "tool_use", id: block.id, name: block.name, input: {} }),
    delta({ type: "input_json_delta", partial_json: "" }),
    delta({ type: "input_json_delta", partial_json: first }, "in-tool"),
    delta({ type: "input_json_delta", partial_json: second }),
    event("content_block_stop", { index }, "after-tool"),
  ];
}

function contentBlock(block: AnswerBlock): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "thinking") {
    return { type: "thinking", thinking: block.thinking, signature: signThinking(block.thinking) };
  }
  return { type: "tool_use", id: block.id, name: block.name, input: argumentsValue(block.arguments) };
}

function message(answer: Answer, content: JsonObject[], stop: string | null): JsonObject {
  return {
    id: `msg_${String(answer.n).padStart(12, "0")}`,
    type: "message",
    role: "assistant",
    model: answer.model,
    content,
    stop_reason: stop,
    stop_sequence: null,
    ...(stop === "refusal" ? { stop_details: REFUSAL } : {}),
    usage: {
      input_tokens: answer.inputTokens,
      output_tokens: 1,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  };
}

/** Anthropic Messages: POST .../v1/messages, server-sent events. */
export const anthropic: ApiAdapter = {
  api: "anthropic-messages",
  match: (url) => (url.pathname.endsWith("/v1/messages") ? {} : undefined),
  contentType: "text/event-stream; charset=utf-8",
  toolId: (serial) => `toolu_01${String(serial).padStart(22, "0")}`,
  wholeCalls: () => false,
  frames: (answer) => [
    event("message_start", { message: message(answer, [], null) }),
    event("ping", {}, "start"),
    ...answer.blocks.flatMap(blockFrames),
    event("message_delta", {
      delta: {
        stop_reason: STOP[answer.stop],
        stop_sequence: null,
        ...(STOP[answer.stop] === "refusal" ? { stop_details: REFUSAL } : {}),
      },
      usage: { output_tokens: 20 },
    }),
    event("message_stop", {}),
  ],
  whole: (answer) => message(answer, answer.blocks.map(contentBlock), STOP[answer.stop]),
  errorFrame: ({ kind, message: text }) => event("error", { error: { type: TYPES[kind], message: text } }),
  errorBody: ({ kind, message: text }) => ({ body: { type: "error", error: { type: TYPES[kind], message: text } } }),
  failures: {
    "content-filter": { status: 400, message: "Output blocked by content filtering policy" },
    auth: { status: 401, message: "invalid x-api-key" },
    "rate-limit": {
      status: 429,
      message: "This request would exceed your account's rate limit. Please try again later.",
    },
    server: { status: 500, message: "Internal server error" },
    overloaded: { status: 529, message: "Overloaded" },
  },
  rejections: {
    unexpectedResult:
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01FAULT. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    rolesAlternate:
      'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    missingResult:
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01FAULT. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  },
};
