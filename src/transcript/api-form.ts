/**
 * Histories in the form of OpenAI Chat Completions and of Anthropic Messages: read into the stored form, in which the
 * rules are, and written back. What the rules do not change stays the same object.
 */
import { addAll } from "./json/list.ts";
import { isBlank, isObject, toArguments, type JsonObject } from "./json/json.ts";
import { textOf } from "./json/text.ts";
import { ORIGIN_FIELD } from "./origin.ts";
import { isCallBlock, isResultBlock } from "./read.ts";
import { SERVER_BLOCKS } from "./server-blocks.ts";

/** The message, block or call that a message or block of the stored form was read from. */
const SOURCE: unique symbol = Symbol("source");
type Read = JsonObject & { [SOURCE]?: JsonObject };

const ROLES = new Set<unknown>(["system", "developer", "user", "assistant", "tool"]);
/** Fields of OpenClaw's messages: a history with them is a stored one, by whatever client it was written. */
const STORED_FIELDS = ["api", "provider", "stopReason", "toolCallId", "details"];

/** Blocks and parts that an API takes as they are and OpenClaw does not store, by the role of their message. */
const NATIVE: Readonly<Record<string, ReadonlySet<unknown>>> = {
  // Of chat servers, then of Anthropic.
  user: new Set(["image_url", "input_audio", "file", "video_url", "document", "search_result", "container_upload"]),
  assistant: new Set<unknown>(["refusal", ...SERVER_BLOCKS]),
  tool: new Set(["image_url", "file"]),
};

/** A history in the stored form that was read from one in an API's form. */
export interface ReadHistory {
  /** The instructions before the history, to which no rule applies. */
  readonly instructions: readonly unknown[];
  /** The messages behind them, as they were given and as they were read. */
  readonly given: readonly unknown[];
  readonly messages: readonly unknown[];
}

/**
 * Reads a history in an API's form; undefined for any other: one in the stored form, one that mixes forms, and one that
 * is the same in both.
 */
export function readApiForm(history: readonly unknown[]): ReadHistory | undefined {
  if (!isApiForm(history)) return undefined;
  const instructions = history.slice(0, instructionsOf(history));
  const given = history.slice(instructions.length);
  return { instructions, given, messages: given.map((message) => readMessage(message as JsonObject)) };
}

/** Returns how many instructions stand before the first message of a history. */
export function instructionsOf(history: readonly unknown[]): number {
  const first = history.findIndex((message) => !isObject(message) || !isInstruction(message));
  return first < 0 ? history.length : first;
}

function isApiForm(history: readonly unknown[]): boolean {
  let isForeign = false;
  let isChat = false;
  let hasTime = false;
  for (let at = 0; at < history.length; at++) {
    const message = history[at];
    if (!isObject(message) || !ROLES.has(message.role)) return false;
    const { role, content } = message;
    if (STORED_FIELDS.some((name) => message[name] !== undefined)) return false;
    if (role === "assistant" && Array.isArray(content) && content.some(isStoredCall)) return false;
    hasTime ||= message.timestamp !== undefined;
    isChat ||= role === "tool" || isInstruction(message) || Array.isArray(message.tool_calls);
    isForeign ||= role === "assistant" && !Array.isArray(content);
    isForeign ||= Array.isArray(content) && content.some((block) => isNative(block, role as string));
  }
  // OpenClaw gives every message a time; messages as only chat servers have them are theirs nevertheless.
  return isChat || (isForeign && !hasTime);
}

function isStoredCall(block: unknown): boolean {
  return isObject(block) && block.type === "toolCall";
}

