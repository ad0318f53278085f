/**
 * Keeps the marks of Anthropic's prompt cache (`cache_control`) whose blocks are dropped or converted: without the mark
 * a request pays for all content before it.
 */
import { isBlank, isObject, type JsonObject } from "../../transcript/json/json.ts";
import { hasNewType } from "../../transcript/block-types.ts";
import { isCallBlock, isResultBlock } from "../../transcript/read.ts";
import { readText } from "../../transcript/json/text.ts";
import { textBlock, type Block } from "../model.ts";

/** How many marks a request may have. */
const MAX_MARKS = 4;

/**
 * Moves the mark of an empty block, which is dropped, to the block before; returns the same list where there is none.
 */
export function keepMarks(messages: readonly unknown[]): readonly unknown[] {
  if (!messages.some(hasDroppedMark)) return messages;
  const marked = [...messages];
  /** The place of the latest block that can have a mark. */
  let before: { at: number; index: number } | undefined;
  let moved = 0;
  marked.forEach((message, at) => {
    if (!isObject(message)) return;
    const { content } = message;
    if (typeof content === "string" && !isBlank(content)) before = { at, index: 0 };
    if (!Array.isArray(content)) return;
    content.forEach((block: unknown, index) => {
      if (isDropped(block)) {
        if (before && moved++ < MAX_MARKS)
          marked[before.at] = withMark(marked[before.at] as JsonObject, before.index, block.cache_control);
      } else if (canBeMarked(block)) before = { at, index };
    });
  });
  return marked;
}

function hasDroppedMark(message: unknown): boolean {
  return isObject(message) && Array.isArray(message.content) && message.content.some(isDropped);
}

/** True for a block with a mark and without content, which is not sent. */
function isDropped(block: unknown): block is JsonObject {
  return (
    isObject(block) &&
    isObject(block.cache_control) &&
    block.type !== "image" &&
    !hasNewType(block) &&
    !isCallBlock(block) &&
    !isResultBlock(block) &&
    isBlank(readText(unmarked(block)))
  );
}

function unmarked({ cache_control: _mark, ...rest }: JsonObject): JsonObject {
  return rest;
}

function canBeMarked(block: unknown): boolean {
  return (
    isObject(block) &&
    block.type !== "thinking" &&
    block.type !== "redacted_thinking" &&
    (block.type !== "text" || (typeof block.text === "string" && !isBlank(block.text)))
  );
}

/** Returns the message with the mark on that block; unchanged when the block has a mark already. */
function withMark(message: JsonObject, index: number, mark: unknown): JsonObject {
  if (typeof message.content === "string")
    return { ...message, content: [{ type: "text", text: message.content, cache_control: mark }] };
  const content = message.content as JsonObject[];
  if (isObject(content[index]!.cache_control)) return message;
  return {
    ...message,
    content: content.map((block, at) => (at === index ? { ...block, cache_control: mark } : block)),
  };
}

/** Converts a block with a mark that is sent as text to a text block with the mark; undefined for any other block. */
export function markedText(block: JsonObject): Block | undefined {
  const { cache_control: mark, type } = block;
  if (!isObject(mark) || type === "image" || type === "tool_use" || isCallBlock(block) || isResultBlock(block))
    return undefined;
  const text = readText(unmarked(block));
  return isBlank(text) ? undefined : textBlock(text, { type: "text", text, cache_control: mark });
}
