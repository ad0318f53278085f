import { quotedInline } from "../base/quoted.ts";
import { isDeeperThan, MAX_DEPTH, MAX_ITEMS, MAX_MESSAGE_DEPTH } from "./json/depth.ts";
import { SYNTHETIC_MARK } from "./invented.ts";
import { isBlank, isObject, type JsonObject } from "./json/json.ts";
import { isCallBlock, isResultBlock, readCall, readResult } from "./read.ts";
import { MISSING_RESULT_TEXT } from "./json/text.ts";

/** A message from {@link shapeMessage}: an object with a known role. */
export type Message = JsonObject;

/**
 * `keep`: calls and results stay in their stored spelling. `openclaw`: they become `toolCall` blocks and `toolResult`
 * messages, the only spelling that OpenClaw's adapters send.
 */
export type Spelling = "keep" | "openclaw";

/** Throws a TypeError, which names the function and the spellings, for a value that is none. */
export function assertSpelling(name: string, spelling: unknown): void {
  if (spelling === "keep" || spelling === "openclaw") return;
  const found = typeof spelling === "string" ? JSON.stringify(spelling) : spelling === null ? "null" : typeof spelling;
  throw new TypeError(`${name}() expects the spelling "keep" or "openclaw", found ${found}.`);
}

/** Roles of messages with their own form of content, which OpenClaw itself turns into text for the model. */
const CUSTOM_ROLES = new Set(["bashExecution", "custom", "branchSummary", "compactionSummary", "hookMessage"]);

/** True for a message that OpenClaw itself turns into text: its content is neither checked nor repaired. */
export function isCustomMessage(message: Message): boolean {
  return CUSTOM_ROLES.has(message.role as string);
}

function isCleanText(block: JsonObject): boolean {
  return block.type === "text" && typeof block.text === "string";
}

/** OpenClaw's media blocks; 2026.9 reads video and audio too. */
const MEDIA_TYPES = new Set(["image", "video", "audio"]);

function isCleanImage(block: JsonObject, spelling: Spelling): boolean {
  if (!MEDIA_TYPES.has(block.type as string)) return false;
  if (typeof block.data === "string" && typeof block.mimeType === "string")
    return block.data !== "" && block.mimeType !== "";
  return spelling === "keep" && isObject(block.source);
}

function isCleanThinking(block: JsonObject): boolean {
  if (block.type !== "thinking" || typeof block.thinking !== "string") return false;
  return block.thinkingSignature === undefined || typeof block.thinkingSignature === "string";
}

/** Tool names that OpenClaw 2026.9 replays; calls of other names are dropped together with their results. */
export const REPLAYED_NAME = /^[A-Za-z0-9_:.-]{1,64}$/;

function isCleanName(name: unknown, spelling: Spelling): boolean {
  return typeof name === "string" && (spelling === "keep" ? !isBlank(name) : isReplayedName(name));
}

/** The same as {@link REPLAYED_NAME}, in a fraction of its time. */
function isReplayedName(name: string): boolean {
  const { length } = name;
  if (length === 0 || length > 64) return false;
  for (let at = 0; at < length; at++) {
    const code = name.charCodeAt(at);
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    // Digits and the colon behind them, then - . _
    if (!isLetter && !(code >= 0x30 && code <= 0x3a) && code !== 0x2d && code !== 0x2e && code !== 0x5f) return false;
  }
  return true;
}

function isCleanCall(block: JsonObject, spelling: Spelling): boolean {
  if (block.type === "toolCall") {
    return (
      (spelling === "keep" || hasOwnId(block.id, block, readCall)) &&
      isCleanName(block.name, spelling) &&
      isObject(block.arguments) &&
      !isDeeperThan(block.arguments, MAX_DEPTH)
    );
  }
  if (spelling === "openclaw" || !isCallBlock(block)) return false;
  const call = readCall(block);
  return isCleanName(call.name, spelling) && !isDeeperThan(call.arguments, MAX_DEPTH);
}

/** True when `block` is valid as it is in a message of this role (`user`, `assistant` or `toolResult`). */
export function isCleanBlock(block: unknown, role: string, spelling: Spelling): boolean {
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

/** False for blank text, and for thinking without text and signature. */
function saysSomething(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block.type === "text") return !isBlank(block.text as string);
  if (block.type === "thinking")
    return (
      !isBlank(block.thinking as string) ||
      (typeof block.thinkingSignature === "string" && !isBlank(block.thinkingSignature))
    );
  return true;
}

