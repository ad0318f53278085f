import { encodeEvent } from "../eventstream.ts";
import { signThinking } from "../signatures.ts";
import { argumentsText, argumentsValue, halves } from "../sse.ts";
import type { Answer, AnswerBlock, ApiAdapter, Frame, JsonObject, Mark, ProviderError, StopKind } from "../types.ts";
import { decoded } from "./gemini.ts";

const STOP: Record<StopKind, string> = {
  stop: "end_turn",
  tool: "tool_use",
  refusal: "content_filtered",
  "content-filter": "content_filtered",
  length: "max_tokens",
};
const EXCEPTIONS: Record<ProviderError["kind"], string> = {
  invalid: "ValidationException",
  "content-filter": "ValidationException",
  auth: "UnrecognizedClientException",
  "rate-limit": "ThrottlingException",
  server: "InternalServerException",
  overloaded: "ServiceUnavailableException",
};
/** Inside a stream the same failures have names of their own. */
const STREAM_EXCEPTIONS: Record<ProviderError["kind"], string> = {
  invalid: "validationException",
  "content-filter": "modelStreamErrorException",
  auth: "internalServerException",
  "rate-limit": "throttlingException",
  server: "internalServerException",
  overloaded: "serviceUnavailableException",
};
function makeUsage({ inputTokens }: Answer): JsonObject {
  return { inputTokens, outputTokens: 20, totalTokens: inputTokens + 20 };
}

function event(type: string, payload: JsonObject, mark?: Mark): Frame {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  const data = encodeEvent(headers, JSON.stringify(payload));
  return mark === undefined ? { data } : { data, mark };
}

/** Only Claude signs its thinking. */
function makeSignature(thinking: string, model: string): JsonObject {
  return /claude/i.test(model) ? { signature: signThinking(thinking) } : {};
}

function blockFrames(block: AnswerBlock, contentBlockIndex: number, model: string): Frame[] {
  const delta = (value: JsonObject, mark?: Mark) =>
    event("contentBlockDelta", { contentBlockIndex, delta: value }, mark);
  const stop = (mark?: Mark) => event("contentBlockStop", { contentBlockIndex }, mark);
  if (block.type === "text") {
    return [...block.pieces.map((text, i) => delta({ text }, i === 0 ? "in-text" : undefined)), stop()];
  }
  if (block.type === "thinking") {
    const { signature } = makeSignature(block.thinking, model);
    const signed = signature === undefined ? [] : [delta({ reasoningContent: { signature } })];
    return [delta({ reasoningContent: { text: block.thinking } }), ...signed, stop()];
  }
  const [first, second] = halves(argumentsText(block.arguments));
  return [
    event("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId: block.id, name: block.name } } }),
    delta({ toolUse: { input: first } }, "in-tool"),
    delta({ toolUse: { input: second } }),
    stop("after-tool"),
  ];
}

function contentBlock(block: AnswerBlock, model: string): JsonObject {
  if (block.type === "text") return { text: block.text };
  if (block.type === "thinking") {
    return { reasoningContent: { reasoningText: { text: block.thinking, ...makeSignature(block.thinking, model) } } };
  }
  return { toolUse: { toolUseId: block.id, name: block.name, input: argumentsValue(block.arguments) } };
}

function whole(answer: Answer): JsonObject {
  return {
    output: {
      message: { role: "assistant", content: answer.blocks.map((block) => contentBlock(block, answer.model)) },
    },
    stopReason: answer.reason ?? STOP[answer.stop],
    usage: makeUsage(answer),
    metrics: { latencyMs: 1 },
  };
}

/** Bedrock: POST /model/{id}/converse-stream (binary event stream) and /converse (JSON). */
export const bedrock: ApiAdapter = {
  api: "bedrock-converse-stream",
  match: (url) => {
    const [, ...named] = url.pathname.split("/model/");
    const [method = "", ...id] = named.join("/model/").split("/").toReversed();
    if (id.length === 0 || !["converse", "converse-stream"].includes(method)) return undefined;
    return { model: decoded(id.toReversed().join("/")), streamed: method === "converse-stream" };
  },
  contentType: "application/vnd.amazon.eventstream",
  toolId: (serial) => `tooluse_${String(serial).padStart(22, "0")}`,
  wholeCalls: () => false,
  frames: (answer) => [
    event("messageStart", { role: "assistant" }, "start"),
    ...answer.blocks.flatMap((block, index) => blockFrames(block, index, answer.model)),
    event("messageStop", { stopReason: answer.reason ?? STOP[answer.stop] }),
    event("metadata", { usage: makeUsage(answer), metrics: { latencyMs: 1 } }),
  ],
  whole,
  errorFrame: ({ kind, message }) => ({
    data: encodeEvent(
      {
        ":exception-type": STREAM_EXCEPTIONS[kind],
        ":content-type": "application/json",
        ":message-type": "exception",
      },
      JSON.stringify({ message }),
    ),
  }),
  errorBody: ({ kind, message }) => ({ headers: { "x-amzn-errortype": EXCEPTIONS[kind] }, body: { message } }),
  failures: {
    "content-filter": {
      status: 400,
      message: "The model returned the following errors: Output blocked by content filtering policy",
    },
    auth: { status: 403, message: "The security token included in the request is invalid." },
    "rate-limit": { status: 429, message: "Too many requests, please wait before trying again." },
    server: {
      status: 500,
      message: "The system encountered an unexpected error during processing. Try your request again.",
    },
    overloaded: { status: 503, message: "Bedrock is unable to process your request." },
  },
  rejections: {
    unexpectedResult:
      "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
    rolesAlternate:
      "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
    missingResult: "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_FAULT",
  },
};
