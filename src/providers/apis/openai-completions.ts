import { isMistral } from "../models.ts";
import { argumentsText, halves, sse } from "../sse.ts";
import type { Answer, ApiAdapter, Frame, JsonObject, Mark, ProviderError, StopKind } from "../types.ts";
import { OPENAI_FAILURES, openAiError } from "./openai-errors.ts";

const FINISH: Record<StopKind, string> = {
  stop: "stop",
  tool: "tool_calls",
  refusal: "content_filter",
  "content-filter": "content_filter",
  length: "length",
};
function makeUsage({ inputTokens }: Answer): JsonObject {
  return { prompt_tokens: inputTokens, completion_tokens: 20, total_tokens: inputTokens + 20 };
}

function chunk(answer: Answer, choices: JsonObject[], extra: JsonObject = {}): JsonObject {
  return {
    id: `chatcmpl-${answer.n}`,
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: answer.model,
    choices,
    ...extra,
  };
}

function frames(answer: Answer): Frame[] {
  const delta = (value: JsonObject, mark?: Mark): Frame =>
    sse(chunk(answer, [{ index: 0, delta: value, finish_reason: null }]), mark === undefined ? {} : { mark });
  const list: Frame[] = [delta({ role: "assistant", content: "" }, "start")];
  let index = 0;
  for (const block of answer.blocks) {
    if (block.type === "thinking") list.push(delta({ reasoning_content: block.thinking }));
    else if (block.type === "text") {
      const field = block.refusal === true ? "refusal" : "content";
      block.pieces.forEach((part, i) => list.push(delta({ [field]: part }, i === 0 ? "in-text" : undefined)));
    } else if (isMistral(answer.model)) {
      // Mistral sends a call whole; what breaks "inside" it leaves an answer without it.
      const call = {
        id: block.id,
        type: "function",
        function: { name: block.name, arguments: argumentsText(block.arguments) },
      };
      list.push(delta({ content: "" }, "in-tool"), delta({ tool_calls: [{ index: index++, ...call }] }, "after-tool"));
    } else {
      const [first, second] = halves(argumentsText(block.arguments));
      const call = { index: index++ };
      list.push(
        delta({
          tool_calls: [{ ...call, id: block.id, type: "function", function: { name: block.name, arguments: "" } }],
        }),
        delta({ tool_calls: [{ ...call, function: { arguments: first } }] }, "in-tool"),
        delta({ tool_calls: [{ ...call, function: { arguments: second } }] }, "after-tool"),
      );
    }
  }
  list.push(
    sse(chunk(answer, [{ index: 0, delta: {}, finish_reason: FINISH[answer.stop] }])),
    sse(chunk(answer, [], { usage: makeUsage(answer) })),
    sse("[DONE]"),
  );
  return list;
}

function whole(answer: Answer): JsonObject {
  const said = (refusal: boolean) =>
    answer.blocks
      .flatMap((block) => (block.type === "text" && (block.refusal === true) === refusal ? [block.text] : []))
      .join("");
  const [text, refusal] = [said(false), said(true)];
  const calls = answer.blocks.flatMap((block) =>
    block.type === "tool"
      ? [{ id: block.id, type: "function", function: { name: block.name, arguments: argumentsText(block.arguments) } }]
      : [],
  );
  const thinking = answer.blocks.find((block) => block.type === "thinking");
  const message: JsonObject = { role: "assistant", content: text === "" ? null : text };
  if (refusal !== "") message["refusal"] = refusal;
  if (calls.length > 0) message["tool_calls"] = calls;
  if (thinking !== undefined) message["reasoning_content"] = thinking.thinking;
  return {
    id: `chatcmpl-${answer.n}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: answer.model,
    choices: [{ index: 0, message, finish_reason: FINISH[answer.stop] }],
    usage: makeUsage(answer),
  };
}

/** Mistral's envelope, told by its error codes. */
function mistralError(error: ProviderError): JsonObject {
  const type = error.code === "3280" ? "invalid_function_call" : "invalid_request_message_order";
  return { object: "error", message: error.message, type, param: null, code: error.code };
}

/** OpenAI Chat Completions: POST .../chat/completions, server-sent events. */
export const completions: ApiAdapter = {
  api: "openai-completions",
  match: (url) => (url.pathname.endsWith("/chat/completions") ? {} : undefined),
  contentType: "text/event-stream; charset=utf-8",
  // Mistral makes ids of nine characters itself, and takes no others back.
  toolId: (serial, model) =>
    isMistral(model) ? `m${serial.toString(36).padStart(8, "0")}` : `call_${String(serial).padStart(24, "0")}`,
  wholeCalls: isMistral,
  frames,
  whole,
  errorFrame: (error: ProviderError) => sse(openAiError(error)),
  errorBody: (error) => ({ body: error.code?.startsWith("32") === true ? mistralError(error) : openAiError(error) }),
  failures: OPENAI_FAILURES,
  rejections: {
    unexpectedResult:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    rolesAlternate: "Conversation roles must alternate user/assistant/user/assistant/...",
    missingResult:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_FAULT",
  },
};
