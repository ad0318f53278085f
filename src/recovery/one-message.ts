import { isBlank, isObject, type JsonObject } from "../transcript/json.ts";
import { plainText } from "../transcript/text.ts";
import { asText } from "./as-text.ts";
import { blocksOf } from "./turns.ts";
import { NOTHING_SAID } from "./words.ts";

const OPENING = "The conversation so far, as text:";
const SPEAKERS: Record<string, string> = { user: "User", assistant: "Assistant" };

/** A message as one line of a conversation, `User: hello`; undefined when it has no words. */
export function spokenLine(message: unknown): { speaker: string; words: string } | undefined {
  const turned = asText(message);
  if (!isObject(turned)) return undefined;
  const speaker = SPEAKERS[String(turned.role)];
  if (speaker === undefined) return undefined;
  const words = blocksOf(turned)
    .map((block) => (isObject(block) && block.type === "text" ? plainText(block.text) : ""))
    .filter((part) => !isBlank(part) && part !== NOTHING_SAID)
    .join("\n");
  return isBlank(words) ? undefined : { speaker, words };
}

/**
 * A history as one message of the user's: what was said before, as text, and the newest message of the user's as it is. The same list when
 * there is only one message.
 */
export function asOneMessage(messages: unknown[]): unknown[] {
  if (messages.length < 2) return messages;
  const last = messages.at(-1);
  const isAsked = isObject(last) && last.role === "user";
  const before = isAsked ? messages.slice(0, -1) : messages;
  const lines = before.flatMap((message) => spokenLine(message) ?? []).map(({ speaker, words }) => `${speaker}: ${words}`);
  const text = { type: "text", text: [OPENING, ...lines].join("\n\n") };
  const fields: JsonObject = isAsked ? last : { role: "user" };
  return [{ ...fields, content: [text, ...(isAsked ? blocksOf(last) : [])] }];
}
