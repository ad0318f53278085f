import { isBlank, isObject, toArguments, type JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "../../transcript/read.ts";
import { readText } from "../../transcript/json/text.ts";
import { isMedia, MESSAGE_FIELDS, RESULT_MEDIA, SIGNATURE, strip } from "../../wire/anthropic/blocks.ts";
import { pick } from "../../wire/model.ts";

/**
 * Returns the messages in the form of Anthropic's API: roles `user` and `assistant`, calls as `tool_use`, results as
 * `tool_result` in a user message, images and thinking in its spelling, no message fields that it does not have. The
 * content of blocks stays the same, even where the API refuses it. Returns the same array when nothing was in another
 * form.
 */
export function inAnthropicForm(messages: readonly unknown[]): readonly unknown[] {
  const written: unknown[] = [];
  /** Content of the user message that consecutive results share, because they answer one assistant message. */
  let shared: JsonObject[] | undefined;
  for (const message of messages) {
    if (isObject(message) && isResultRole(message.role)) {
      const block = resultBlock(message);
      if (shared) shared.push(block);
      else written.push({ role: "user", content: (shared = [block]) });
      continue;
    }
    for (const one of toAnthropicForm(message)) {
      if (shared && beginsWithResult(one)) for (const block of one.content as JsonObject[]) shared.push(block);
      else written.push(one);
      shared = undefined;
    }
  }
  return written.length === messages.length && written.every((message, at) => message === messages[at])
    ? messages
    : written;
}

function toAnthropicForm(message: unknown): JsonObject[] {
  if (!isObject(message)) return userText(readText(message));
  const { role } = message;
  return role === "assistant" || role === "model" || role === "ai"
    ? assistantMessages(message)
    : [userMessage(message)];
}

function beginsWithResult({ content }: JsonObject): boolean {
  return Array.isArray(content) && isResultBlock((content as unknown[])[0]);
}

function userText(text: string): JsonObject[] {
  return isBlank(text) ? [] : [{ role: "user", content: [{ type: "text", text }] }];
}

/** Returns a user message; a message of an unknown role becomes one, with all of its content. */
function userMessage(message: JsonObject): JsonObject {
  const { role, content } = message;
  if (content === undefined || content === null) {
    const { role: _role, timestamp: _timestamp, ...rest } = message;
    return { role: "user", content: [{ type: "text", text: readText(rest) }] };
  }
  const fields = pick(role === "user" ? message : { ...message, role: "user" }, MESSAGE_FIELDS);
  if (!Array.isArray(content))
    return typeof content === "string" ? fields : { ...fields, content: [{ type: "text", text: readText(content) }] };
  const formed = mapChanged(content as unknown[], userBlock);
  return formed === content ? fields : { ...fields, content: formed };
}

function userBlock(block: unknown): unknown {
  if (!isObject(block)) return { type: "text", text: readText(block) };
  return isResultBlock(block) ? resultBlock(block) : anthropicImage(block);
}

/**
 * Returns the assistant message, and the results in it as a user message behind it, because the API accepts no result
 * from the assistant.
 */
function assistantMessages(message: JsonObject): JsonObject[] {
  const { content } = message;
  const fields = pick(message.role === "assistant" ? message : { ...message, role: "assistant" }, MESSAGE_FIELDS);
  if (!Array.isArray(content))
    return typeof content === "string"
      ? [fields]
      : [{ ...fields, content: [{ type: "text", text: readText(content) }] }];
  const results = (content as unknown[]).filter(isResultBlock).map(resultBlock);
  const said =
    results.length === 0 ? (content as unknown[]) : (content as unknown[]).filter((block) => !isResultBlock(block));
  const formed = callsLast(mapChanged(said, assistantBlock));
  const turn = formed === content ? fields : { ...fields, content: formed };
  return results.length === 0 ? [turn] : [...(formed.length > 0 ? [turn] : []), { role: "user", content: results }];
}

function assistantBlock(block: unknown): unknown {
  if (isCallBlock(block)) return callBlock(block);
  return isObject(block) ? thought(block) : { type: "text", text: readText(block) };
}

/** Converts thinking in OpenClaw's spelling to Anthropic's; returns any other block unchanged. */
function thought(block: JsonObject): JsonObject {
  const { type, thinking, thinkingSignature, signature } = block;
  if (type !== "thinking" || thinkingSignature === undefined || signature !== undefined) return block;
  return {
    type,
    thinking,
    ...(typeof thinkingSignature === "string" && SIGNATURE.test(thinkingSignature) && { signature: thinkingSignature }),
  };
}

/**
 * Moves calls to the end: the API refuses a call before a block of a server tool, and before a text. The order of the
 * other blocks stays the same.
 */
function callsLast(content: unknown[]): unknown[] {
  const first = content.findIndex(isToolUse);
  if (first < 0 || content.slice(first).every(isToolUse)) return content;
  return [...content.filter((block) => !isToolUse(block)), ...content.filter(isToolUse)];
}

function isToolUse(block: unknown): boolean {
  return isObject(block) && block.type === "tool_use";
}

/** Returns a call as `tool_use`, with an object as its input. */
function callBlock(block: JsonObject): JsonObject {
  const { id, name, arguments: given } = readCall(block);
  const isOwn =
    block.type === "tool_use" &&
    block.id === id &&
    block.name === name &&
    isObject(block.input) &&
    block.input === given;
  if (isOwn && toArguments(given) === given) return block;
  return {
    type: "tool_use",
    id,
    name,
    input: toArguments(given),
    ...(block.type === "tool_use" && block.cache_control !== undefined && { cache_control: block.cache_control }),
  };
}

/** Returns a result as `tool_result`, with content that the API accepts: a text, or a list of blocks. */
function resultBlock(source: JsonObject): JsonObject {
  const { id, content, isError } = readResult(source);
  const formed = resultContent(content, isError);
  if (
    source.type === "tool_result" &&
    source.tool_use_id === id &&
    isFlag(source.is_error) &&
    (formed === content || (formed === "" && content === undefined))
  )
    return source;
  const { cache_control: cacheControl } = source;
  return {
    type: "tool_result",
    tool_use_id: id,
    content: formed,
    ...(isError && { is_error: true }),
    ...(source.type === "tool_result" && cacheControl !== undefined && { cache_control: cacheControl }),
  };
}

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}

