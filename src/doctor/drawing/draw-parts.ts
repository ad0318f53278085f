import { idKey, isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "../../transcript/read.ts";
import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { originOfResult } from "../../transcript/invented.ts";
import { plainText, readText } from "../../transcript/json/text.ts";
import type { DrawnPart } from "./drawing.ts";

/** A part without its faults and its link. */
export type BarePart = Omit<DrawnPart, "faults" | "link">;

/**
 * Returns the blocks of a message in order; a message that is itself a result is one part. Parts contain kinds, names,
 * ids and lengths only.
 */
export function drawParts(message: JsonObject): BarePart[] {
  if (isResultRole(message.role)) return [resultPart(message)];
  const { content } = message;
  if (typeof content === "string") return [{ kind: "text", type: "text", length: content.length }];
  return Array.isArray(content) ? content.map(drawPart) : [];
}

function drawPart(block: unknown): BarePart {
  if (!isObject(block)) return { kind: "other", type: typeof block, length: readText(block).length };
  const { text, thinking, data } = block;
  const type = typeof block.type === "string" ? block.type : "no type";
  if (isCallBlock(block)) {
    const { id, name, arguments: input } = readCall(block);
    return { kind: "call", type, length: valueLength(input), callId: idKey(id), tool: printName(name) };
  }
  if (isResultBlock(block)) return resultPart(block);
  if (type === "text") return { kind: "text", type, length: valueLength(text) };
  if (type === "thinking") return { kind: "thinking", type, length: valueLength(thinking) };
  if (type === "image") return { kind: "image", type, length: valueLength(data) };
  return { kind: "other", type, length: toJson(block).length };
}

function resultPart(source: JsonObject): BarePart {
  const { id, name, content, isError } = readResult(source);
  return {
    kind: "result",
    type: "result",
    length: contentLength(content),
    callId: idKey(id),
    tool: printName(name),
    isError,
    isInvented: originOfResult(source) !== "real",
  };
}

function contentLength(content: unknown): number {
  if (!Array.isArray(content)) return valueLength(content);
  return content.reduce(
    (sum: number, block: unknown) =>
      sum +
      (isObject(block) && typeof block.text === "string"
        ? block.text.length
        : valueLength(isObject(block) && block.type === "image" ? block.data : block)),
    0,
  );
}

function valueLength(value: unknown): number {
  return typeof value === "string" ? value.length : toJson(value).length;
}

function printName(name: unknown): string {
  return typeof name === "string" && name.trim() !== "" ? name : "no name";
}

/**
 * Returns the first `length + 1` characters of the text of a message, so that the caller sees whether there are more.
 */
export function firstWords(message: JsonObject, length: number): string {
  const { content } = message;
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((block) =>
    isCallBlock(block)
      ? [toJson(readCall(block).arguments)]
      : isObject(block) && typeof block.text === "string"
        ? [block.text]
        : [plainText(block)],
  );
  return texts
    .map((text) => text.slice(0, length + 1))
    .join(" ")
    .slice(0, length + 1);
}
