import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { readOrigin, type Withheld } from "../transcript/origin.ts";
import { isFailedTurn, isResultBlock, isResultRole, isUserMessage } from "../transcript/read.ts";
import type { AskedModel } from "./route-name.ts";
import { REFUSED_MESSAGE, REFUSED_RESULT } from "./words.ts";

/** Which of the newest messages are withheld. */
type WithheldMessages = Exclude<Withheld, "history">;

/**
 * Replaces refused content by a fixed text: the messages before a content filter's refusal, back to the newest question
 * or the assistant's last answer. Filters err and change, so that a refusal of an earlier turn counts no more once the
 * same model has answered a later turn, which had its content; with `confirmed` only those count that a later refusal
 * has confirmed. Refusals are known by the origin marks of the guard's own messages, never by their text. Calls keep
 * their results. Without `asked` the refusals of all models count. Returns the same list when nothing is replaced.
 * Deterministic and idempotent.
 */
export function withoutRefused<T>(messages: T[], counted: "confirmed" | "all", asked?: AskedModel): T[] {
  // From the newest message to the oldest: later turns tell which refusals count.
  let out: T[] | undefined;
  /** What the refusals behind a message have refused of it. */
  let refused: WithheldMessages | undefined;
  let isOfThisTurn = true;
  /** What later turns say of the refusals of earlier ones. */
  let verdict: "none" | "confirmed" | "taken" = "none";
  /** The turn has an answer, so that what earlier turns said was taken. */
  let isAnswered = false;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (isAssistant(message)) {
      const { notice, withholds, confirms, hinted } = readOrigin(message);
      const isMarked = withholds !== undefined || confirms !== undefined;
      // Nearly all messages have no mark, and are looked at no further.
      if (refused === undefined && !isMarked && (isAnswered || verdict === "taken")) continue;
      if (hinted !== true) refused = undefined;
      if (!isByModel(message, asked)) continue;
      if (confirms === true) {
        verdict = "confirmed";
        isAnswered = false;
      } else if (!isAnswered && verdict !== "taken") {
        isAnswered = notice === undefined && withholds === undefined && hinted !== true && isAnswer(message);
      }
      if (withholds === undefined || withholds === "history" || refused === "all") continue;
      if (isOfThisTurn || verdict === "confirmed" || (verdict === "none" && counted === "all")) refused = withholds;
    } else if ((refused !== undefined || isOfThisTurn || isAnswered) && isObject(message) && !isHint(messages, at)) {
      if (isQuestion(message)) {
        isOfThisTurn = false;
        if (isAnswered) verdict = "taken";
        isAnswered = false;
      }
      if (refused === undefined) continue;
      const withheld = withhold(message, refused);
      if (refused === "all" && isQuestion(message)) refused = undefined;
      if (withheld === message) continue;
      out ??= messages.slice();
      out[at] = withheld as T;
    }
  }
  return out ?? messages;
}

/** True for an assistant message that a model has ended with something in it. */
function isAnswer(message: JsonObject): boolean {
  const { content } = message;
  return !isFailedTurn(message) && (typeof content === "string" || Array.isArray(content)) && content.length > 0;
}

/** True for a message of this model; of any where none is given. */
function isByModel(message: JsonObject, asked: AskedModel | undefined): boolean {
  if (!asked) return true;
  return message.api === asked.api && message.provider === asked.provider && message.model === asked.id;
}

/**
 * Replaces the newest question, and what came since, by a fixed text: tool results since the last answer, or all
 * messages. Returns the same list when there is nothing to replace.
 */
export function withoutNewest<T>(messages: T[], what: WithheldMessages): T[] {
  let out: T[] | undefined;
  for (const at of newestSince(messages, what)) {
    const withheld = withhold(messages[at] as JsonObject, what);
    if (withheld === messages[at]) continue;
    out ??= messages.slice();
    out[at] = withheld as T;
  }
  return out ?? messages;
}

/** Returns the index of the newest question, or of the first message since the last answer where that comes later. */
export function findNewest(messages: readonly unknown[]): number {
  return newestSince(messages, "all").at(-1) ?? messages.length;
}

/**
 * Returns the indices of the messages behind the assistant's last answer, the last one first; with `all`, behind the
 * newest question and of that question alone, where that comes later. An answer that was stopped and tried again does
 * not count as an answer, and the guard's hint between the two is left out.
 */
function newestSince(messages: readonly unknown[], what: WithheldMessages): number[] {
  const places: number[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (isAssistant(message)) {
      if (readOrigin(message).hinted !== true) break;
    } else if (isObject(message) && !isHint(messages, at)) {
      places.push(at);
      if (what === "all" && isQuestion(message)) break;
    }
  }
  return places;
}

/** True for the guard's hint to the agent, which directly follows the answer that was stopped. */
function isHint(messages: readonly unknown[], at: number): boolean {
  return isUserMessage(messages[at]) && readOrigin(messages[at - 1]).hinted === true;
}

function isQuestion(message: JsonObject): boolean {
  const { role, content } = message;
  return role === "user" && !(Array.isArray(content) && (content as unknown[]).some(isResultBlock));
}

function isAssistant(message: unknown): message is JsonObject {
  return isObject(message) && message.role === "assistant";
}

/** Replaces what is withheld of a message; the same message where that was done before, or nothing is. */
function withhold(message: JsonObject, what: WithheldMessages): JsonObject {
  if (isResultRole(message.role)) return replaceContent(message, REFUSED_RESULT);
  if (message.role !== "user") return message;
  const blocks = Array.isArray(message.content) ? (message.content as unknown[]) : [];
  if (!blocks.some(isResultBlock)) return what === "all" ? replaceContent(message, REFUSED_MESSAGE) : message;
  // Anthropic's form: each result stays behind its call, and all text beside the results becomes one text.
  const firstOther = blocks.findIndex((block) => !isResultBlock(block));
  const content = blocks.flatMap((block, at): unknown[] => {
    if (isResultBlock(block)) return [replaceContent(block, REFUSED_RESULT)];
    if (what === "results") return [block];
    return at === firstOther ? [{ type: "text", text: REFUSED_MESSAGE }] : [];
  });
  const isWithheld =
    content.length === blocks.length &&
    content.every((block, at) => block === blocks[at] || isText(blocks[at], REFUSED_MESSAGE));
  return isWithheld ? message : { ...message, content };
}

function replaceContent(part: JsonObject, text: string): JsonObject {
  const [only, ...more] = Array.isArray(part.content) ? (part.content as unknown[]) : [];
  return more.length === 0 && isText(only, text) ? part : { ...part, content: [{ type: "text", text }] };
}

function isText(block: unknown, text: string): boolean {
  return isObject(block) && block.type === "text" && block.text === text;
}