/** Replaces an empty output where the API requires text. */
export const NO_OUTPUT = "(no output)";

/** Returns the content of a result as the API accepts it. */
export function resultContent(content: unknown, isError: boolean): unknown {
  if (typeof content === "string") return content === "" && isError ? NO_OUTPUT : content;
  if (content === undefined || content === null) return isError ? NO_OUTPUT : "";
  if (!Array.isArray(content)) return resultContent([content], isError);
  const parts = (content as unknown[]).flatMap((part) => resultPart(part));
  const isSame = parts.length === content.length && parts.every((part, at) => part === (content as unknown[])[at]);
  if (isSame && parts.length > 0) return content;
  return parts.length > 0 ? parts : resultContent(blankText(content), isError);
}

/** Joins the texts of blank parts: the API accepts white space as a text, but not as a block. */
function blankText(content: readonly unknown[]): string {
  return content.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("");
}

function resultPart(part: unknown): unknown[] {
  if (isObject(part)) {
    if (part.type === "text" && typeof part.text === "string") return isBlank(part.text) ? [] : [strip(part)];
    const formed = strip(anthropicImage(part));
    if (isMedia(formed, RESULT_MEDIA)) return [formed];
  }
  const text = readText(part);
  return isBlank(text) ? [] : [{ type: "text", text }];
}

/** Converts an image in OpenClaw's spelling to Anthropic's; returns any other block unchanged. */
function anthropicImage(block: JsonObject): JsonObject {
  if (
    block.type !== "image" ||
    isObject(block.source) ||
    typeof block.data !== "string" ||
    typeof block.mimeType !== "string"
  )
    return block;
  return { type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } };
}
