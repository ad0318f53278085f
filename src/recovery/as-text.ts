import { isBlank, isObject, toJson, type JsonObject } from "../transcript/json.ts";
import { isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "../transcript/read.ts";
import { textOf } from "../transcript/text.ts";
import { NOTHING_SAID, REFUSED_MEDIA } from "./words.ts";

/** What is turned into text. */
export interface AsText {
  /** Calls and results to turn into text, by their ids; all of them when it is left out. */
  isChosen?: (id: unknown) => boolean;
  /** Whether pictures and files of a user's message are kept; the default. Those of a tool's result always become words. */
  keepMedia?: boolean;
}

/**
 * One message of OpenClaw's format with its tool calls, or itself as a tool's result, as words in the past tense: no rule on tool
 * blocks can apply to it, and nothing it said is lost. Thinking goes with the calls, since providers tie it to them. One message
 * gives one message of at least one word; the same object when there is nothing to turn. Deterministic. Issue 4, rung 3.
 */
export function asText(message: unknown, options: AsText = {}): unknown {
  if (!isObject(message)) return message;
  if (isResultRole(message.role)) return resultAsText(message, options);
  if (message.role !== "assistant" && message.role !== "user") return message;
  if (!Array.isArray(message.content)) return message;
  const content = message.content as unknown[];
  if (!content.some((block) => isTurned(block, message.role, options))) return message;
  // Thinking belongs to the calls behind it, and goes when the last of them does.
  const thinks = content.some((block) => isCallBlock(block) && !isTurned(block, message.role, options));
  const texts = content.flatMap((block) => (!thinks && isThought(block) && message.role === "assistant" ? [] : blockAsText(block, message.role, options)));
  const said = texts.filter((block) => !isObject(block) || block.type !== "text" || typeof block.text !== "string" || !isBlank(block.text));
  const next = { ...message, content: said.length > 0 ? said : [{ type: "text", text: NOTHING_SAID }] };
  // It ended in a call; as text it has simply ended.
  return message.role === "assistant" && message.stopReason === "toolUse" && !said.some(isCallBlock) ? { ...next, stopReason: "stop" } : next;
}

function isTurned(block: unknown, role: unknown, options: AsText): boolean {
  if (isCallBlock(block)) return options.isChosen?.(readCall(block).id) ?? true;
  if (isResultBlock(block)) return options.isChosen?.(readResult(block).id) ?? true;
  if (options.isChosen) return false;
  if (!isObject(block) || block.type === "text") return false;
  return role === "assistant" || block.type !== "image" || options.keepMedia === false;
}

function blockAsText(block: unknown, role: unknown, options: AsText): unknown[] {
  if (!isTurned(block, role, options)) return [block];
  if (isCallBlock(block)) return [text(callWords(block))];
  if (isResultBlock(block)) return [text(resultWords(readResult(block)))];
  if (isObject(block) && block.type === "image") return [text(REFUSED_MEDIA)];
  return [text(textOf(block))];
}

/** True for thinking, readable or not. */
export function isThought(block: unknown): boolean {
  return isObject(block) && (block.type === "thinking" || block.type === "redacted_thinking");
}

function resultAsText(message: JsonObject, options: AsText): unknown {
  const result = readResult(message);
  if (options.isChosen && !options.isChosen(result.id)) return message;
  const { timestamp } = message;
  return { role: "user", content: [text(resultWords(result))], ...(timestamp === undefined ? {} : { timestamp }) };
}

function callWords(block: JsonObject): string {
  const { name, arguments: given } = readCall(block);
  return `(The tool ${textOf(name) || "of unknown name"} was called with ${toJson(given ?? {})}.)`;
}

function resultWords({ name, content, isError }: { name: unknown; content: unknown; isError: boolean }): string {
  const words = Array.isArray(content) ? content.map(withoutMedia).filter((part) => !isBlank(part)).join("\n") : textOf(content);
  return `(The tool ${textOf(name) || "of unknown name"} ${isError ? "failed" : "returned"}: ${isBlank(words) ? "nothing" : words})`;
}

function withoutMedia(block: unknown): string {
  return isObject(block) && block.type === "image" ? REFUSED_MEDIA : textOf(block);
}

function text(words: string): JsonObject {
  return { type: "text", text: words };
}
