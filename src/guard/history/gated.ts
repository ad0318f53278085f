import { isObject } from "../../transcript/json/json.ts";
import { asJson } from "../../transcript/json/plain.ts";
import { repair } from "../../transcript/repair.ts";
import { prepare } from "../../wire/prepare.ts";

/** A history as a load lets it through: both halves of the history gate. The very same list when it is healthy. */
export function gated(api: string, messages: unknown[]): unknown[] {
  return withJoinableUsers(repair(prepare(api, messages)).messages as unknown[]);
}

/**
 * What `work` makes of the messages. Where some of them are no JSON (a property of theirs throws, or they contain
 * themselves) and it throws for that, it is done again with copies of those that are; the others stay as they are.
 * Throws only what has another cause.
 */
export function readably<T>(messages: unknown[], work: (messages: unknown[]) => T): T {
  try {
    return work(messages);
  } catch (error) {
    return work(asJson(messages, error).items);
  }
}

/**
 * Neighbouring user messages with their texts in blocks: OpenClaw 2026.2 joins such neighbours for Anthropic and loses
 * every text that is a plain string.
 */
export function withJoinableUsers(messages: unknown[]): unknown[] {
  let changed: unknown[] | undefined;
  messages.forEach((message, at) => {
    if (!isObject(message) || message.role !== "user" || typeof message.content !== "string") return;
    if (!isUser(messages[at - 1]) && !isUser(messages[at + 1])) return;
    changed ??= messages.slice();
    changed[at] = { ...message, content: [{ type: "text", text: message.content }] };
  });
  return changed ?? messages;
}

function isUser(message: unknown): boolean {
  return isObject(message) && message.role === "user";
}
