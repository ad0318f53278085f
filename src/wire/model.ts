import { isDeeperThan, MAX_DEPTH } from "../transcript/json/depth.ts";
import type { Sound } from "../transcript/json/sound.ts";
import { isBlank, isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import { doubtfulCallText, QUOTED_INPUT, textOf } from "../transcript/json/text.ts";

/** The raw block, item or message of a body, on the OpenClaw block that was read from it. */
export const RAW: unique symbol = Symbol("raw");

/** The content list that a message was read with; the same as its content while nothing was changed. */
const READ: unique symbol = Symbol("read");

/** A block in OpenClaw's format, with the raw block of the body where it was read from one. */
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
  /** The place, in the APIs' notation: `messages.3.content.0`. */
  path: string;
}

/** Which ids and names an API accepts. */
export interface Limits {
  id: RegExp;
  name: RegExp;
  nameLength: number;
}

/**
 * A provider API: how its bodies are checked, read into OpenClaw's format and written from it. Some rules depend on the
 * model.
 */
export interface Dialect {
  /** The body's field that holds the history. */
  field: "messages" | "input" | "contents";
  limits(model: string): Limits;
  /**
   * Returns the broken rules; only the first ones when there are very many. Where there are none, every part of the
   * history was shown to `sound`.
   */
  check(body: JsonObject, model: string, sound: Sound): WireViolation[];
  /** Returns the history in OpenClaw's format, each block with its raw block. */
  read(body: JsonObject, model: string): BodyMessage[];
  /** Returns the history in the API's format. */
  write(messages: readonly BodyMessage[], body: JsonObject, model: string): unknown;
}

/** Creates an opaque block for a user message or result: valid in the API, and not part of the pairing. */
export function opaqueMedia(raw: JsonObject): Block {
  return { type: "image", data: "raw", mimeType: "raw", [RAW]: raw };
}

/** Creates an opaque block for an assistant message. */
export function opaqueThought(raw: JsonObject): Block {
  return { type: "thinking", thinking: "raw", [RAW]: raw };
}

/** Creates a text block, with its raw block when that can be sent as it is. */
export function textBlock(text: string, raw?: JsonObject): Block {
  return raw ? { type: "text", text, [RAW]: raw } : { type: "text", text };
}

