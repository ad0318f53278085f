import { isDeeperThan, MAX_DEPTH } from "../transcript/json/depth.ts";
import { isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import { doubtfulCallText, QUOTED_INPUT, textOf } from "../transcript/json/text.ts";

/** A block, item or message as it stood in the body; travels with the OpenClaw block that stands for it. */
export const RAW: unique symbol = Symbol("raw");

/** The content list a message was read with; still the message's own when nothing in it was changed. */
export const READ: unique symbol = Symbol("read");

/** A block in OpenClaw's format that may carry the one of the body it was read from. */
export type Block = JsonObject & { [RAW]?: JsonObject };

/** A message in OpenClaw's format, as read from a body. */
export type BodyMessage = JsonObject & {
  role: "user" | "assistant" | "toolResult";
  [RAW]?: JsonObject;
  [READ]?: unknown;
};

/** One rule of an API that a body breaks. */
export interface WireViolation {
  /** Short name of the rule, for logs and counts; no content. */
  rule: string;
  /** Where, as the APIs write it: `messages.3.content.0`. */
  path: string;
}

/** What ids and names an API takes. */
export interface Limits {
  id: RegExp;
  name: RegExp;
  nameLength: number;
}

/**
 * A provider API: how its bodies are checked, read into OpenClaw's format and written from it. Some rules go by the
 * model.
 */
export interface Dialect {
  /** The body's field that holds the history. */
  field: "messages" | "input" | "contents";
  limits(model: string): Limits;
  /** All broken rules; the first few are enough when there are very many. */
  check(body: JsonObject, model: string): WireViolation[];
  /** The history in OpenClaw's format, every block with the one it was read from. */
  read(body: JsonObject, model: string): BodyMessage[];
  /** The history in the API's format. */
  write(messages: readonly BodyMessage[], body: JsonObject, model: string): unknown;
}

/** An opaque block of a user's message or result: valid in the API, of no concern to the pairing. */
export function opaqueMedia(raw: JsonObject): Block {
  return { type: "image", data: "raw", mimeType: "raw", [RAW]: raw };
}

/** An opaque block of an assistant's message. */
export function opaqueThought(raw: JsonObject): Block {
  return { type: "thinking", thinking: "raw", [RAW]: raw };
}

/** A text block, with the one it was read from when that can be sent as it is. */
export function textBlock(text: string, raw?: JsonObject): Block {
  return raw ? { type: "text", text, [RAW]: raw } : { type: "text", text };
}

/** True for the base64 of at least one byte. */
export function isBase64(data: unknown): data is string {
  return typeof data === "string" && data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** True for an address of a picture; one that carries its data must carry sound data. */
export function isPictureUrl(url: unknown): boolean {
  if (typeof url !== "string" || url === "") return false;
  if (!url.startsWith("data:")) return true;
  const comma = url.indexOf(",");
  return /^data:image\/[a-z0-9.+-]+;base64$/i.test(url.slice(0, comma)) && isBase64(url.slice(comma + 1));
}

/** The picture of a block that was in no form of the API's, or undefined when it holds none. */
export function pictureOf(block: Block): { data: string; mimeType: string } | undefined {
  const { type, data, mimeType } = block;
  if (block[RAW] || type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return undefined;
  return /^image\/(png|jpeg|gif|webp)$/.test(mimeType) && isBase64(data) ? { data, mimeType } : undefined;
}

/** The words of a block that has no form of its own in the body. */
export function wordsOf(block: Block): string {
  if (typeof block.text === "string") return block.text;
  return block.type === "thinking" && typeof block.thinking === "string" ? block.thinking : textOf(block);
}

/** What is said in the place of a call that has no result and cannot get one, with all that the call asked for. */
export function wordsOfCall(name: string, input: unknown): string {
  const words = doubtfulCallText({ name, input, recorded: undefined });
  const asked = toJson(input);
  return asked.length > QUOTED_INPUT ? `${words}\n${asked}` : words;
}

/** A call block as read from a body; arguments of a wrong type are brought into shape by the repair. */
export function callBlock(id: unknown, name: unknown, args: unknown, raw: JsonObject): Block {
  return { type: "toolCall", id, name, arguments: args, [RAW]: raw };
}

/** A result as read from a body. */
export function resultMessage(
  id: unknown,
  name: unknown,
  content: unknown[],
  isError: boolean,
  raw: JsonObject,
): BodyMessage {
  return { role: "toolResult", toolCallId: id, toolName: name, content, isError, [RAW]: raw, [READ]: content };
}

/** True when a result's content is still what it was read with, so that its raw form may be used again. */
export function isUntouched(message: BodyMessage): boolean {
  return message[READ] !== undefined && message[READ] === message.content;
}

/** True when the object has no field that is not in `known`. */
export function hasOnly(object: JsonObject, known: ReadonlySet<string>): boolean {
  for (const key in object) {
    if (!known.has(key) && object[key] !== undefined) return false;
  }
  return true;
}

/** The object without fields that are not in `known`; itself when it has none. APIs refuse what they do not know. */
export function pick(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  if (hasOnly(object, known)) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => known.has(key)));
}

/**
 * True when `text` is the JSON of an object that is not too deep to be read back: what OpenAI's APIs take as arguments.
 */
export function isArgumentsText(text: unknown): boolean {
  if (typeof text !== "string") return false;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) && !isDeeperThan(parsed, MAX_DEPTH);
  } catch {
    return false;
  }
}

/** Collects violations; more than this many say nothing new and would cost time on a hopeless body. */
const ENOUGH = 1000;

/** Takes down a broken rule; the parts of its path are joined only then, since nearly every body breaks none. */
export type ReportRule = (rule: string, ...path: (string | number)[]) => void;

/** A list of violations and the function that adds to it. */
export function collector(): { violations: WireViolation[]; report: ReportRule } {
  const violations: WireViolation[] = [];
  return {
    violations,
    report: (rule, ...path) => {
      if (violations.length < ENOUGH) violations.push({ rule, path: path.join(".") });
    },
  };
}