function isInstruction({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

function isNative(block: unknown, role: string): boolean {
  return isObject(block) && NATIVE[role]?.has(block.type) === true;
}

function readMessage(message: JsonObject): unknown {
  const { role, content } = message;
  // A message of a role that OpenClaw puts into words itself, so that no rule applies to it.
  if (isInstruction(message)) return { role: "custom", content: "", [SOURCE]: message };
  if (role === "user") {
    if (!Array.isArray(content) || !content.some((block) => isNative(block, role))) return message;
    return { ...message, content: content.map((block: unknown) => readBlock(block, role)), [SOURCE]: message };
  }
  if (role === "tool") {
    const { tool_call_id: toolCallId, ...rest } = message;
    return { ...rest, role: "toolResult", toolCallId, content: readContent(content, "tool"), [SOURCE]: message };
  }
  const { tool_calls: calls, ...rest } = message;
  const isSame = Array.isArray(content) && !content.some((block) => isNative(block, "assistant"));
  if (isSame && !Array.isArray(calls)) return message;
  const blocks = readContent(content, "assistant");
  if (Array.isArray(calls)) addAll(blocks, calls.map(readCall));
  return { ...rest, content: blocks, [SOURCE]: message };
}

function readContent(content: unknown, role: string): unknown[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (Array.isArray(content) ? content : [content]).map((block: unknown) => readBlock(block, role));
}

/** Returns a stand-in, which is valid in a message of this role, for a block that only the API knows. */
function readBlock(block: unknown, role: string): unknown {
  if (!isNative(block, role)) return block;
  return role === "assistant"
    ? { type: "thinking", thinking: "native", [SOURCE]: block }
    : { type: "image", data: "native", mimeType: "native", [SOURCE]: block };
}

function readCall(call: unknown): unknown {
  if (!isObject(call)) return { type: "text", text: textOf(call) };
  const called = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : call;
  const input = called.arguments ?? called.input;
  return { type: "toolCall", id: call.id, name: called.name, arguments: toArguments(input), [SOURCE]: call };
}

/** Writes what a repair left of {@link ReadHistory.messages} in the form that they were read from. */
export function writeApiForm(read: ReadHistory, messages: readonly unknown[]): unknown[] {
  const given = new Map(read.messages.map((message, at) => [message, read.given[at]]));
  return [...read.instructions, ...messages.map((message) => given.get(message) ?? writeMessage(message as Read))];
}

/** Fields of a message of the repair that no message of an API has. */
const STORED_ONLY = new Set(["isError", "toolName", "toolCallId", "stopReason", ORIGIN_FIELD]);

function writeMessage(message: Read): unknown {
  const { role, content, toolCallId, [SOURCE]: source } = message;
  const fields = Object.fromEntries(Object.entries(message).filter(([name]) => !STORED_ONLY.has(name)));
  if (role === "toolResult") {
    const said = source && sameBlocks(content, readContent(source.content, "tool")) ? source.content : written(content);
    return { ...fields, role: "tool", tool_call_id: toolCallId, content: said ?? "" };
  }
  const blocks = Array.isArray(content) ? (content as Read[]) : undefined;
  if (!blocks || (role === "user" && !source)) return message;
  const calls = blocks.filter(isOwnCall);
  const rest = blocks.filter((block) => !isOwnCall(block));
  const wasText = source ? !Array.isArray(source.content) : calls.length > 0;
  return {
    ...fields,
    content: role === "assistant" && wasText ? written(rest) : rest.map((block) => block[SOURCE] ?? block),
    ...(calls.length > 0 && { tool_calls: calls.map(writeCall) }),
  };
}

/** True for a call that was read from `tool_calls`, or stands for one. */
function isOwnCall(block: Read): boolean {
  return block.type === "toolCall";
}

/** Returns texts as one text, null for none; a list where a block is no text. */
function written(content: unknown): unknown {
  const blocks = content as Read[];
  if (blocks.some((block) => typeof block.text !== "string" || isCallBlock(block) || isResultBlock(block)))
    return blocks.map((block) => block[SOURCE] ?? block);
  const texts = blocks.map(({ text }) => text as string).filter((text) => !isBlank(text));
  return texts.length > 0 ? texts.join("\n") : null;
}

function sameBlocks(content: unknown, given: readonly unknown[]): boolean {
  return (
    Array.isArray(content) &&
    content.length === given.length &&
    content.every((block, at) => identityOf(block) === identityOf(given[at]))
  );
}

/** Returns what two readings of the same block have in common. */
function identityOf(block: unknown): unknown {
  return isObject(block) ? ((block as Read)[SOURCE] ?? block.text ?? block) : block;
}

function writeCall({ id, name, arguments: input, [SOURCE]: call }: Read): JsonObject {
  const { function: called, custom } = call ?? {};
  const field = isObject(custom) ? custom : isObject(called) ? called : undefined;
  if (call && field?.name === name && call.id === id && typeof call.type === "string") return call;
  if (isObject(custom)) return { ...call, id, custom: { ...custom, name } };
  const words = typeof field?.arguments === "string" ? field.arguments : JSON.stringify(input);
  return { ...call, id, type: "function", function: { ...field, name, arguments: words } };
}
