import { types } from "node:util";
import { isCleanBlock } from "../../transcript/look.ts";
import { isBlank, isObject, toJson, wellFormed, type JsonObject } from "../../transcript/json/json.ts";
import { plainCopy } from "../../transcript/json/plain.ts";
import { readText } from "../../transcript/json/text.ts";
import { NO_OUTPUT, resultContent } from "../messages/anthropic-form.ts";
import { describeThrown } from "../base/errors.ts";
import type { ToolOutput } from "./tool-executor.ts";
import type { MessageFormat } from "../base/types.ts";

/**
 * Converts any value that a tool returned to a form that a session of this format stores and its API accepts. A text or
 * a list of blocks without an object around it is the output; an object with neither `output` nor `content` becomes its
 * JSON, and nothing becomes `(no output)`. Returns a copy, which the tool cannot change later. Never throws.
 */
export function storableOutput(given: unknown, format: MessageFormat): Required<ToolOutput> {
  if (types.isNativeError(given)) return { output: describeThrown(given), isError: true };
  const plain = plainCopy(items(given));
  const isError = isObject(plain) && (plain.isError === true || plain.is_error === true);
  return { output: wellFormed(formatOutput(unwrapOutput(plain), format, isError)), isError };
}

/** Converts maps and sets to arrays, because JSON has neither. */
function items(given: unknown): unknown {
  return types.isMap(given) || types.isSet(given) ? Array.from(given as Iterable<unknown>) : given;
}

function unwrapOutput(plain: unknown): unknown {
  if (!isObject(plain)) return Array.isArray(plain) && !plain.some(isBlock) && plain.length > 0 ? toJson(plain) : plain;
  for (const key of ["output", "content"]) if (Object.hasOwn(plain, key)) return plain[key];
  return isBlock(plain) ? [plain] : toJson(plain);
}

function isBlock(value: unknown): boolean {
  return typeof value === "string" || (isObject(value) && typeof value.type === "string");
}

function formatOutput(output: unknown, format: MessageFormat, isError: boolean): string | unknown[] {
  if (output === undefined || output === null) return NO_OUTPUT;
  if (typeof output === "string") return output === "" && isError ? NO_OUTPUT : output;
  if (!Array.isArray(output)) return readText(output);
  if (output.length === 0) return NO_OUTPUT;
  const content = format === "anthropic" ? resultContent(output, isError) : output.flatMap(openclawBlock);
  return Array.isArray(content) && content.length === 0 ? NO_OUTPUT : (content as string | unknown[]);
}

function openclawBlock(block: unknown): unknown[] {
  if (isCleanBlock(block, "toolResult", "openclaw")) return [block];
  const image = isObject(block) && block.type === "image" ? openclawImage(block) : undefined;
  if (image) return [image];
  const text = readText(block);
  return isBlank(text) ? [] : [{ type: "text", text }];
}

/** Converts an image in Anthropic's spelling to OpenClaw's. */
function openclawImage({ source }: JsonObject): JsonObject | undefined {
  if (!isObject(source) || typeof source.data !== "string" || typeof source.media_type !== "string") return undefined;
  return source.data === "" || source.media_type === ""
    ? undefined
    : { type: "image", data: source.data, mimeType: source.media_type };
}
