/** Cuts a history into the parts that a search for the refused one sends and leaves out. */
import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { shortId } from "../../transcript/json/hash.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { isCallBlock, isResultBlock, isResultRole } from "../../transcript/read.ts";
import { LEFT_OUT_PART } from "../words.ts";
import { asText, isThought } from "./as-text.ts";
import { toBlocks, blocksWithin, changeBlocks, textBlock } from "./blocks.ts";
import { listCalls } from "./calls.ts";
import { isPicture } from "./images.ts";
import { isSystemPrompt } from "./one-message.ts";
import { readTime } from "./times.ts";

/** A piece of a history that is sent or left out as a whole: a message, with the results of its calls. */
export interface Part {
  /** The keys of the part's messages in their order, made by {@link partKey}. */
  readonly keys: readonly string[];
  /** Length of its JSON, in characters: a measure of its tokens. */
  readonly size: number;
  /**
   * Returns the keys of its pieces, each of which can be left out alone: what its results hold, and its blocks beside
   * calls; pictures first, which are refused most often. Empty for a part that is one piece.
   */
  readonly pieces?: () => readonly string[];
  /** True where it is text already: its words are asked about by the same request. */
  readonly isText?: () => boolean;
  /** Returns the keys of all its blocks, by which it is found inside of a later message; none for calls and results. */
  readonly contents?: () => readonly string[];
}

/**
 * Returns what names a message from load to load, without a word of it: its role and time; a hash where it has no time.
 */
export function partKey(message: unknown): string {
  const time = readTime(message);
  return time !== undefined && isObject(message) ? `${String(message.role)}@${time}` : shortId(toJson(message));
}

/** Separates the key of a message from the hash of a piece of it. */
const OF_PIECE = "#";

/** Returns the key of the message that a key names, or a piece of which it names. */
export function holderKey(key: string): string {
  const at = key.lastIndexOf(OF_PIECE);
  return at < 0 ? key : key.slice(0, at);
}

/**
 * Returns the parts of a history, in order: all but the marked system prompt and the newest question of a person. A
 * call and its results are one part. Deterministic.
 */
export function splitHistory(messages: readonly unknown[]): Part[] {
  const asked = messages.findLastIndex(isQuestion);
  const parts: {
    keys: string[];
    size: number;
    pieces: () => string[];
    isText: () => boolean;
    contents: () => string[];
  }[] = [];
  let held: unknown[] = [];
  let takesResults = false;
  messages.forEach((message, at) => {
    if (at === asked || isSystemPrompt(message)) return void (takesResults = false);
    const isOfResults = isObject(message) && (isResultRole(message.role) || holdsResults(message));
    const size = toJson(message).length;
    const last = parts.at(-1);
    if (isOfResults && takesResults && last) {
      last.keys.push(partKey(message));
      last.size += size;
      held.push(message);
      return;
    }
    const pieceMessages = (held = [message]);
    const contents = (): string[] => (hasCall(pieceMessages) ? [] : keysOfPieces(pieceMessages));
    const isText = (): boolean => pieceMessages.every((one) => asText(one, { keepMedia: false }) === one);
    parts.push({ keys: [partKey(message)], size, pieces: () => listPieces(pieceMessages), isText, contents });
    takesResults = isObject(message) && message.role === "assistant" && listCalls(message).length > 0;
  });
  return parts;
}

/** Turns the messages with these keys into text, each at its place; the same list when nothing changes. */
export function partsAsText<T>(messages: T[], keys: ReadonlySet<string>): T[] {
  return mapChanged(messages, (message) =>
    keys.has(partKey(message)) ? (asText(message, { keepMedia: false }) as T) : message,
  );
}

/**
 * Leaves the messages, and pieces of messages, with these keys out. A note stands in the place of each piece, and of
 * each run of messages, so that no two messages of one role come to stand behind each other that did not before. A
 * piece of a message that is gone is left out of a later one of its role: OpenClaw makes one message of two questions
 * in a row. The same list when nothing is left out. Deterministic and idempotent.
 */
