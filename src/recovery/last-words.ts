import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { isResultBlock } from "../transcript/read.ts";
import { linesText, speechesOf } from "./speeches.ts";
import { tailText } from "./tail.ts";
import { blocksOf } from "./turns.ts";
import { LEFT_OUT_MEDIA, LEFT_OUT_OPENING, NOTHING_SAID, SINCE_THEN } from "./words.ts";

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
  const since = talk.slice(asked + 1).flatMap(speechesOf);
  const texts = [
    ...(end === undefined ? [] : [end]),
    ...blocksOf(question).map(wordsIn),
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
  return isObject(message) && message.role === "user" && !blocksOf(message).some(isResultBlock);
}

function wordsIn(block: unknown): string {
  return isObject(block) && typeof block.text === "string" ? block.text : LEFT_OUT_MEDIA;
}
