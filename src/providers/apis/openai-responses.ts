import { argumentsText, halves, sse } from "../sse.ts";
import type { Answer, AnswerBlock, ApiAdapter, Frame, JsonObject, Mark, ProviderError } from "../types.ts";
import { OPENAI_FAILURES, openAiError } from "./openai-errors.ts";

/** A part of a message: text, or a refusal in the field of its own. */
function textPart(block: AnswerBlock & { type: "text" }, text: string): JsonObject {
  return block.refusal === true ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] };
}

/** The finished output item of a block. Items made with reasoning say so in their id (see rules/responses-turns.ts). */
function toItem(block: AnswerBlock, answer: Answer): JsonObject {
  const reasoned = answer.blocks.some((one) => one.type === "thinking");
  const tail = reasoned ? `paired_${answer.n}_${block.serial}` : `${answer.n}_${block.serial}`;
  if (block.type === "thinking") {
    return {
      type: "reasoning",
      id: `rs_paired_${answer.n}`,
      summary: [{ type: "summary_text", text: block.thinking }],
      encrypted_content: Buffer.from(block.thinking).toString("base64"),
    };
  }
  if (block.type === "text") {
    return {
      type: "message",
      id: `msg_${tail}`,
      role: "assistant",
      status: "completed",
      content: [textPart(block, block.text)],
    };
  }
  return {
    type: "function_call",
    id: `fc_${tail}`,
    call_id: block.id,
    name: block.name,
    arguments: argumentsText(block.arguments),
    status: block.cut === true ? "incomplete" : "completed",
  };
}

function response(answer: Answer, status: string, output: JsonObject[]): JsonObject {
  const done = status !== "in_progress";
  return {
    id: `resp_${answer.n}`,
    object: "response",
    created_at: 1_700_000_000,
    model: answer.model,
    status,
    output,
    error: null,
    incomplete_details:
      status === "incomplete" ? { reason: answer.stop === "length" ? "max_output_tokens" : "content_filter" } : null,
    usage: done
      ? {
          input_tokens: answer.inputTokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: answer.inputTokens + 20,
        }
      : null,
  };
}

type Emit = (type: string, data: JsonObject, mark?: Mark) => void;

function emitBlock(block: AnswerBlock, item: JsonObject, index: number, emit: Emit): void {
  const at = { item_id: item["id"], output_index: index };
  const done = (mark?: Mark) => emit("response.output_item.done", { output_index: index, item }, mark);
  const added = (empty: JsonObject) =>
    emit("response.output_item.added", { output_index: index, item: { ...item, ...empty } });
  if (block.type === "thinking") {
    const part = { ...at, summary_index: 0 };
    added({ summary: [], encrypted_content: "" });
    emit("response.reasoning_summary_part.added", { ...part, part: { type: "summary_text", text: "" } });
    emit("response.reasoning_summary_text.delta", { ...part, delta: block.thinking });
    emit("response.reasoning_summary_text.done", { ...part, text: block.thinking });
    emit("response.reasoning_summary_part.done", { ...part, part: { type: "summary_text", text: block.thinking } });
    done();
  } else if (block.type === "text") {
    const part = { ...at, content_index: 0 };
    added({ status: "in_progress", content: [] });
    const [name, field] = block.refusal === true ? ["response.refusal", "refusal"] : ["response.output_text", "text"];
    emit("response.content_part.added", { ...part, part: textPart(block, "") });
    block.pieces.forEach((delta, i) => emit(`${name}.delta`, { ...part, delta }, i === 0 ? "in-text" : undefined));
    emit(`${name}.done`, { ...part, [field]: block.text });
    emit("response.content_part.done", { ...part, part: textPart(block, block.text) });
    done();
  } else {
    const [first, second] = halves(argumentsText(block.arguments));
    added({ status: "in_progress", arguments: "" });
    emit("response.function_call_arguments.delta", { ...at, delta: first }, "in-tool");
    emit("response.function_call_arguments.delta", { ...at, delta: second });
    emit("response.function_call_arguments.done", { ...at, name: block.name, arguments: first + second });
    done("after-tool");
  }
}

function frames(answer: Answer): Frame[] {
  const list: Frame[] = [];
  const emit: Emit = (type, data, mark) => {
    const event = { type, sequence_number: list.length, ...data };
    list.push(sse(event, mark === undefined ? { event: type } : { event: type, mark }));
  };
  emit("response.created", { response: response(answer, "in_progress", []) });
  emit("response.in_progress", { response: response(answer, "in_progress", []) }, "start");
  const items = answer.blocks.map((block) => toItem(block, answer));
  answer.blocks.forEach((block, index) => emitBlock(block, items[index] ?? {}, index, emit));
  const status = toStatus(answer);
  emit(`response.${status}`, { response: response(answer, status, items) });
  return list;
}

function toStatus(answer: Answer): "completed" | "incomplete" {
  return answer.stop === "stop" || answer.stop === "tool" ? "completed" : "incomplete";
}

/** OpenAI Responses: POST .../responses, server-sent events. */
export const responses: ApiAdapter = {
  api: "openai-responses",
  match: (url) => (url.pathname.endsWith("/responses") ? {} : undefined),
  contentType: "text/event-stream; charset=utf-8",
  toolId: (serial) => `call_${String(serial).padStart(24, "0")}`,
  wholeCalls: () => false,
  frames,
  whole: (answer) =>
    response(
      answer,
      toStatus(answer),
      answer.blocks.map((block) => toItem(block, answer)),
    ),
  errorFrame: (error: ProviderError) =>
    sse(
      { type: "error", sequence_number: 0, code: error.code ?? "server_error", message: error.message, param: null },
      { event: "error" },
    ),
  failedFrame: (answer, { code, message }, sent) =>
    sse(
      {
        type: "response.failed",
        sequence_number: sent,
        response: { ...response(answer, "failed", []), error: { code: code ?? "server_error", message } },
      },
      { event: "response.failed" },
    ),
  errorBody: (error) => ({ body: openAiError(error) }),
  failures: OPENAI_FAILURES,
  rejections: {
    unexpectedResult: "No tool call found for function call output with call_id call_FAULT.",
    rolesAlternate: "Conversation roles must alternate user/assistant/user/assistant/...",
    missingResult: "No tool output found for function call call_FAULT.",
  },
};
