import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { isResultBlock } from "../../transcript/read.ts";
import { readSpeeches, linesText } from "./speeches.ts";
import { tailText } from "./tail.ts";
import { toBlocks } from "./blocks.ts";
import { LEFT_OUT_MEDIA, LEFT_OUT_OPENING, NOTHING_SAID, SINCE_THEN } from "../words.ts";

const OPENING =
  '[The conversation so far, as text. Each line that begins with "> " is quoted, and the line above the ' +
  "quotation says whose words they are.]";
const CLOSING = "[Here the conversation so far ends. What follows is the newest message.]";

/**
 * Turns a history into one user message: all earlier messages as text, and the newest user message as it is. No text in
 * it can be taken for another speaker's. Returns the same list when there is only one message. Deterministic.
 */
export function asOneMessage(messages: unknown[]): unknown[] {
  if (messages.length < 2) return messages;
  const last = messages.at(-1);
  const isAsked = isObject(last) && last.role === "user";
  const before = isAsked ? messages.slice(0, -1) : messages;
  const text = [OPENING, linesText(before.flatMap(readSpeeches)), ...(isAsked ? [CLOSING] : [])].join("\n\n");
  const fields: JsonObject = isAsked ? last : { role: "user" };
  return [{ ...fields, content: [{ type: "text", text }, ...(isAsked ? toBlocks(last) : [])] }];
}

/**
 * Returns the newest question of a person in one user message, without images or files, and what came since in quoted
 * words; before it the marked system prompt. With `withEnd` the end of the conversation before the question is quoted
 * in the same message. Deterministic and idempotent; the same list when there is one message only.
 */
export function asLastWords(messages: unknown[], withEnd: boolean): unknown[] {
  const talk = messages.filter((message) => !isSystemPrompt(message));
  if (talk.length < 2) return messages;
  const asked = talk.findLastIndex(isQuestion);
  const question = asked < 0 ? {} : (talk[asked] as JsonObject);
  const end = withEnd ? tailText(talk.slice(0, Math.max(asked, 0)), { opening: LEFT_OUT_OPENING }) : undefined;
  const since = talk.slice(asked + 1).flatMap(readSpeeches);
  const texts = [
    ...(end === undefined ? [] : [end]),
    ...toBlocks(question).map(wordsIn),
    ...(since.length === 0 ? [] : [[SINCE_THEN, linesText(since)].join("\n\n")]),
  ].filter((text) => text.trim() !== "");
  const content = (texts.length > 0 ? texts : [NOTHING_SAID]).map((text) => ({ type: "text", text }));
  return [...messages.filter(isSystemPrompt), { ...question, role: "user", content }];
}

/** True for a message that holds the marked system prompt: it is no part of the conversation. */
export function isSystemPrompt(message: unknown): boolean {
  if (!isObject(message)) return false;
  if (message.role === "system" || message.role === "developer") return true;
  if (message.role !== "user" || !Array.isArray(message.content)) return false;
  return (message.content as unknown[]).some(
    (block) => isObject(block) && block.type === "text" && block.isSystemPrompt === true,
  );
}

function isQuestion(message: unknown): boolean {
  return isObject(message) && message.role === "user" && !toBlocks(message).some(isResultBlock);
}

function wordsIn(block: unknown): string {
  return isObject(block) && typeof block.text === "string" ? block.text : LEFT_OUT_MEDIA;
}
