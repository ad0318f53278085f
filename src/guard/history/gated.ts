import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { isUserMessage } from "../../transcript/read.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { asJson } from "../../transcript/json/plain.ts";
import { repair } from "../../transcript/repair.ts";
import { prepare } from "../../wire/prepare.ts";
import { noUsage } from "../openclaw/usage.ts";

/** Applies both halves of the history gate to a history, as a load does. A valid history stays the same list. */
export function gated(api: string, messages: unknown[]): unknown[] {
  return withReadFields(repair(prepare(api, messages)).messages as unknown[]);
}

/**
 * Returns the result of `work` on the messages. When `work` throws because some messages are no JSON (a getter throws,
 * or they contain themselves), it runs again with JSON copies of these messages; the others stay as they are. Throws
 * every error that has another cause.
 */
export function withUnreadableCopied<T>(messages: unknown[], work: (messages: unknown[]) => T): T {
  try {
    return work(messages);
  } catch (error) {
    return work(asJson(messages, error).items);
  }
}

/**
 * Gives the messages what OpenClaw itself reads of them beside what is sent, so that no turn ends because of it.
 * Messages that have it stay the same list.
 */
export function withReadFields(messages: unknown[]): unknown[] {
  return mapChanged(messages, (message, at) => {
    if (!isObject(message)) return message;
    if (message.role === "assistant") return withUsage(withoutBuffers(message));
    return isUserMessage(message) && (isUserMessage(messages[at - 1]) || isUserMessage(messages[at + 1]))
      ? joinable(message)
      : message;
  });
}

/**
 * Removes the text of their arguments from calls, which by now are complete: OpenClaw 2026.9 leaves a turn with
 * thinking and such a call out of requests to Anthropic, and its results.
 */
function withoutBuffers(message: JsonObject): JsonObject {
  if (!Array.isArray(message.content)) return message;
  const content = mapChanged(message.content as unknown[], (block) => {
    if (!isObject(block) || block.type !== "toolCall" || block.partialJson === undefined) return block;
    const { partialJson: _received, ...call } = block;
    return call;
  });
  return content === message.content ? message : { ...message, content };
}

/**
 * Returns a message that has counts of its tokens: OpenClaw 2026.2 reads those of the last answer, and ends the turn
 * where that answer was stored without them.
 */
function withUsage(message: JsonObject): JsonObject {
  const { usage } = message;
  if (isObject(usage) && isObject(usage.cost)) return message;
  const none = noUsage();
  return { ...message, usage: { ...none, ...(isObject(usage) && usage), cost: none["cost"] } };
}

/**
 * Puts the text of a user message beside another one into a block: OpenClaw 2026.2 merges such neighbours for Anthropic
 * and loses every text that is a plain string.
 */
function joinable(message: JsonObject): JsonObject {
  const { content } = message;
  return typeof content === "string" ? { ...message, content: [{ type: "text", text: content }] } : message;
}