/** True for base64 of at least one byte. */
export function isBase64(data: unknown): data is string {
  return typeof data === "string" && data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** True for the URL of an image; a data URL must have valid base64. */
export function isPictureUrl(url: unknown): boolean {
  if (typeof url !== "string" || url === "") return false;
  if (!url.startsWith("data:")) return true;
  const comma = url.indexOf(",");
  return /^data:image\/[a-z0-9.+-]+;base64$/i.test(url.slice(0, comma)) && isBase64(url.slice(comma + 1));
}

/** Returns the image in a block that was not read from a valid one of the API; undefined when there is none. */
export function pictureOf(block: Block): { data: string; mimeType: string } | undefined {
  const { type, data, mimeType } = block;
  if (block[RAW] || type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return undefined;
  return /^image\/(png|jpeg|gif|webp)$/.test(mimeType) && isBase64(data) ? { data, mimeType } : undefined;
}

/** Returns the text of a block that the API has no form for. */
export function wordsOf(block: Block): string {
  if (typeof block.text === "string") return block.text;
  return block.type === "thinking" && typeof block.thinking === "string" ? block.thinking : textOf(block);
}

/** Returns the text in place of a call that has no result and cannot get one, with the call's whole input. */
export function wordsOfCall(name: string, input: unknown): string {
  const words = doubtfulCallText({ name, input, recorded: undefined });
  const asked = toJson(input);
  return asked.length > QUOTED_INPUT ? `${words}\n${asked}` : words;
}

/** Creates a call block read from a body; arguments of a wrong type are converted by the repair. */
export function callBlock(id: unknown, name: unknown, args: unknown, raw: JsonObject): Block {
  return { type: "toolCall", id, name, arguments: args, [RAW]: raw };
}

/** Creates a result message read from a body. */
export function resultMessage(
  id: unknown,
  name: unknown,
  content: unknown[],
  isError: boolean,
  raw: JsonObject,
): BodyMessage {
  return { role: "toolResult", toolCallId: id, toolName: name, content, isError, [RAW]: raw, [READ]: content };
}

/** True when a result's content was not changed since it was read, so that its raw form may be sent. */
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

/**
 * True for 1 to `max` letters, digits, `_` and `-`: the ids and names that Anthropic's and OpenAI's APIs take, told in a
 * third of the time of a regular expression.
 */
export function isWord(text: unknown, max: number): text is string {
  if (typeof text !== "string") return false;
  const { length } = text;
  if (length === 0 || length > max) return false;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const letter = code | 0x20;
    if (!(letter >= 0x61 && letter <= 0x7a) && !(code >= 0x30 && code <= 0x39) && code !== 0x5f && code !== 0x2d)
      return false;
  }
  return true;
}

/** A set of ids that is nearly always empty or has one: the calls of one answer. */
export class FewIds {
  #one: string | undefined;
  #more: Set<string> | undefined;

  get size(): number {
    return this.#more ? this.#more.size : this.#one === undefined ? 0 : 1;
  }

  add(id: string): void {
    if (this.#more) this.#more.add(id);
    else if (this.#one === undefined) this.#one = id;
    else if (this.#one !== id) {
      this.#more = new Set([this.#one, id]);
      this.#one = undefined;
    }
  }

  /** Takes an id out; false where it is none of these. */
  delete(id: unknown): boolean {
    if (this.#more) return this.#more.delete(id as string);
    if (id === undefined || this.#one !== id) return false;
    this.#one = undefined;
    return true;
  }

  clear(): void {
    this.#one = undefined;
    this.#more = undefined;
  }
}

/** True for a text block with no other field, as nearly all are; its text is shown. */
export function isPlainText(block: JsonObject, type: string, sound: Sound): boolean {
  for (const key in block) if (key !== "type" && key !== "text") return false;
  const { text } = block;
  if (block.type !== type || typeof text !== "string" || isBlank(text)) return false;
  sound.text(text);
  return true;
}

/**
 * Returns the object without fields that are not in `known`, which APIs refuse; the same object when there are none.
 */
export function pick(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  if (hasOnly(object, known)) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => known.has(key)));
}

/** The JSON of an object whose fields are short texts or numbers, told in less time than JSON.parse takes. */
const PLAIN_ARGUMENTS =
  /^\{(?:"[ !#-[\]-\uffff]*":(?:"[ !#-[\]-\uffff]*"|[1-9]\d{0,14}|true|false)(?:,(?=")|(?=\})))*\}$/;
const MAX_PLAIN = 200;

/**
 * True when `text` is the JSON of an object that is not too deep, as OpenAI's APIs require of arguments. The text is
 * shown.
 */
export function isArgumentsText(text: unknown, sound?: Sound): boolean {
  if (typeof text !== "string") return false;
  sound?.text(text);
  if (text.length <= MAX_PLAIN && PLAIN_ARGUMENTS.test(text)) return true;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) && !isDeeperThan(parsed, MAX_DEPTH);
  } catch {
    return false;
  }
}

/** The most violations that are collected: more would only cost time on a body with very many. */
const MAX_VIOLATIONS = 1000;

/** Records a broken rule. The parts of the path are joined only here, since nearly every body breaks no rule. */
export type ReportRule = (rule: string, ...path: (string | number)[]) => void;

/** Returns an empty list of violations and the function that adds to it. */
export function collector(): { violations: WireViolation[]; report: ReportRule } {
  const violations: WireViolation[] = [];
  return {
    violations,
    report: (rule, ...path) => {
      if (violations.length < MAX_VIOLATIONS) violations.push({ rule, path: path.join(".") });
    },
  };
}