export function withoutParts<T>(messages: T[], givenKeys: ReadonlySet<string>): T[] {
  const messageKeys = messages.map(partKey);
  const keys = new Set([...givenKeys, ...movedPieces(messages, messageKeys, givenKeys)]);
  const holders = new Set([...keys].map(holderKey));
  if (!messageKeys.some((name) => holders.has(name))) return messages;
  const kept: unknown[] = [];
  for (let at = 0; at < messages.length;) {
    if (!keys.has(messageKeys[at]!)) {
      kept.push(holders.has(messageKeys[at]!) ? withoutPieces(messages[at], messageKeys[at]!, keys) : messages[at]);
      at++;
      continue;
    }
    const first = messages[at];
    while (at < messages.length && keys.has(messageKeys[at]!)) at++;
    const before = kept.at(-1);
    const next = messages[at];
    if (isUser(before) && isUser(next)) kept.push(makeNote("assistant", first));
    else if (isUser(before)) kept[kept.length - 1] = { ...before, content: [...toBlocks(before), NOTE] };
    else if (isUser(next)) {
      const rest = withoutPieces(next, messageKeys[at++]!, keys);
      kept.push({ ...rest, content: [NOTE, ...toBlocks(rest)] });
    } else kept.push(makeNote("user", first));
  }
  return kept.length === messages.length && kept.every((message, at) => message === messages[at])
    ? messages
    : (kept as T[]);
}

const NOTE = Object.freeze({ type: "text", text: LEFT_OUT_PART });

/** Replaces the pieces of a message with these keys by the note; the same object when it has none of them. */
function withoutPieces<T>(message: T, name: string, keys: ReadonlySet<string>): T {
  const isLeftOut = (piece: unknown): boolean => keys.has(pieceKey(name, piece));
  if (!isObject(message)) return message;
  const { content } = message;
  if (typeof content === "string") return isLeftOut(textBlock(content)) ? { ...message, content: [NOTE] } : message;
  return changeBlocks(message, (block) =>
    !isPiece(block) || !isLeftOut(block) ? block : isResultBlock(block) ? { ...block, content: [NOTE] } : NOTE,
  ) as T;
}

function listPieces(messages: readonly unknown[]): string[] {
  const pieces = keysOfPieces(messages);
  return hasCall(messages) || pieces.length > 1 ? pieces : [];
}

function hasCall(messages: readonly unknown[]): boolean {
  return messages.some((message) => listCalls(message).length > 0);
}

function keysOfPieces(messages: readonly unknown[]): string[] {
  const pictures: string[] = [];
  const otherPieces: string[] = [];
  for (const message of messages) {
    const name = partKey(message);
    for (const piece of piecesIn(message)) (isPicture(piece) ? pictures : otherPieces).push(pieceKey(name, piece));
  }
  return [...new Set([...pictures, ...otherPieces])];
}

function piecesIn(message: unknown): unknown[] {
  const content = isObject(message) ? message.content : undefined;
  return typeof content === "string" ? [textBlock(content)] : blocksWithin(message).filter(isPiece);
}

/** Returns the keys of pieces of messages that are gone, as they are named in the next message of the same role. */
function movedPieces(
  messages: readonly unknown[],
  messageKeys: readonly string[],
  keys: ReadonlySet<string>,
): string[] {
  const present = new Set(messageKeys);
  return [...keys].flatMap((key) => {
    const holder = holderKey(key);
    if (holder === key || present.has(holder)) return [];
    const at = messageKeys.findIndex((name) => isLater(name, holder));
    const moved = `${messageKeys[at]}${key.slice(holder.length)}`;
    return piecesIn(messages[at]).some((piece) => pieceKey(messageKeys[at]!, piece) === moved) ? [moved] : [];
  });
}

/** True for the name of a message of the same role as another one that came before. */
function isLater(name: string, than: string): boolean {
  const [[role, time], [roleBefore, before]] = [name.split("@"), than.split("@")];
  return role === roleBefore && Number(time) > Number(before);
}

/** True for a block that can be replaced: no call, no thought, and nothing that holds blocks itself. */
function isPiece(block: unknown): boolean {
  return !isCallBlock(block) && !isThought(block) && !(isObject(block) && Array.isArray(block.content));
}

function pieceKey(name: string, piece: unknown): string {
  return `${name}${OF_PIECE}${shortId(toJson(piece))}`;
}

/** Returns a message with the note alone; that of an assistant has the fields of the answer in its place. */
function makeNote(role: "user" | "assistant", template: unknown): JsonObject {
  const { timestamp, ...fields } = isObject(template) && template.role === "assistant" ? template : ({} as JsonObject);
  const time = timestamp ?? readTime(template);
  return {
    ...(role === "assistant" && { ...fields, stopReason: "stop" }),
    role,
    content: [NOTE],
    ...(time !== undefined && { timestamp: time }),
  };
}

function isUser(message: unknown): message is JsonObject {
  return isObject(message) && message.role === "user" && !holdsResults(message);
}

function isQuestion(message: unknown): boolean {
  return isUser(message) && !isSystemPrompt(message);
}

function holdsResults(message: JsonObject): boolean {
  return Array.isArray(message.content) && (message.content as unknown[]).some(isResultBlock);
}
