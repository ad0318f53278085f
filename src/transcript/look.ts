/** What one look at a message tells of it, as flags, and whether a whole history looks valid. Allocates nothing. */
import { isDeeperThan, MAX_DEPTH, MAX_ITEMS, MAX_MESSAGE_DEPTH } from "./json/depth.ts";
import { SYNTHETIC_MARK } from "./invented.ts";
import { isBlank, isObject, isWord, type JsonObject } from "./json/json.ts";
import type { Spelling } from "./options.ts";
import { isCallBlock, isCutOff, isFailedTurn, isResultBlock, isUsableId, readCall, readResult } from "./read.ts";
import { MISSING_RESULT_TEXT } from "./json/text.ts";

/** A message from {@link shapeMessage}: an object with a known role. */
export type Message = JsonObject;

/** The message or block is valid as it is, but may say nothing. The other flags come with this one only. */
const SHAPELY = 1;
/** The message has content that could be sent. */
export const SAYS = 2;
const CALLS = 4;
const RESULTS = 8;

/**
 * Returns the flags of a message; 0 for one that {@link shapeMessage} has to change. Never throws. The flags hold for
 * this call and spelling only: a message is an object of others, which can change.
 */
export function look(message: unknown, spelling: Spelling): number {
  try {
    return isObject(message) ? flagMessage(message, spelling) : 0;
  } catch {
    // A getter throws.
    return 0;
  }
}

function flagMessage(message: Message, spelling: Spelling): number {
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "toolResult")
    return isCustomMessage(message) && !isDeeperThan(message, MAX_MESSAGE_DEPTH) ? SHAPELY | SAYS : 0;
  if (role === "assistant" && Array.isArray(message.tool_calls) && message.tool_calls.length > 0) return 0;
  for (const key in message) {
    // The content is walked below.
    if (key !== "content" && !isShallow(message[key], MAX_MESSAGE_DEPTH - 1)) return 0;
  }
  if (!Array.isArray(content)) {
    if (role !== "user" || typeof content !== "string") return 0;
    return isBlank(content) ? SHAPELY : SHAPELY | SAYS;
  }
  if (role === "toolResult" && spelling === "openclaw" && (!hasOwnResultId(message) || isHalfSynthetic(message)))
    return 0;
  if (content.length > MAX_ITEMS) return 0;
  let flags = role === "toolResult" ? SHAPELY | SAYS | RESULTS : SHAPELY;
  for (let at = 0; at < content.length; at++) {
    const block: unknown = content[at];
    const told = lookAtBlock(block, role, spelling);
    if (told === 0) return 0;
    // A clean call has shallow arguments in its own spelling.
    const walked = (block as JsonObject).type === "toolCall" ? "arguments" : "";
    for (const key in block as JsonObject)
      if (key !== walked && !isShallow((block as JsonObject)[key], MAX_DEPTH + 1)) return 0;
    flags |= told;
  }
  return flags;
}

/** True when the value, inside of a message, nests at most so deeply. */
function isShallow(value: unknown, limit: number): boolean {
  return typeof value === "object" ? value === null || !isDeeperThan(value, limit) : typeof value !== "bigint";
}

/** True when `block` is valid as it is in a message of this role (`user`, `assistant` or `toolResult`). */
export function isCleanBlock(block: unknown, role: string, spelling: Spelling): boolean {
  return lookAtBlock(block, role, spelling) !== 0;
}

