import type { JsonObject } from "../../transcript/json/json.ts";
import { plainText, joinTexts } from "../../transcript/json/text.ts";

/** Returns the text of a user message. */
export function messageText({ content }: JsonObject): string {
  return Array.isArray(content) ? joinTexts(content) : plainText(content);
}

/** Whether a text is the whole prompt, or whole lines of it: OpenClaw puts several messages into one. */
export function isCarried(prompt: unknown, text: string): boolean {
  return typeof prompt === "string" && text.trim() !== "" && `\n${prompt}\n`.includes(`\n${text.trim()}\n`);
}
