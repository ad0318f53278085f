import { isObject } from "../../transcript/json/json.ts";
import { isResultBlock } from "../../transcript/read.ts";
import { isSystemPrompt } from "../forms/one-message.ts";
import { toBlocks } from "../forms/blocks.ts";

/** True for a message of the user's that answers no call: a person's question, before which a history can be cut. */
export function isQuestion(message: unknown): boolean {
  return isUser(message) && !isSystemPrompt(message) && !toBlocks(message).some(isResultBlock);
}

/** True for a message in which the user says something, behind results too. */
export function isAsked(message: unknown): boolean {
  return isUser(message) && !isSystemPrompt(message) && !toBlocks(message).every(isResultBlock);
}

/** True for a message of the assistant's, with which a step begins: its calls, and their results behind it. */
export function isAnswer(message: unknown): boolean {
  return isObject(message) && message.role === "assistant";
}

function isUser(message: unknown): message is Record<string, unknown> {
  return isObject(message) && message.role === "user";
}
