import { quotedInline } from "../base/quoted.ts";
import { SYNTHETIC_MARK } from "./invented.ts";
import { isDeeperThan, MAX_MESSAGE_DEPTH, MAX_ITEMS, whyNoJson } from "./json/depth.ts";
import { isBlank, isObject, toArguments, type JsonObject } from "./json/json.ts";
import { withoutDepth } from "./json/plain.ts";
import { callIdKey, isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "./read.ts";
import { readText } from "./json/text.ts";
import type { ViolationKind } from "./violations.ts";
import {
  hasOwnResultId,
  isCleanBlock,
  isEmptyMessage,
  isHalfSynthetic,
  isReplayedName,
  isSyntheticBlock,
  look,
  SAYS,
  type Message,
} from "./look.ts";
import type { Spelling } from "./options.ts";

/** Called with each violation in the shape of a message's block (-1: of the message itself). */
type Note = (kind: ViolationKind, blockIndex: number) => void;

/** Converts a block to text blocks; none when it has no text. */
function asText(block: unknown): JsonObject[] {
  const text = readText(block);
  return isBlank(text) ? [] : [{ type: "text", text }];
}

/**
 * Converts a call to OpenClaw's spelling, with name and arguments of the right types. The id is checked by the pairing.
 */
function openclawCall(block: JsonObject): JsonObject {
  const call = readCall(block);
  const words = readText(call.name);
  const name = isReplayedName(words) ? words : words.replace(/[^A-Za-z0-9_:.-]/g, "_").slice(0, 64);
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

/** Gives a call name and arguments of the right types, in its own spelling. */
function sameSpellingCall(block: JsonObject): JsonObject {
  const shaped = openclawCall(block);
  if (block.type === "toolCall") return { ...block, ...shaped };
  if (block.type !== "tool_use") return shaped;
  return { ...block, [callIdKey(block)]: shaped.id, name: shaped.name, input: shaped.arguments };
}

/** Converts an image from Anthropic's to OpenClaw's spelling; undefined when the block has no image data. */
function openclawImage(block: JsonObject): JsonObject | undefined {
  const source = isObject(block.source) ? block.source : block;
  const data = source.data;
  const mimeType = source.mimeType ?? source.media_type ?? source.mime_type;
  if (typeof data !== "string" || typeof mimeType !== "string" || data === "" || mimeType === "") return undefined;
  return { type: "image", data, mimeType };
}

/** Converts the content of a result to a list of text and image blocks. */
function resultContent(content: unknown, spelling: Spelling): unknown[] {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block) => {
    if (isCleanBlock(block, "toolResult", spelling)) return [block];
    const image = isObject(block) && block.type === "image" ? openclawImage(block) : undefined;
    return image ? [image] : asText(block);
  });
}

/** Converts a result block to a result message. */
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

/**
 * Changes such a result in place so that OpenClaw does not drop it: its content stays, and OpenClaw's own text in it is
 * quoted.
 */
function keepHalfSynthetic(result: Message): void {
  result.content = (result.content as unknown[]).map((block) =>
    isSyntheticBlock(block) ? { ...block, text: quotedInline(block.text) } : block,
  );
  if (isObject(result.details)) result.details = { ...result.details, [SYNTHETIC_MARK]: undefined };
}

/** Returns the role of a message: other names of the three roles are known, any other role becomes `user`. */
function knownRole(role: unknown): "user" | "assistant" | "toolResult" {
  if (role === "assistant" || role === "model" || role === "ai") return "assistant";
  return isResultRole(role) ? "toolResult" : "user";
}

/**
 * Converts any value to messages of known roles with blocks of known types, without losing readable content. Returns
 * the message itself when it has such a shape already, and none when it is empty. An unknown block becomes text; with
 * spelling `openclaw` results inside a message become messages directly behind it (before it, in a user message).
 *
 * `note` is called with every violation.
 */
export function shapeMessage(message: unknown, spelling: Spelling, note: Note): Message[] {
  const told = look(message, spelling);
  if (told & SAYS) return [message as Message];
  if (told) {
    note("empty_message", -1);
    return [];
  }
  if (!isObject(message)) {
    note("foreign_block", -1);
    const text = readText(message);
    return isBlank(text) ? [] : [{ role: "user", content: [{ type: "text", text }] }];
  }
  if (isDeeperThan(message, MAX_MESSAGE_DEPTH)) return shapeDeep(message, spelling, note);
  const role = knownRole(message.role);
  if (role !== message.role || !isRoleContent(role, message.content)) note("foreign_block", -1);
  return role === "toolResult" ? shapeResult(message, spelling, note) : shapeTurn(message, role, spelling, note);
}

/** False for content of another type than messages of this role have; missing content is an empty message. */
function isRoleContent(role: string, content: unknown): boolean {
  if (Array.isArray(content)) return true;
  return role === "user" && (typeof content === "string" || content === undefined || content === null);
}

/**
 * Replaces the values in a message that nest too deeply by text; the rest of the message is kept. Throws for a message
 * with a bigint, which is no JSON and is read as a copy.
 */
function shapeDeep(message: Message, spelling: Spelling, note: Note): Message[] {
  if (whyNoJson(message, MAX_MESSAGE_DEPTH) === "bigint") throw new TypeError("The message holds a bigint.");
  const isList = Array.isArray(message.content) && message.content.length <= MAX_ITEMS;
  const blocks = isList ? (message.content as unknown[]) : [];
  const deep = blocks.flatMap((block, at) => (isDeeperThan(block, MAX_MESSAGE_DEPTH - 2) ? [at] : []));
  for (const at of deep.length > 0 ? deep : [-1]) note("too_deep", at);
  const content = blocks.map((block) => (isCallBlock(block) ? shallowCall(block) : block));
  return shapeMessage(withoutDepth(isList ? { ...message, content } : message), spelling, note);
}

/** Keeps a call's arguments an object: arguments that nest too deeply become one field of a new object. */
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
  // By index, so that holes are seen too.
  for (let at = 0; at < content.length; at++) {
    if (!isCleanBlock(content[at], role, spelling)) note("foreign_block", at);
  }
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
  // Results in a user message answer earlier calls; those in an assistant message can only belong to its own calls.
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
 * Keeps thinking that is a text as thinking (without an unusable signature); thinking of another type becomes text.
 */
function shapeThinking(block: JsonObject): JsonObject[] {
  const { thinking, thinkingSignature, ...rest } = block;
  const signed = typeof thinkingSignature === "string" ? { thinkingSignature } : {};
  if (typeof thinking === "string") return [{ ...rest, thinking, ...signed }];
  if ((thinking === undefined || thinking === null) && "thinkingSignature" in signed)
    return [{ ...rest, thinking: "", ...signed }];
  return asText(thinking);
}
