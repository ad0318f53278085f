import { isDeeperThan, MAX_MESSAGE_DEPTH, MOST_ITEMS } from "./json/depth.ts";
import { isBlank, isObject, toArguments, type JsonObject } from "./json/json.ts";
import { withoutDepth } from "./json/plain.ts";
import { callIdKey, isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "./read.ts";
import { textOf } from "./json/text.ts";
import type { ViolationKind } from "./violations.ts";
import {
  REPLAYED_NAME,
  keepHalfSynthetic,
  hasOwnResultId,
  isCleanBlock,
  isEmptyMessage,
  isHalfSynthetic,
  isShapely,
  isTooDeep,
  type Message,
  type Spelling,
} from "./clean.ts";

/** Told what was wrong with the shape of a message's block (-1: of the message itself). */
type Note = (kind: ViolationKind, blockIndex: number) => void;

/** `block` as text blocks; none when it has nothing to say. */
function asText(block: unknown): JsonObject[] {
  const text = textOf(block);
  return isBlank(text) ? [] : [{ type: "text", text }];
}

/**
 * A call in OpenClaw's spelling with a name and arguments of the right types; its id is left for the pairing to judge.
 */
function openclawCall(block: JsonObject): JsonObject {
  const call = readCall(block);
  const words = textOf(call.name);
  const name = REPLAYED_NAME.test(words) ? words : words.replace(/[^A-Za-z0-9_:.-]/g, "_").slice(0, 64);
  const shaped: JsonObject = {
    type: "toolCall",
    id: call.id,
    name: isBlank(words) ? "unknown_tool" : name,
    arguments: toArguments(call.arguments),
  };
  for (const key of ["thoughtSignature", "partialJson", "async"]) {
    if (block[key] !== undefined) shaped[key] = block[key];
  }
  return shaped;
}

/** The same call in the spelling it has, with a name and arguments of the right types. */
function sameSpellingCall(block: JsonObject): JsonObject {
  const shaped = openclawCall(block);
  if (block.type === "toolCall") return { ...block, ...shaped };
  if (block.type !== "tool_use") return shaped;
  return { ...block, [callIdKey(block)]: shaped.id, name: shaped.name, input: shaped.arguments };
}

/** An image in OpenClaw's spelling, read from Anthropic's, or undefined when there is no picture in the block. */
function openclawImage(block: JsonObject): JsonObject | undefined {
  const source = isObject(block.source) ? block.source : block;
  const data = source.data;
  const mimeType = source.mimeType ?? source.media_type ?? source.mime_type;
  if (typeof data !== "string" || typeof mimeType !== "string" || data === "" || mimeType === "") return undefined;
  return { type: "image", data, mimeType };
}

/** Content of a result as a list of clean text and image blocks. */
function resultContent(content: unknown, spelling: Spelling): unknown[] {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block) => {
    if (isCleanBlock(block, "toolResult", spelling)) return [block];
    const image = isObject(block) && block.type === "image" ? openclawImage(block) : undefined;
    return image ? [image] : asText(block);
  });
}

/** A result block as a message of its own. */
function resultMessage(block: JsonObject, owner: Message): Message {
  const fields = readResult(block);
  const result: Message = {
    role: "toolResult",
    toolCallId: fields.id,
    ...(typeof fields.name === "string" ? { toolName: fields.name } : {}),
    content: resultContent(fields.content, "openclaw"),
    isError: fields.isError,
    ...(owner.timestamp === undefined ? {} : { timestamp: owner.timestamp }),
  };
  if (isHalfSynthetic(result)) keepHalfSynthetic(result);
  return result;
}

/** The role a message is to have: foreign names for the three roles are understood, anything else is a user's text. */
function knownRole(role: unknown): "user" | "assistant" | "toolResult" {
  if (role === "assistant" || role === "model" || role === "ai") return "assistant";
  return isResultRole(role) ? "toolResult" : "user";
}

/**
 * The message as messages of known roles whose blocks are all of known types, in which nothing readable is lost: the
 * message itself when it is so already, none when there is nothing in it. An unknown block becomes text; with spelling
 * `openclaw` results inside a message become messages right behind it.
 *
 * Anything at all may be given. `note` is told of every change. Issue 2; shapes from facts on corruption, classes G to
 * K.
 */
export function shapeMessage(message: unknown, spelling: Spelling, note: Note): Message[] {
  if (isShapely(message, spelling)) {
    if (!isEmptyMessage(message)) return [message];
    note("empty_message", -1);
    return [];
  }
  if (!isObject(message)) {
    note("foreign_block", -1);
    const text = textOf(message);
    return isBlank(text) ? [] : [{ role: "user", content: [{ type: "text", text }] }];
  }
  if (isTooDeep(message)) return shapeDeep(message, spelling, note);
  const role = knownRole(message.role);
  if (role !== message.role || (role !== "user" && !Array.isArray(message.content))) note("foreign_block", -1);
  return role === "toolResult" ? shapeResult(message, spelling, note) : shapeTurn(message, role, spelling, note);
}

