import { isBlank, isDeeperThan, isObject, MAX_DEPTH, toArguments, type JsonObject } from "./json.ts";
import { callIdKey, isCallBlock, isFailedTurn, isResultBlock, isResultRole, readCall, readResult, resultIdKey } from "./read.ts";
import { MISSING_RESULT_TEXT, textOf } from "./text.ts";
import type { ViolationKind } from "./violations.ts";

/** A message that {@link shapeMessage} has seen: an object with a known role. */
export type Message = JsonObject;

/**
 * `keep`: calls and results stay in the spelling they are stored in. `openclaw`: they become `toolCall` blocks and `toolResult`
 * messages, the only spelling that OpenClaw's adapters send.
 */
export type Spelling = "keep" | "openclaw";

/** Told what was wrong with the shape of a message's block (-1: of the message itself). */
type Note = (kind: ViolationKind, blockIndex: number) => void;

/** Roles of messages that OpenClaw itself turns into text for the model, with contents of their own. */
const CUSTOM_ROLES = new Set(["bashExecution", "custom", "branchSummary", "compactionSummary", "hookMessage"]);

/** True when OpenClaw sends this message in a form of its own, so that its content is none of our business. */
export function isCustomMessage(message: Message): boolean {
  return CUSTOM_ROLES.has(message.role as string);
}

function isCleanText(block: JsonObject): boolean {
  return block.type === "text" && typeof block.text === "string";
}

/** OpenClaw's media blocks; 2026.9 knows video and audio as well. */
const MEDIA_TYPES = new Set(["image", "video", "audio"]);

function isCleanImage(block: JsonObject, spelling: Spelling): boolean {
  if (!MEDIA_TYPES.has(block.type as string)) return false;
  if (typeof block.data === "string" && typeof block.mimeType === "string") return block.data !== "" && block.mimeType !== "";
  return spelling === "keep" && isObject(block.source);
}

function isCleanThinking(block: JsonObject): boolean {
  if (block.type !== "thinking" || typeof block.thinking !== "string") return false;
  return block.thinkingSignature === undefined || typeof block.thinkingSignature === "string";
}

/** Names that OpenClaw 2026.9 replays; it drops calls of any other name together with their results. */
export const REPLAYED_NAME = /^[A-Za-z0-9_:.-]{1,64}$/;

function isCleanName(name: unknown, spelling: Spelling): boolean {
  return typeof name === "string" && (spelling === "keep" ? !isBlank(name) : REPLAYED_NAME.test(name));
}

function isCleanCall(block: JsonObject, spelling: Spelling): boolean {
  if (block.type === "toolCall") {
    return (
      (spelling === "keep" || (block.id !== undefined && block.id !== null) || callIdKey(block) === "id") &&
      isCleanName(block.name, spelling) &&
      isObject(block.arguments) &&
      !isDeeperThan(block.arguments, MAX_DEPTH)
    );
  }
  if (spelling === "openclaw" || !isCallBlock(block)) return false;
  const call = readCall(block);
  return isCleanName(call.name, spelling) && !isDeeperThan(call.arguments, MAX_DEPTH);
}

/** True when `block` may stand in a user message (`role` user), an assistant's or a result's (toolResult) as it is. */
function isCleanBlock(block: unknown, role: string, spelling: Spelling): boolean {
  if (!isObject(block)) return false;
  if (isCleanText(block)) return true;
  switch (role) {
    case "assistant":
      return isCleanCall(block, spelling) || isCleanThinking(block);
    case "user":
      return isCleanImage(block, spelling) || (spelling === "keep" && isResultBlock(block));
    default:
      return isCleanImage(block, spelling);
  }
}

/** True when a block gives the model something; blank text and empty thinking do not. */
function saysSomething(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block.type === "text") return !isBlank(block.text as string);
  if (block.type === "thinking") return !isBlank(block.thinking as string) || typeof block.thinkingSignature === "string";
  return true;
}

/** True when the message needs no change of shape, {@link isEmptyMessage} apart. Allocates nothing. */
export function isShapely(message: unknown, spelling: Spelling): message is Message {
  if (!isObject(message)) return false;
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "toolResult") return isCustomMessage(message);
  if (!Array.isArray(content)) return role === "user" && typeof content === "string";
  if (role === "assistant" && Array.isArray(message.tool_calls) && message.tool_calls.length > 0) return false;
  if (role === "toolResult" && spelling === "openclaw" && (!hasOwnResultId(message) || isHalfSynthetic(message))) return false;
  for (let at = 0; at < content.length; at++) {
    if (!isCleanBlock(content[at], role, spelling)) return false;
  }
  return true;
}

/** False when a result's id stands in a field that OpenClaw does not read. */
function hasOwnResultId(message: Message): boolean {
  const { toolCallId } = message;
  return (toolCallId !== undefined && toolCallId !== null) || resultIdKey(message, "toolCallId") === "toolCallId";
}

