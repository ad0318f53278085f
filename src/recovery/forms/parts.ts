import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { shortId } from "../../transcript/json/hash.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { isResultBlock, isResultRole } from "../../transcript/read.ts";
import { LEFT_OUT_PART } from "../words.ts";
import { asText } from "./as-text.ts";
import { callsOf } from "./calls.ts";
import { isSystemPrompt } from "./one-message.ts";
import { timeOf } from "./times.ts";
import { blocksOf } from "./turns.ts";

/** A piece of a history that is sent or left out as a whole: a message, with the results of its calls. */
export interface Part {
  /** Of {@link partKeyOf}, in the order of the messages. */
  readonly keys: readonly string[];
  /** Length of its JSON, in characters: a measure of its tokens. */
  readonly size: number;
}

/**
 * Returns what names a message from load to load, without a word of it: its role and time; a hash where it has no time.
 */
export function partKeyOf(message: unknown): string {
  const time = timeOf(message);
  return time !== undefined && isObject(message) ? `${String(message.role)}@${time}` : shortId(toJson(message));
}

/**
 * Returns the parts of a history, in order: all but the marked system prompt and the newest question of a person. A call
 * and its results are one part. Deterministic.
 */
export function partsOf(messages: readonly unknown[]): Part[] {
  const asked = messages.findLastIndex(isQuestion);
  const parts: { keys: string[]; size: number }[] = [];
  let takesResults = false;
  messages.forEach((message, at) => {
    if (at === asked || isSystemPrompt(message)) return void (takesResults = false);
    const isOfResults = isObject(message) && (isResultRole(message.role) || holdsResults(message));
    const size = toJson(message).length;
    const last = parts.at(-1);
    if (isOfResults && takesResults && last) {
      last.keys.push(partKeyOf(message));
      last.size += size;
      return;
    }
    parts.push({ keys: [partKeyOf(message)], size });
    takesResults = isObject(message) && message.role === "assistant" && callsOf(message).length > 0;
  });
  return parts;
}

/** Turns the messages with these keys into text, each at its place; the same list when nothing changes. */
export function partsAsText<T>(messages: T[], keys: ReadonlySet<string>): T[] {
  return mapChanged(messages, (message) =>
    keys.has(partKeyOf(message)) ? (asText(message, { keepMedia: false }) as T) : message,
  );
}

/**
 * Leaves the messages with these keys out. A note stands in the place of each run of them, so that no two messages of
 * one role come to stand behind each other that did not before. The same list when nothing is left out. Deterministic
 * and idempotent.
 */
export function withoutParts<T>(messages: T[], keys: ReadonlySet<string>): T[] {
  const isOut = messages.map((message) => keys.has(partKeyOf(message)));
  if (!isOut.includes(true)) return messages;
  const out: unknown[] = [];
  for (let at = 0; at < messages.length;) {
    if (!isOut[at]) {
      out.push(messages[at++]);
      continue;
    }
    const first = messages[at];
    while (at < messages.length && isOut[at]) at++;
    const before = out.at(-1);
    const next = messages[at];
    if (isUser(before) && isUser(next)) out.push(noteOf("assistant", first));
    else if (isUser(before)) out[out.length - 1] = { ...before, content: [...blocksOf(before), NOTE] };
    else if (isUser(next)) {
      out.push({ ...next, content: [NOTE, ...blocksOf(next)] });
      at++;
    } else out.push(noteOf("user", first));
  }
  return out as T[];
}

const NOTE = Object.freeze({ type: "text", text: LEFT_OUT_PART });

/** Returns a message with the note alone; that of an assistant has the fields of the answer in its place. */
function noteOf(role: "user" | "assistant", like: unknown): JsonObject {
  const { timestamp, ...fields } = isObject(like) && like.role === "assistant" ? like : ({} as JsonObject);
  const time = timestamp ?? timeOf(like);
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
