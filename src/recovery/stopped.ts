import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { originOf } from "../transcript/origin.ts";
import { isResultBlock, isResultRole } from "../transcript/read.ts";
import { REFUSED_HISTORY, REFUSED_MESSAGE, REFUSED_RESULT } from "./words.ts";

/**
 * Replaces refused content by a fixed text, so that it is never sent again: the messages before a content filter's
 * refusal, back to the assistant's last answer. Refusals are known by the origin marks of the guard's own messages,
 * never by their text. Calls keep their results. With `all` also the messages before answers that were stopped in
 * earlier turns, unless the agent then found another answer. Returns the same list when no filter refused anything.
 * Deterministic and idempotent.
 */
export function withoutRefused<T>(messages: T[], all = false): T[] {
  const turn = all ? lastQuestion(messages) : -1;
  const answered = all ? answeredAfter(messages) : [];
  let out: T[] | undefined;
  /** What the refusals behind a message have refused of it. */
  let refused: "results" | "all" | undefined;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    const { notice, withholds, hinted } = originOf(message);
    // Nearly all messages have no mark, and are looked at no further.
    if (refused === undefined && notice === undefined && withholds === undefined) continue;
    if (isAssistant(message)) {
      if (hinted !== true) refused = undefined;
      const what = withholds ?? (notice === "stopped" && at < turn && !answered[at] ? "all" : undefined);
      if (what !== undefined && what !== "history" && refused !== "all") refused = what;
    } else if (refused !== undefined && isObject(message) && !isHint(messages, at)) {
      const left = without(message, refused);
      if (left === message) continue;
      out ??= messages.slice();
      out[at] = left as T;
    }
  }
  return out ?? messages;
}

/**
 * Replaces the content since the last answer by a fixed text: of tool results only, or of all messages. Returns the
 * same list when there is nothing to replace.
 */
export function withoutNewest<T>(messages: T[], what: "results" | "all"): T[] {
  let out: T[] | undefined;
  for (const at of newestBefore(messages, messages.length)) {
    const left = without(messages[at] as JsonObject, what);
    if (left === messages[at]) continue;
    out ??= messages.slice();
    out[at] = left as T;
  }
  return out ?? messages;
}

/**
 * Returns the user messages since the last answer, behind a fixed text that replaces all earlier messages. Undefined
 * when there are none, or nothing is before them.
 */
export function newestOnly(messages: readonly unknown[]): unknown[] | undefined {
  const first = newestBefore(messages, messages.length).at(-1);
  if (first === undefined || first === 0) return undefined;
  const newest = messages
    .slice(first)
    .map(wordsOf)
    .filter((message) => message !== undefined);
  if (newest.length === 0) return undefined;
  return [{ role: "user", content: [{ type: "text", text: REFUSED_HISTORY }] }, ...newest];
}

/** Returns the index of the first message since the last answer; the number of messages when there is none. */
export function newestFrom(messages: readonly unknown[]): number {
  return newestBefore(messages, messages.length).at(-1) ?? messages.length;
}

/**
 * Returns a user message without the tool results that Anthropic's form has in it; undefined for another role, or when
 * nothing is left.
 */
function wordsOf(message: unknown): unknown {
  if (!isUser(message)) return undefined;
  const { content } = message as JsonObject;
  if (!Array.isArray(content) || !(content as unknown[]).some(isResultBlock)) return message;
  const words = (content as unknown[]).filter((block) => !isResultBlock(block));
  return words.length === 0 ? undefined : { ...(message as JsonObject), content: words };
}

/** Returns how many turns in a row, up to the present one, ended with a refusal of the request, or without a reason. */
export function refusedInARow(messages: readonly unknown[]): number {
  let count = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    if (!isAssistant(messages[at])) continue;
    const { notice, withholds, hinted } = originOf(messages[at]);
    if (notice !== "stopped") return count;
    if (withholds === "all" || (withholds === undefined && hinted !== true)) count++;
  }
  return count;
}

/**
 * Returns the indices of the messages between the assistant's last answer and `end`, the last one first. An answer that
 * was stopped and tried again does not count as an answer, and the guard's hint between the two is left out.
 */
function newestBefore(messages: readonly unknown[], end: number): number[] {
  const places: number[] = [];
  for (let at = end - 1; at >= 0; at--) {
    const message = messages[at];
    if (isAssistant(message)) {
      if (originOf(message).hinted !== true) break;
    } else if (isObject(message) && !isHint(messages, at)) places.push(at);
  }
  return places;
}

/** True for the guard's hint to the agent, which directly follows the answer that was stopped. */
function isHint(messages: readonly unknown[], at: number): boolean {
  return isUser(messages[at]) && originOf(messages[at - 1]).hinted === true;
}

/** Returns the index of the last message of a person; -1 when there is none. */
function lastQuestion(messages: readonly unknown[]): number {
  for (let at = messages.length - 1; at >= 0; at--) if (isUser(messages[at]) && !isHint(messages, at)) return at;
  return -1;
}

/** Returns for each message whether an answer that was not stopped came after it in the same turn. */
function answeredAfter(messages: readonly unknown[]): boolean[] {
  const answered: boolean[] = [];
  let isAnswered = false;
  for (let at = messages.length - 1; at >= 0; at--) {
    answered[at] = isAnswered;
    if (isUser(messages[at]) && !isHint(messages, at)) isAnswered = false;
    else if (isAssistant(messages[at]) && originOf(messages[at]).notice !== "stopped") isAnswered = true;
  }
  return answered;
}

function isUser(message: unknown): boolean {
  return isObject(message) && message.role === "user";
}

function isAssistant(message: unknown): boolean {
  return isObject(message) && message.role === "assistant";
}

function without(message: JsonObject, what: "results" | "all"): JsonObject {
  if (isResultRole(message.role)) return replaced(message, REFUSED_RESULT);
  if (message.role !== "user") return message;
  const blocks = Array.isArray(message.content) ? (message.content as unknown[]) : [];
  if (!blocks.some(isResultBlock)) return what === "all" ? replaced(message, REFUSED_MESSAGE) : message;
  // Anthropic's form: each result stays behind its call, and all text beside the results becomes one text.
  const word = blocks.findIndex((block) => !isResultBlock(block));
  const left = blocks.flatMap((block, at): unknown[] => {
    if (isResultBlock(block)) return [replaced(block, REFUSED_RESULT)];
    if (what === "results") return [block];
    return at === word ? [{ type: "text", text: REFUSED_MESSAGE }] : [];
  });
  const isSo =
    left.length === blocks.length &&
    left.every((block, at) => block === blocks[at] || isText(blocks[at], REFUSED_MESSAGE));
  return isSo ? message : { ...message, content: left };
}

function replaced(message: JsonObject, text: string): JsonObject {
  const [only, ...more] = Array.isArray(message.content) ? (message.content as unknown[]) : [];
  return more.length === 0 && isText(only, text) ? message : { ...message, content: [{ type: "text", text }] };
}

function isText(block: unknown, text: string): boolean {
  return isObject(block) && block.type === "text" && block.text === text;
}
