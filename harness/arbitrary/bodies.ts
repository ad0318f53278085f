import { isCallBlock, isResultBlock, readCall, readResult } from "../../src/transcript/read.ts";
import type { ModelApi } from "../corpus/case.ts";

type Json = Record<string, unknown>;

/** All APIs, under OpenClaw's names. */
export const APIS: readonly ModelApi[] = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
  "bedrock-converse-stream",
];

/**
 * A request body made of OpenClaw's messages by the most careless adapter there could be: it repairs nothing, drops
 * nothing and does not look at types. With it corrupt histories become corrupt bodies.
 */
export function carelessBody(api: ModelApi, messages: readonly unknown[], model = "some-model"): Json {
  switch (api) {
    case "anthropic-messages":
      return { model, max_tokens: 100, messages: perMessage(messages, anthropicBlock, "user", "assistant", "content") };
    case "bedrock-converse-stream":
      return { modelId: model, messages: perMessage(messages, bedrockBlock, "user", "assistant", "content") };
    case "google-generative-ai":
      return { model, contents: perMessage(messages, googlePart, "user", "model", "parts") };
    case "openai-completions":
      return { model, messages: messages.flatMap(chatMessages) };
    default:
      return { model, input: messages.flatMap(responseItems) };
  }
}

function asObject(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function toBlocks(message: Json): unknown[] {
  const { content } = message;
  return Array.isArray(content) ? content : [typeof content === "string" ? { type: "text", text: content } : content];
}

function perMessage(
  messages: readonly unknown[],
  convert: (block: unknown) => unknown,
  user: string,
  assistant: string,
  field: string,
): unknown[] {
  const out: Json[] = [];
  for (const stored of messages) {
    const message = asObject(stored);
    if (!message) {
      out.push(stored as Json);
      continue;
    }
    const isResult = message.role === "toolResult";
    const blocks = isResult ? [{ type: "toolResult", ...message }] : toBlocks(message);
    const last = out.at(-1);
    // Results of one turn share a message, as in the real adapters.
    if (isResult && last && (last as { joined?: boolean }).joined)
      (last[field] as unknown[]).push(...blocks.map(convert));
    else {
      const next: Json = { role: message.role === "assistant" ? assistant : user, [field]: blocks.map(convert) };
      if (isResult) Object.defineProperty(next, "joined", { value: true, enumerable: false });
      out.push(next);
    }
  }
  return out;
}

function anthropicBlock(stored: unknown): unknown {
  const block = asObject(stored);
  if (!block) return stored;
  if (isCallBlock(block as unknown)) {
    const { id, name, arguments: input } = readCall(block);
    return { type: "tool_use", id, name, input };
  }
  if (isResultBlock(block as unknown)) {
    const { id, content, isError } = readResult(block);
    return {
      type: "tool_result",
      tool_use_id: id,
      content: Array.isArray(content) ? content.map(anthropicBlock) : content,
      is_error: isError,
    };
  }
  if (block.type === "image")
    return { type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } };
  if (block.type === "thinking")
    return { type: "thinking", thinking: block.thinking, signature: block.thinkingSignature };
  return block;
}

function bedrockBlock(stored: unknown): unknown {
  const block = asObject(stored);
  if (!block) return stored;
  if (isCallBlock(block as unknown)) {
    const { id, name, arguments: input } = readCall(block);
    return { toolUse: { toolUseId: id, name, input } };
  }
  if (isResultBlock(block as unknown)) {
    const { id, content, isError } = readResult(block);
    const list = Array.isArray(content) ? content.map(bedrockBlock) : content;
    return { toolResult: { toolUseId: id, content: list, status: isError ? "error" : "success" } };
  }
  if (block.type === "text") return { text: block.text };
  if (block.type === "thinking")
    return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.thinkingSignature } } };
  if (block.type === "image") return { image: { format: "png", source: { bytes: block.data } } };
  return block;
}

function googlePart(stored: unknown): unknown {
  const block = asObject(stored);
  if (!block) return stored;
  if (isCallBlock(block as unknown)) {
    const { id, name, arguments: args } = readCall(block);
    return { functionCall: { id, name, args }, thoughtSignature: block.thoughtSignature };
  }
  if (isResultBlock(block as unknown)) {
    const { id, name, content } = readResult(block);
    return { functionResponse: { id, name, response: { output: textIn(content) } } };
  }
  if (block.type === "text") return { text: block.text };
  if (block.type === "thinking")
    return { text: block.thinking, thought: true, thoughtSignature: block.thinkingSignature };
  if (block.type === "image") return { inlineData: { mimeType: block.mimeType, data: block.data } };
  return block;
}

function textIn(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content
    .map((block) => (typeof asObject(block)?.text === "string" ? asObject(block)!.text : JSON.stringify(block)))
    .join("\n");
}

function chatMessages(stored: unknown): unknown[] {
  const message = asObject(stored);
  if (!message) return [stored];
  if (message.role === "toolResult")
    return [{ role: "tool", tool_call_id: message.toolCallId, content: textIn(message.content) }];
  const blocks = toBlocks(message);
  const results = blocks.filter(isResultBlock).map((block) => {
    const { id, content } = readResult(block);
    return { role: "tool", tool_call_id: id, content: textIn(content) };
  });
  const rest = blocks.filter((block) => !isResultBlock(block));
  if (message.role !== "assistant") {
    const parts = rest.map((block) => {
      const { type, mimeType, data } = asObject(block) ?? {};
      return type === "image"
        ? { type: "image_url", image_url: { url: `data:${String(mimeType)};base64,${String(data)}` } }
        : block;
    });
    return [...results, ...(parts.length > 0 || results.length === 0 ? [{ role: message.role, content: parts }] : [])];
  }
  const calls = rest.filter(isCallBlock).map((block) => {
    const { id, name, arguments: args } = readCall(block);
    return {
      id,
      type: "function",
      function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
    };
  });
  const content = rest.filter((block) => !isCallBlock(block));
  return [
    {
      role: "assistant",
      content: content.length > 0 ? content : null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    ...results,
  ];
}

function responseItems(stored: unknown): unknown[] {
  const message = asObject(stored);
  if (!message) return [stored];
  if (message.role === "toolResult")
    return [{ type: "function_call_output", call_id: message.toolCallId, output: textIn(message.content) }];
  return toBlocks(message).map((item) => {
    const block = asObject(item);
    if (!block) return item;
    if (isCallBlock(block as unknown)) {
      const { id, name, arguments: args } = readCall(block);
      return {
        type: "function_call",
        call_id: id,
        name,
        arguments: typeof args === "string" ? args : JSON.stringify(args),
      };
    }
    if (isResultBlock(block as unknown)) {
      const { id, content } = readResult(block);
      return { type: "function_call_output", call_id: id, output: textIn(content) };
    }
    if (block.type === "thinking")
      return {
        type: "reasoning",
        id: block.thinkingSignature,
        summary: [{ type: "summary_text", text: block.thinking }],
      };
    const assistant = message.role === "assistant";
    if (block.type === "text")
      return {
        type: "message",
        role: message.role,
        content: [{ type: assistant ? "output_text" : "input_text", text: block.text }],
      };
    return { type: "message", role: message.role, content: [block] };
  });
}