/** What is too deep in a message is told as text where it stands; the rest of the message stays what it was. */
function shapeDeep(message: Message, spelling: Spelling, note: Note): Message[] {
  const isList = Array.isArray(message.content) && message.content.length <= MOST_ITEMS;
  const blocks = isList ? (message.content as unknown[]) : [];
  const deep = blocks.flatMap((block, at) => (isDeeperThan(block, MAX_MESSAGE_DEPTH - 2) ? [at] : []));
  for (const at of deep.length > 0 ? deep : [-1]) note("too_deep", at);
  const content = blocks.map((block) => (isCallBlock(block) ? shallowCall(block) : block));
  return shapeMessage(withoutDepth(isList ? { ...message, content } : message), spelling, note);
}

/** What a call is given stays an object: too deep, it is the one field of another. */
function shallowCall(block: JsonObject): JsonObject {
  const { arguments: given } = readCall(block);
  const key = ["arguments", "input", "args"].find((name) => block[name] === given);
  return key === undefined || !isObject(given) ? block : { ...block, [key]: toArguments(given) };
}

function shapeResult(message: Message, spelling: Spelling, note: Note): Message[] {
  const content = readResult(message).content;
  const blocks = resultContent(content, spelling);
  if (Array.isArray(content)) noteForeign(content, "toolResult", spelling, note);
  const result: Message = { ...message, role: "toolResult", content: blocks };
  if (spelling === "openclaw" && isHalfSynthetic(result)) {
    note("foreign_block", -1);
    keepHalfSynthetic(result);
  }
  if (message.role !== "toolResult" || (spelling === "openclaw" && !hasOwnResultId(message))) {
    const fields = readResult(message);
    result.toolCallId = fields.id;
    if (typeof fields.name === "string") result.toolName = fields.name;
    result.isError = fields.isError;
    for (const key of ["tool_call_id", "tool_use_id", "name", "call_id"]) delete result[key];
  }
  return [result];
}

function noteForeign(content: readonly unknown[], role: string, spelling: Spelling, note: Note): void {
  content.forEach((block, at) => {
    if (!isCleanBlock(block, role, spelling)) note("foreign_block", at);
  });
}

function shapeTurn(message: Message, role: "user" | "assistant", spelling: Spelling, note: Note): Message[] {
  const { content } = message;
  const blocks: unknown[] = Array.isArray(content)
    ? content
    : content === undefined || content === null
      ? []
      : [content];
  const calls = role === "assistant" && Array.isArray(message.tool_calls) ? message.tool_calls : [];
  if (Array.isArray(content)) noteForeign(content, role, spelling, note);
  if (calls.length > 0) note("foreign_block", -1);
  const kept: unknown[] = [];
  const results: Message[] = [];
  for (const block of [...blocks, ...calls]) {
    if (isCleanBlock(block, role, spelling)) kept.push(block);
    else if (isObject(block) && isResultBlock(block)) results.push(resultMessage(block, message));
    else if (isObject(block) && role === "assistant" && isCallBlock(block)) {
      kept.push(spelling === "keep" ? sameSpellingCall(block) : openclawCall(block));
    } else kept.push(...shapeBlock(block, role));
  }
  const turn: Message = { ...message, role, content: kept };
  delete turn.tool_calls;
  const turns = isEmptyMessage(turn) ? [] : [turn];
  if (turns.length === 0 && results.length === 0) note("empty_message", -1);
  // A user's results answer what stands before the message, an assistant's own can only belong to its own calls.
  return role === "user" ? [...results, ...turns] : [...turns, ...results];
}

function shapeBlock(block: unknown, role: string): JsonObject[] {
  if (isObject(block)) {
    if (block.type === "thinking" && role === "assistant") return shapeThinking(block);
    const image = role === "user" && block.type === "image" ? openclawImage(block) : undefined;
    if (image) return [image];
  }
  return asText(block);
}

/**
 * Thinking with a text is kept as thinking (an unusable signature is taken off); thinking of another type is kept as
 * text.
 */
function shapeThinking(block: JsonObject): JsonObject[] {
  const { thinking, thinkingSignature, ...rest } = block;
  const signed = typeof thinkingSignature === "string" ? { thinkingSignature } : {};
  if (typeof thinking === "string") return [{ ...rest, thinking, ...signed }];
  if ((thinking === undefined || thinking === null) && "thinkingSignature" in signed)
    return [{ ...rest, thinking: "", ...signed }];
  return asText(thinking);
}