/** OpenClaw 2026.9 marks the results that it invents with this field. */
const SYNTHETIC_MARK = "openclawSyntheticMissingToolResult";

/**
 * True for a result that OpenClaw 2026.9 would take for an invented one, and drop, because of a mark or of one of its blocks,
 * although it says something else too.
 */
function isHalfSynthetic({ content, details, isError }: Message): boolean {
  const blocks = content as unknown[];
  const marked = isObject(details) && details[SYNTHETIC_MARK] === true;
  if (!marked && blocks.length < 2) return false;
  const real = blocks.some((block) => !isSyntheticBlock(block));
  return real && (marked || (isError === true && blocks.some(isSyntheticBlock)));
}

/** Leaves only what a half invented result really says. */
function dropSyntheticPart(result: Message): void {
  result.content = (result.content as unknown[]).filter((block) => !isSyntheticBlock(block));
  if (isObject(result.details)) result.details = { ...result.details, [SYNTHETIC_MARK]: undefined };
}

function isSyntheticBlock(block: unknown): boolean {
  return isObject(block) && typeof block.text === "string" && block.text.trim() === MISSING_RESULT_TEXT;
}

/** True when a shapely user's or assistant's message has nothing in it that could be sent. */
export function isEmptyMessage(message: Message): boolean {
  const { role, content } = message;
  if (role !== "user" && role !== "assistant") return false;
  if (typeof content === "string") return isBlank(content);
  if (!Array.isArray(content)) return false;
  for (let at = 0; at < content.length; at++) {
    if (saysSomething(content[at])) return false;
  }
  return true;
}

/** `block` as text blocks; none when it has nothing to say. */
function asText(block: unknown): JsonObject[] {
  const text = textOf(block);
  return isBlank(text) ? [] : [{ type: "text", text }];
}

/** A call in OpenClaw's spelling with a name and arguments of the right types; its id is left for the pairing to judge. */
function openclawCall(block: JsonObject): JsonObject {
  const call = readCall(block);
  const words = textOf(call.name);
  const name = REPLAYED_NAME.test(words) ? words : words.replace(/[^A-Za-z0-9_:.-]/g, "_").slice(0, 64);
  const shaped: JsonObject = { type: "toolCall", id: call.id, name: isBlank(words) ? "unknown_tool" : name, arguments: toArguments(call.arguments) };
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
  if (isHalfSynthetic(result)) dropSyntheticPart(result);
  return result;
}

/** The role a message is to have: foreign names for the three roles are understood, anything else is a user's text. */
function knownRole(role: unknown): "user" | "assistant" | "toolResult" {
  if (role === "assistant" || role === "model" || role === "ai") return "assistant";
  return isResultRole(role) ? "toolResult" : "user";
}

/**
 * The message as messages of known roles whose blocks are all of known types, in which nothing readable is lost: the message
 * itself when it is so already, none when there is nothing in it. An unknown block becomes text; with spelling `openclaw`
 * results inside a message become messages right behind it.
 *
 * Anything at all may be given. `note` is told of every change. Issue 2; shapes from facts on corruption, classes G to K.
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
  const role = knownRole(message.role);
  if (role !== message.role || (role !== "user" && !Array.isArray(message.content))) note("foreign_block", -1);
  return role === "toolResult" ? shapeResult(message, spelling, note) : shapeTurn(message, role, spelling, note);
}

function shapeResult(message: Message, spelling: Spelling, note: Note): Message[] {
  const content = readResult(message).content;
  const blocks = resultContent(content, spelling);
  if (Array.isArray(content)) noteForeign(content, "toolResult", spelling, note);
  const result: Message = { ...message, role: "toolResult", content: blocks };
  if (spelling === "openclaw" && isHalfSynthetic(result)) {
    note("foreign_block", -1);
    dropSyntheticPart(result);
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
  const blocks: unknown[] = Array.isArray(content) ? content : content === undefined || content === null ? [] : [content];
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

/** Thinking with a text is kept as thinking (an unusable signature is taken off); thinking of another type is kept as text. */
function shapeThinking(block: JsonObject): JsonObject[] {
  const { thinking, thinkingSignature, ...rest } = block;
  const signed = typeof thinkingSignature === "string" ? { thinkingSignature } : {};
  if (typeof thinking === "string") return [{ ...rest, thinking, ...signed }];
  if ((thinking === undefined || thinking === null) && "thinkingSignature" in signed) return [{ ...rest, thinking: "", ...signed }];
  return asText(thinking);
}

/** True when the turn failed (and is left out of requests) but holds calls, whole or in part. */
export function isFailedTurnWithCalls(message: Message): boolean {
  if (message.role !== "assistant" || !isFailedTurn(message) || !Array.isArray(message.content)) return false;
  return message.content.some(isCallBlock);
}
