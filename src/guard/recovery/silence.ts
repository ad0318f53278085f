/** Answers by which an agent says nothing, and whether a person was told anything in a turn. */
import { isObject, toWord, type JsonObject } from "../../transcript/json/json.ts";
import type { AssistantMessage } from "../openclaw/stream-events.ts";

/** Tools of OpenClaw's by whose calls no person is told anything. */
const UNHEARD: ReadonlySet<unknown> = new Set([
  "read",
  "write",
  "edit",
  "apply_patch",
  "grep",
  "find",
  "ls",
  "exec",
  "process",
  "web_search",
  "web_fetch",
  "memory_search",
  "memory_get",
  "image",
  "session_status",
  "sessions_list",
  "sessions_history",
  "agents_list",
]);

/** The answers by which an agent says nothing; OpenClaw passes neither on to a person. */
const SIGN = /^\W{0,20}(NO_REPLY|HEARTBEAT_OK)\W{0,20}$/;

const SIGNS = ["NO_REPLY", "HEARTBEAT_OK"] as const;
/** How many other characters may stand around a sign. */
const AROUND = 20;

/** True for the beginning of an answer that may yet be nothing but the sign by which an agent says nothing. */
export function mayBecomeSign(text: string): boolean {
  const rest = text.replace(/^\W{0,20}/, "");
  return SIGNS.some((sign) => sign.startsWith(rest) || (rest.startsWith(sign) && isAround(rest.slice(sign.length))));
}

function isAround(text: string): boolean {
  return text.length <= AROUND && /^\W*$/.test(text);
}

/** True for an answer that ends without a word and without a call: nothing, or nothing but thinking. */
export function isWordless({ content, stopReason }: AssistantMessage): boolean {
  return (stopReason === "stop" || stopReason === "length") && content.every(isThought);
}

function isThought(block: JsonObject): boolean {
  return block.type === "thinking" || (block.type === "text" && toWord(block.text).trim() === "");
}

/** True for an answer of nothing but the sign by which an agent says nothing. */
export function isSilentSign({ content, stopReason }: AssistantMessage): boolean {
  const texts = content.filter((block) => !isThought(block));
  return stopReason === "stop" && texts.length === 1 && texts[0]!.type === "text" && SIGN.test(toWord(texts[0]!.text));
}

/**
 * True where nobody was told anything since the newest message of a user: the agent has said nothing, and has called no
 * tool that may have.
 */
export function hasToldNothing(messages: readonly unknown[]): boolean {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (!isObject(message)) continue;
    if (message.role === "user") return true;
    if (message.role !== "assistant") continue;
    const content = Array.isArray(message.content) ? (message.content as unknown[]) : [];
    if (!content.every((block) => isObject(block) && isUnheard(block))) return false;
  }
  return false;
}

function isUnheard(block: JsonObject): boolean {
  return block.type === "toolCall" ? UNHEARD.has(block.name) : isThought(block);
}

/** Returns how many messages of users there are. */
export function countQuestions(messages: readonly unknown[]): number {
  let count = 0;
  for (const message of messages) if (isObject(message) && message.role === "user") count++;
  return count;
}