function lookAtBlock(block: unknown, role: string, spelling: Spelling): number {
  if (!isObject(block)) return 0;
  if (block.type === "text" && typeof block.text === "string") return isBlank(block.text) ? SHAPELY : SHAPELY | SAYS;
  if (role === "assistant") {
    if (isCleanCall(block, spelling)) return SHAPELY | SAYS | CALLS;
    return isCleanThinking(block) ? (saysSomething(block) ? SHAPELY | SAYS : SHAPELY) : 0;
  }
  if (isCleanImage(block, spelling)) return SHAPELY | SAYS;
  return role === "user" && spelling === "keep" && isResultBlock(block) ? SHAPELY | SAYS | RESULTS : 0;
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

/** True for a tool name that OpenClaw 2026.9 replays; calls of other names are dropped together with their results. */
export function isReplayedName(name: unknown): boolean {
  return isWord(name, 64, "_-.:");
}

function isCleanName(name: unknown, spelling: Spelling): boolean {
  return spelling === "keep" ? typeof name === "string" && !isBlank(name) : isReplayedName(name);
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

/** Roles of messages with their own form of content, which OpenClaw itself turns into text for the model. */
const CUSTOM_ROLES = new Set(["bashExecution", "custom", "branchSummary", "compactionSummary", "hookMessage"]);

/** True for a message that OpenClaw itself turns into text: its content is neither checked nor repaired. */
export function isCustomMessage(message: Message): boolean {
  return CUSTOM_ROLES.has(message.role as string);
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

/** True for a block with OpenClaw's text for a missing result. */
export function isSyntheticBlock(block: unknown): block is JsonObject & { text: string } {
  return isObject(block) && typeof block.text === "string" && block.text.trim() === MISSING_RESULT_TEXT;
}

/** True for a user or assistant message, shaped already, without any content that could be sent. */
export function isEmptyMessage({ role, content }: Message): boolean {
  if (role !== "user" && role !== "assistant") return false;
  if (typeof content === "string") return isBlank(content);
  return Array.isArray(content) && !content.some(saysSomething);
}

/** False for blank text, and for thinking without text and signature. */
function saysSomething(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block.type === "text") return !isBlank(block.text as string);
  if (block.type !== "thinking") return true;
  const { thinking, thinkingSignature: signature } = block;
  return !isBlank(thinking as string) || (typeof signature === "string" && !isBlank(signature));
}

/** Ids of the history being checked; kept between calls so that a valid history costs almost no allocation. */
const seen = new Set<string>();

/**
 * True when {@link analyse} would find no violation. The fast path of every valid request: one pass, nothing is built.
 * Returns false for some valid histories too (results far from the order of many calls); the caller then analyses.
 */
export function looksHealthy(history: readonly unknown[], spelling: Spelling): boolean {
  return looks(history, spelling, false, 0);
}

/**
 * True where nothing is to be repaired in OpenClaw's own spelling, from the message at `from` on, for a history whose
 * results also have the names of their calls.
 */
export function looksNamed(history: readonly unknown[], from = 0): boolean {
  return looks(history, "openclaw", true, from);
}

function looks(history: readonly unknown[], spelling: Spelling, isNamed: boolean, from: number): boolean {
  try {
    for (let index = from; index < history.length; index++) {
      const told = look(history[index], spelling);
      if (!(told & SAYS) || told & RESULTS) return false;
      if (!(told & CALLS)) continue;
      const answers = countAnswers(history, index, spelling, isNamed);
      if (answers < 0) return false;
      index += answers;
    }
    return true;
  } catch {
    // A part of it throws.
    return false;
  } finally {
    if (seen.size > 0) seen.clear();
  }
}

/**
 * Results of parallel calls may be in any order; with more calls than this, only results in the order of their calls
 * are recognised.
 */
const MAX_UNORDERED = 64;

/** Returns how many result messages behind the assistant message at `index` answer its calls; -1 when they do not. */
function countAnswers(history: readonly unknown[], index: number, spelling: Spelling, isNamed: boolean): number {
  const message = history[index] as Message;
  const content = message.content as unknown[];
  let calls = 0;
  for (let at = 0; at < content.length; at++) {
    const block = content[at];
    if ((block as { type?: unknown }).type === "text" || !isCallBlock(block)) continue;
    if (isFailedTurn(message) || isCutOff(block)) return -1;
    const { id } = block.type === "toolCall" ? block : readCall(block);
    if (!isUsableId(id) || seen.has(id)) return -1;
    seen.add(id);
    calls++;
    const result = answersCall(history[index + calls], id)
      ? history[index + calls]
      : answerNearby(content, history, index, id);
    if (result === undefined || (isNamed && !isNamedAs(result as Message, id, block.name))) return -1;
  }
  // Each call has its result among the next messages; as many results as calls means that none is left over.
  for (let at = 1; at <= calls; at++) {
    const result = history[index + at];
    if (!(look(result, spelling) & RESULTS) || (result as Message).role !== "toolResult") return -1;
  }
  return calls;
}

/** Whether a result names this call, by the fields that OpenClaw reads: an id in another one is brought there first. */
function isNamedAs(result: Message, id: string, name: unknown): boolean {
  return result.toolCallId === id && result.toolName === name;
}

function answersCall(message: unknown, id: string): boolean {
  if (typeof message !== "object" || message === null) return false;
  const result = message as Message;
  return result.role === "toolResult" && (result.toolCallId === id || readResult(result).id === id);
}

function answerNearby(content: readonly unknown[], history: readonly unknown[], index: number, id: string): unknown {
  const calls = content.filter(isCallBlock).length;
  if (calls > MAX_UNORDERED) return undefined;
  for (let at = 1; at <= calls; at++) {
    if (answersCall(history[index + at], id)) return history[index + at];
  }
  return undefined;
}