/** True when a message nests too deeply to be stored or sent. */
export function isTooDeep(message: unknown): boolean {
  return isDeeperThan(message, MAX_MESSAGE_DEPTH);
}

/** True when {@link shapeMessage} would not change the message, unless it is empty. Allocates nothing. */
export function isShapely(message: unknown, spelling: Spelling): message is Message {
  if (!isObject(message) || isTooDeep(message)) return false;
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "toolResult") return isCustomMessage(message);
  if (!Array.isArray(content)) return role === "user" && typeof content === "string";
  if (role === "assistant" && Array.isArray(message.tool_calls) && message.tool_calls.length > 0) return false;
  if (role === "toolResult" && spelling === "openclaw" && (!hasOwnResultId(message) || isHalfSynthetic(message)))
    return false;
  for (let at = 0; at < content.length; at++) {
    if (!isCleanBlock(content[at], role, spelling)) return false;
  }
  return true;
}

/**
 * True when {@link isShapely} and the message is not empty, in one walk; also false for some messages in rare forms.
 * Throws what a getter of the message throws.
 */
export function isShapelyAndSays(message: unknown, spelling: Spelling): message is Message {
  if (!isObject(message)) return false;
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "toolResult") return isShapely(message, spelling);
  // A message with tool_calls is in another form.
  if (message.tool_calls !== undefined) return false;
  for (const key in message) {
    // The content is walked below.
    if (key !== "content" && !isShallow(message[key], MAX_MESSAGE_DEPTH - 1)) return false;
  }
  if (!Array.isArray(content)) return role === "user" && typeof content === "string" && !isBlank(content);
  if (role === "toolResult" && spelling === "openclaw" && (!hasOwnResultId(message) || isHalfSynthetic(message)))
    return false;
  if (content.length > MAX_ITEMS) return false;
  let says = role === "toolResult";
  for (let at = 0; at < content.length; at++) {
    const block: unknown = content[at];
    if (!isObject(block)) return false;
    const isText = isCleanText(block);
    if (!isText && !isCleanBlock(block, role, spelling)) return false;
    // A clean call has shallow arguments in its own spelling.
    const walked = block.type === "toolCall" ? "arguments" : "";
    for (const key in block) if (key !== walked && !isShallow(block[key], MAX_DEPTH + 1)) return false;
    says ||= isText ? !isBlank(block.text as string) : saysSomething(block);
  }
  return says;
}

/** True when the value, inside of a message, nests at most so deeply. */
function isShallow(value: unknown, limit: number): boolean {
  return typeof value === "object" ? value === null || !isDeeperThan(value, limit) : typeof value !== "bigint";
}

/** False when a result's id is in a field that OpenClaw does not read. */
export function hasOwnResultId(message: Message): boolean {
  return hasOwnId(message.toolCallId, message, readResult);
}

/** True when `id`, from the field that OpenClaw reads, is one, or when no other field has one. */
function hasOwnId(id: unknown, source: JsonObject, read: (source: JsonObject) => { readonly id: unknown }): boolean {
  return (id !== undefined && id !== null) || read(source).id === undefined;
}

/**
 * True for a result that OpenClaw 2026.9 would drop as invented, because of a mark or one of its blocks, although it
 * has other content too, or details as only a tool returns.
 */
export function isHalfSynthetic({ content, details, isError }: Message): boolean {
  const isMarked = isObject(details) && details[SYNTHETIC_MARK] === true;
  if (!isMarked && isError !== true) return false;
  const blocks = content as unknown[];
  const saysMore = blocks.some((block) => !isSyntheticBlock(block));
  if (isMarked) return saysMore;
  return (saysMore || isObject(details)) && blocks.some(isSyntheticBlock);
}

/**
 * Changes such a result in place so that OpenClaw does not drop it: its content stays, and OpenClaw's own text in it is
 * quoted.
 */
export function keepHalfSynthetic(result: Message): void {
  result.content = (result.content as unknown[]).map((block) =>
    isSyntheticBlock(block) ? { ...block, text: quotedInline(block.text) } : block,
  );
  if (isObject(result.details)) result.details = { ...result.details, [SYNTHETIC_MARK]: undefined };
}

function isSyntheticBlock(block: unknown): block is JsonObject & { text: string } {
  return isObject(block) && typeof block.text === "string" && block.text.trim() === MISSING_RESULT_TEXT;
}

/** True for a user or assistant message, shaped already, without any content that could be sent. */
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
