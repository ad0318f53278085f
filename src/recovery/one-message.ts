import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { speechesOf, linesText } from "./speeches.ts";
import { blocksOf } from "./turns.ts";

const OPENING =
  '[The conversation so far, as text. Each line that begins with "> " is quoted, and the line above the quotation says whose words they are.]';
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
  const text = [OPENING, linesText(before.flatMap(speechesOf)), ...(isAsked ? [CLOSING] : [])].join("\n\n");
  const fields: JsonObject = isAsked ? last : { role: "user" };
  return [{ ...fields, content: [{ type: "text", text }, ...(isAsked ? blocksOf(last) : [])] }];
}
