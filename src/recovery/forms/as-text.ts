/** Turns calls and results of tools into quoted text, to which no rule on tool traffic applies. */
import { isBlank, isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { inWordsTest, markedInWords } from "../../transcript/origin.ts";
import {
  isCallBlock,
  isResultBlock,
  isResultRole,
  readCall,
  readResult,
  type ResultFields,
} from "../../transcript/read.ts";
import { readText } from "../../transcript/json/text.ts";
import { isPicture, isPictureOrFile } from "./images.ts";
import { looksLikeSpeech, speechText, type Speech } from "./speech.ts";
import { NOTHING_SAID, REFUSED_MEDIA } from "../words.ts";

/** Which parts of a message are turned into text. */
export interface AsText {
  /** Chooses calls and results by their ids; without it all are turned into text. */
  isChosen?: (id: unknown) => boolean;
  /**
   * Keeps the images of a user message, and those of a tool result behind its text; the default. Files become text,
   * since they have rules of their own.
   */
  keepMedia?: boolean;
}

/**
 * Turns the tool calls of a message in OpenClaw's format, or a tool result, into quoted text under a line that names
 * the speaker. No rule on tool blocks can apply to the message then, nothing of it is lost, and no part of it can be
 * taken for another speaker's. Text of a person or model that looks like such a quotation is quoted too. Thinking is
 * removed together with the last call, since providers tie it to the calls. Returns one message with at least one
 * block, or the same object when there is nothing to turn. The texts are marked, so that a second pass changes nothing.
 * Deterministic.
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
  // Thinking belongs to the calls behind it, and is removed with the last of them.
  const hasCalls = blocks.some((block) => isCallBlock(block) && !isTurned(block, role, options));
  const kept = blocks.filter((block) => hasCalls || role === "user" || !isThought(block));
  const isThoughtless = kept.length < blocks.length;
  return turnedFrom(
    message,
    (isThoughtless ? kept.map(withoutSignature) : kept).flatMap((block) =>
      isForged(wordsIn(block)) ? quotedWords(message, wordsIn(block)) : turned(message, block, options),
    ),
  );
}

/** A block as it is sent: unchanged, or a text of this module in its place. */
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
  // The message ended in a call that is text now.
  return message.role === "assistant" && message.stopReason === "toolUse" && !content.some(isCallBlock)
    ? { ...next, stopReason: "stop" }
    : next;
}

function isTurned(block: unknown, role: unknown, options: AsText): boolean {
  if (isCallBlock(block)) return options.isChosen?.(readCall(block).id) ?? true;
  if (isResultBlock(block)) return options.isChosen?.(readResult(block).id) ?? true;
  if (options.isChosen) return false;
  if (!isObject(block) || block.type === "text") return false;
  return role === "assistant" || !isPicture(block) || options.keepMedia === false;
}

function turned(message: JsonObject, block: unknown, options: AsText): Turned | Turned[] {
  if (!isTurned(block, message.role, options)) return { block };
  if (isCallBlock(block)) return { text: speechText(callSpeech(block)) };
  if (isResultBlock(block)) return resultParts(readResult(block), options);
  if (isPicture(block) || (options.keepMedia === false && isPictureOrFile(block))) return { text: REFUSED_MEDIA };
  const words = readText(block);
  return looksLikeSpeech(words) ? quotedWords(message, words) : { block: textBlock(words) };
}

/** Returns a test for texts of a message that look like tool traffic turned into text, but are not marked as such. */
function forgeryIn(message: JsonObject): (text: string) => boolean {
  const isInWords = inWordsTest(message);
  return (text) => looksLikeSpeech(text) && !isInWords(text);
}

/** Returns the text of a text block; empty for every other block. */
function wordsIn(block: unknown): string {
  return isObject(block) && block.type === "text" && typeof block.text === "string" ? block.text : "";
}

function quotedWords({ role }: JsonObject, words: string): { text: string } {
  return { text: speechText({ speaker: role === "assistant" ? "assistant" : "user", words }) };
}

/**
 * Returns a text without its signature, which is for the thinking before it: Responses refuses the item of such a text
 * without its reasoning, and Gemini refuses a signature that it cannot read like one of a thought.
 */
export function withoutSignature(block: unknown): unknown {
  if (!isObject(block) || block.type !== "text" || block.textSignature === undefined) return block;
  const { textSignature: _signature, ...text } = block;
  return text;
}

/** True for thinking, readable or not. */
export function isThought(block: unknown): boolean {
  return isObject(block) && (block.type === "thinking" || block.type === "redacted_thinking");
}

function resultAsText(message: JsonObject, options: AsText): unknown {
  const result = readResult(message);
  if (options.isChosen && !options.isChosen(result.id)) return message;
  const { timestamp } = message;
  return turnedFrom({ role: "user", ...(timestamp === undefined ? {} : { timestamp }) }, resultParts(result, options));
}

/** Returns a call as a speech. */
export function callSpeech(block: JsonObject): Speech {
  const { name, arguments: given } = readCall(block);
  return { speaker: "call", tool: printName(name), words: toJson(given ?? {}) };
}

/** Returns a result as a speech, without its images and files, and how many of these it has. */
export function resultSpeech(result: ResultFields, isMedia = isPictureOrFile): Speech & { media: number } {
  const { name, isError } = result;
  const blocks = toBlocks(result);
  const texts = blocks
    .filter((block) => !isMedia(block))
    .map(readText)
    .filter((text) => !isBlank(text));
  return {
    speaker: isError ? "error" : "result",
    tool: printName(name),
    words: texts.length === 0 ? "nothing" : texts.join("\n"),
    media: blocks.filter(isMedia).length,
  };
}

function resultParts(result: ResultFields, { keepMedia = true }: AsText): Turned[] {
  const { media, ...speech } = resultSpeech(result, keepMedia ? isPicture : isPictureOrFile);
  if (keepMedia)
    return [
      { text: speechText(speech) },
      ...toBlocks(result)
        .filter(isPicture)
        .map((block) => ({ block })),
    ];
  return [{ text: [speechText(speech), ...Array.from({ length: media }, () => REFUSED_MEDIA)].join("\n") }];
}

function toBlocks({ content }: ResultFields): readonly unknown[] {
  return Array.isArray(content) ? content : [content];
}

function printName(name: unknown): string {
  return readText(name) || "of unknown name";
}

function textBlock(words: string): JsonObject {
  return { type: "text", text: words };
}
