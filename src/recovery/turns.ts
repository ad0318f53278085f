import { isObject, type JsonObject } from "../transcript/json.ts";
import { ORIGIN_FIELD, withJoinedOrigin } from "../transcript/origin.ts";
import { callsOf } from "./calls.ts";
import { NOTHING_SAID } from "./words.ts";

/**
 * Messages with user and assistant in strict alternation: neighbours of one role are joined, and a word of the assistant's stands
 * between a tool's result and a user's message. For providers that count roles. The same list when nothing has to change.
 */
export function alternate<T>(messages: T[]): T[] {
  const out: unknown[] = [];
  /** The content of the last message, once it is one of several. */
  let joined: unknown[] | undefined;
  let like: JsonObject | undefined;
  let changed = false;
  for (const message of messages) {
    const before = out.at(-1);
    if (isObject(message) && isObject(before)) {
      if (before.role === message.role && (joined || isJoinable(before)) && isJoinable(message)) {
        joined ??= [...blocksOf(before)];
        for (const block of blocksOf(message)) joined.push(block);
        out[out.length - 1] = withJoinedOrigin({ ...before, ...message, content: joined }, before, message);
        changed = true;
        continue;
      }
      if (before.role === "toolResult" && message.role === "user") {
        out.push({ ...(like ??= assistantLike(messages)), content: [{ type: "text", text: NOTHING_SAID }] });
        changed = true;
      }
    }
    out.push(message);
    joined = undefined;
  }
  return changed ? (out as T[]) : messages;
}

function isJoinable(message: JsonObject): boolean {
  return message.role === "user" || (message.role === "assistant" && callsOf(message).length === 0);
}

/** A message's content as blocks. */
export function blocksOf({ content }: JsonObject): unknown[] {
  if (Array.isArray(content)) return content as unknown[];
  return [{ type: "text", text: typeof content === "string" ? content : "" }];
}

/** The fields an assistant's message of this conversation has besides its words, so that adapters take ours for the model's own. */
function assistantLike(messages: readonly unknown[]): JsonObject {
  const last = messages.findLast((message) => isObject(message) && message.role === "assistant") as JsonObject | undefined;
  const { errorMessage: _error, [ORIGIN_FIELD]: _origin, ...fields } = last ?? {};
  return { ...fields, role: "assistant", stopReason: "stop" };
}
