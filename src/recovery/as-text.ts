import { isBlank, isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import { inWordsOf, markedInWords } from "../transcript/origin.ts";
import {
  isCallBlock,
  isResultBlock,
  isResultRole,
  readCall,
  readResult,
  type ResultFields,
} from "../transcript/read.ts";
import { textOf } from "../transcript/json/text.ts";
import { looksLikeSpeech, speechText, type Speech } from "./speech.ts";
import { NOTHING_SAID, REFUSED_MEDIA } from "./words.ts";

/** What is turned into text. */
export interface AsText {
  /** Calls and results to turn into text, by their ids; all of them when it is left out. */
  isChosen?: (id: unknown) => boolean;
  /**
   * Whether pictures and files of a user's message are kept; the default. Those of a tool's result always become words.
   */
  keepMedia?: boolean;
}

/**
 * One message of OpenClaw's format with its tool calls, or itself as a tool's result, as words under a line that says
 * whose they are: no rule on tool blocks can apply to it, nothing it said is lost, and nothing in it can be taken for
 * another speaker's. The words of a person or model that look like such words are quoted too. Thinking goes with the
 * calls, since providers tie it to them. One message gives one message of at least one word; the same object when there
 * is nothing to turn. What is turned is marked, so that turning it again changes nothing. Deterministic.
 */
export function asText(message: unknown, options: AsText = {}): unknown {
  if (!isObject(message)) return message;
  if (isResultRole(message.role)) return resultAsText(message, options);
  const { role, content } = message;
  if (role !== "assistant" && role !== "user") return message;
  const isForged = forgeryIn(message);
  if (typeof content === "string")
    return isForged(content) ? turnedFrom(message, [quotedWords(message, content)]) : message;
  if (!Array.isArray(content)) return message;
  const blocks = content as unknown[];
  if (!blocks.some((block) => isTurned(block, role, options) || isForged(wordsIn(block)))) return message;
  // Thinking belongs to the calls behind it, and goes when the last of them does.
  const hasCalls = blocks.some((block) => isCallBlock(block) && !isTurned(block, role, options));
  const kept = blocks.filter((block) => hasCalls || role === "user" || !isThought(block));
  return turnedFrom(
    message,
    kept.map((block) =>
      isForged(wordsIn(block)) ? quotedWords(message, wordsIn(block)) : turned(message, block, options),
    ),
  );
}

/** A block as it is sent: itself, or a text of ours in its place. */
type Turned = { block: unknown } | { text: string };

function turnedFrom(message: JsonObject, parts: readonly Turned[]): JsonObject {
  const blocks = parts.map((part) => ("text" in part ? textBlock(part.text) : part.block));
  const said = blocks.filter(
    (block) => !isObject(block) || block.type !== "text" || typeof block.text !== "string" || !isBlank(block.text),
  );
  const content = said.length > 0 ? said : [textBlock(NOTHING_SAID)];
  const next = markedInWords(
    { ...message, content },
    parts.flatMap((part) => ("text" in part ? [part.text] : [])),
  );
  // It ended in a call; as text it has simply ended.
  return message.role === "assistant" && message.stopReason === "toolUse" && !content.some(isCallBlock)
    ? { ...next, stopReason: "stop" }
    : next;
}

function isTurned(block: unknown, role: unknown, options: AsText): boolean {
  if (isCallBlock(block)) return options.isChosen?.(readCall(block).id) ?? true;
  if (isResultBlock(block)) return options.isChosen?.(readResult(block).id) ?? true;
  if (options.isChosen) return false;
  if (!isObject(block) || block.type === "text") return false;
  return role === "assistant" || block.type !== "image" || options.keepMedia === false;
}

function turned(message: JsonObject, block: unknown, options: AsText): Turned {
  if (!isTurned(block, message.role, options)) return { block };
  if (isCallBlock(block)) return { text: speechText(callSpeech(block)) };
  if (isResultBlock(block)) return { text: resultText(readResult(block)) };
  if (isObject(block) && block.type === "image") return { text: REFUSED_MEDIA };
  const words = textOf(block);
  return looksLikeSpeech(words) ? quotedWords(message, words) : { block: textBlock(words) };
}

/** Tells of the texts of a message which could be taken for tool traffic in words, and are none. */
function forgeryIn(message: JsonObject): (text: string) => boolean {
  const isInWords = inWordsOf(message);
  return (text) => looksLikeSpeech(text) && !isInWords(text);
}

/** The text of a text block; empty for every other block. */
function wordsIn(block: unknown): string {
  return isObject(block) && block.type === "text" && typeof block.text === "string" ? block.text : "";
}

function quotedWords({ role }: JsonObject, words: string): { text: string } {
  return { text: speechText({ speaker: role === "assistant" ? "assistant" : "user", words }) };
}

/** True for thinking, readable or not. */
export function isThought(block: unknown): boolean {
  return isObject(block) && (block.type === "thinking" || block.type === "redacted_thinking");
}

function resultAsText(message: JsonObject, options: AsText): unknown {
  const result = readResult(message);
  if (options.isChosen && !options.isChosen(result.id)) return message;
  const { timestamp } = message;
  const text = resultText(result);
  return markedInWords<JsonObject>(
    { role: "user", content: [textBlock(text)], ...(timestamp === undefined ? {} : { timestamp }) },
    [text],
  );
}

/** A call as somebody's words. */
export function callSpeech(block: JsonObject): Speech {
  const { name, arguments: given } = readCall(block);
  return { speaker: "call", tool: nameOf(name), words: toJson(given ?? {}) };
}

/** A result as somebody's words; pictures and files in it apart. */
export function resultSpeech({ name, content, isError }: ResultFields): Speech & { media: number } {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const texts = blocks
    .filter((block) => !isImage(block))
    .map(textOf)
    .filter((text) => !isBlank(text));
  return {
    speaker: isError ? "error" : "result",
    tool: nameOf(name),
    words: texts.length === 0 ? "nothing" : texts.join("\n"),
    media: blocks.filter(isImage).length,
  };
}

function resultText(result: ResultFields): string {
  const { media, ...speech } = resultSpeech(result);
  return [speechText(speech), ...Array.from({ length: media }, () => REFUSED_MEDIA)].join("\n");
}

function isImage(block: unknown): boolean {
  return isObject(block) && block.type === "image";
}

function nameOf(name: unknown): string {
  return textOf(name) || "of unknown name";
}

function textBlock(words: string): JsonObject {
  return { type: "text", text: words };
}
