/** What the dialects share: the model of a body, in OpenClaw's messages and blocks, and readers of its parts. */
import { section } from "../base/quoted.ts";
import { isDeeperThan, MAX_DEPTH } from "../transcript/json/depth.ts";
import type { SoundnessWalk } from "../transcript/json/soundness-walk.ts";
import type { Target } from "./target.ts";
import { isBlank, isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import { doubtfulCallText, QUOTED_INPUT, readText } from "../transcript/json/text.ts";

/** The raw block, item or message of a body, on the OpenClaw block that was read from it. */
export const RAW: unique symbol = Symbol("raw");

/** The content list that a message was read with; the same as its content while nothing was changed. */
const READ: unique symbol = Symbol("read");

/** The items of a body that a message was read from. */
export const FROM: unique symbol = Symbol("from");

/** Places in a body. `isChanged`: the reading has changed the items. */
export interface Place {
  first: number;
  last: number;
  isChanged: boolean;
}

/**
 * Notes that messages were read from the item at `index`; returns them. A message that is the item itself is copied.
 */
export function placed(
  messages: readonly BodyMessage[],
  index: number,
  item: unknown,
  isChanged = false,
): BodyMessage[] {
  const place: Place = { first: index, last: index, isChanged };
  return messages.map((message) => {
    const given: unknown = message;
    const own = isObject(given)
      ? ((given === item ? { ...given } : given) as BodyMessage)
      : ({ role: "user", content: [given] } as BodyMessage);
    own[FROM] = place;
    return own;
  });
}

/**
 * Joins assistant messages with calls in a row where the results behind the last, up to the next assistant message,
 * answer earlier ones too.
 */
export function withJoinedCallers(messages: readonly BodyMessage[]): BodyMessage[] {
  const joined: BodyMessage[] = [];
  for (let at = 0; at < messages.length;) {
    let end = at;
    while (end < messages.length && isCaller(messages[end]!)) end++;
    if (end === at) {
      joined.push(messages[at++]!);
      continue;
    }
    const answered = new Set<unknown>();
    for (let next = end; next < messages.length && messages[next]!.role !== "assistant"; next++)
      if (messages[next]!.role === "toolResult") answered.add(messages[next]!.toolCallId);
    const isAnswered = (block: unknown): boolean =>
      isObject(block) && block.type === "toolCall" && answered.has(block.id);
    const begin = messages.slice(at, end).findIndex(({ content }) => (content as unknown[]).some(isAnswered));
    const first = begin < 0 ? end : at + begin;
    for (const message of messages.slice(at, first)) joined.push(message);
    if (end - first > 0) joined.push(joinCallers(messages.slice(first, end)));
    at = end;
  }
  return joined;
}

function joinCallers(messages: readonly BodyMessage[]): BodyMessage {
  const [message] = messages as [BodyMessage];
  const places = messages.flatMap(({ [FROM]: place }) => (place ? [place] : []));
  if (messages.length === 1 || places.length < messages.length) return message;
  const isChanged = places.some((place) => place.isChanged);
  const place = { first: places[0]!.first, last: places.at(-1)!.last, isChanged };
  return { ...message, content: messages.flatMap(({ content }) => content as Block[]), [FROM]: place };
}

function isCaller({ role, content }: BodyMessage): boolean {
  return (
    role === "assistant" &&
    Array.isArray(content) &&
    content.some((block) => isObject(block) && block.type === "toolCall")
  );
}

/** A block in OpenClaw's format, with the raw block of the body where it was read from one. */
export type Block = JsonObject & { [RAW]?: JsonObject };

/** A message in OpenClaw's format, as read from a body. */
export type BodyMessage = JsonObject & {
  role: "user" | "assistant" | "toolResult";
  [RAW]?: JsonObject;
  [READ]?: unknown;
  [FROM]?: Place;
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
 * target.
 */
export interface Dialect {
  /** The body's field that holds the history. */
  field: "messages" | "input" | "contents";
  limits(target: Target): Limits;
  /**
   * Returns the broken rules. Where there are none, every part of the
   * history was shown to `walk`.
   */
  check(body: JsonObject, target: Target, walk: SoundnessWalk): WireViolation[];
  /** Returns the history in OpenClaw's format, each block with its raw block. */
  read(body: JsonObject, target: Target): BodyMessage[];
  /**
   * Returns the history in the API's format; with `part` a stretch of it, to which nothing is added at the beginning
   * and end.
   */
  write(messages: readonly BodyMessage[], body: JsonObject, target: Target, part?: Part): unknown;
}

/** What stands around a stretch of a history. */
export interface Part {
  /** The assistant message before. */
  caller: BodyMessage | undefined;
  /** Nothing stands behind the stretch. */
  isEnd: boolean;
  /** An object that is the same for all stretches of one body, for what is told once of the body. */
  whole: object;
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

/** Returns thinking that cannot be sent in its form as a text, under a line that says so: it is none of the answer. */
export function thoughtInWords(thinking: string): string {
  return isBlank(thinking) ? "" : section("[Thinking of the assistant, no part of its answer:]", thinking);
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
export function readPicture(block: Block): { data: string; mimeType: string } | undefined {
  const { type, data, mimeType } = block;
  if (block[RAW] || type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return undefined;
  return /^image\/(png|jpeg|gif|webp)$/.test(mimeType) && isBase64(data) ? { data, mimeType } : undefined;
}

/** Returns the text of a block that the API has no form for. */
export function blockText(block: Block): string {
  if (typeof block.text === "string") return block.text;
  return block.type === "thinking" && typeof block.thinking === "string" ? block.thinking : readText(block);
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

/** True for a text block with no other field, as nearly all are; its text is shown. */
export function isPlainText(block: JsonObject, type: string, walk: SoundnessWalk): boolean {
  for (const key in block) if (key !== "type" && key !== "text") return false;
  const { text } = block;
  if (block.type !== type || typeof text !== "string" || isBlank(text)) return false;
  walk.text(text);
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
export function isArgumentsText(text: unknown, walk?: SoundnessWalk): boolean {
  if (typeof text !== "string") return false;
  walk?.text(text);
  if (text.length <= MAX_PLAIN && PLAIN_ARGUMENTS.test(text)) return true;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) && !isDeeperThan(parsed, MAX_DEPTH);
  } catch {
    return false;
  }
}

/** Records a broken rule. The parts of the path are joined only here, since nearly every body breaks no rule. */
export type ReportRule = (rule: string, ...path: (string | number)[]) => void;

/** Returns an empty list of violations and the function that adds to it. */
export function collector(): { violations: WireViolation[]; report: ReportRule } {
  const violations: WireViolation[] = [];
  return {
    violations,
    report: (rule, ...path) => void violations.push({ rule, path: path.join(".") }),
  };
}
