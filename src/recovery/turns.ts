import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { ORIGIN_FIELD, withJoinedOrigin } from "../transcript/origin.ts";
import { callsOf } from "./calls.ts";
import { NOTHING_SAID } from "./words.ts";

/**
 * Messages with user and assistant in strict alternation: neighbours of one role are joined, and a word of the
 * assistant's stands between a tool's result and a user's message. For providers that count roles. The same list when
 * nothing has to change.
 */
export function alternate<T>(messages: T[]): T[] {
  const out: unknown[] = [];
  let like: JsonObject | undefined;
  let changed = false;
  let before: unknown;
  for (const neighbours of neighboursIn(messages)) {
    const [message] = neighbours;
    if (isObject(before) && isObject(message) && before.role === "toolResult" && message.role === "user") {
      out.push({ ...(like ??= assistantLike(messages)), content: [{ type: "text", text: NOTHING_SAID }] });
      changed = true;
    }
    changed ||= neighbours.length > 1;
    out.push(neighbours.length > 1 ? joinedOf(neighbours as JsonObject[]) : message);
    before = message;
  }
  return changed ? (out as T[]) : messages;
}

/** The messages in order, in groups: those that are joined to one, and every other one for itself. */
function neighboursIn(messages: readonly unknown[]): unknown[][] {
  const groups: unknown[][] = [];
  for (const message of messages) {
    const group = groups.at(-1);
    const [before] = group ?? [];
    if (
      group &&
      isObject(message) &&
      isObject(before) &&
      before.role === message.role &&
      isJoinable(before) &&
      isJoinable(message)
    )
      group.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** One message with the blocks of all, and the other fields as the last one has them. */
function joinedOf(messages: readonly JsonObject[]): JsonObject {
  const fields = Object.fromEntries(messages.flatMap((message) => Object.entries(message)));
  return withJoinedOrigin({ ...fields, content: messages.flatMap(blocksOf) }, messages);
}

function isJoinable(message: JsonObject): boolean {
  return message.role === "user" || (message.role === "assistant" && callsOf(message).length === 0);
}

/** A message's content as blocks. */
export function blocksOf({ content }: JsonObject): unknown[] {
  if (Array.isArray(content)) return content as unknown[];
  return [{ type: "text", text: typeof content === "string" ? content : "" }];
}

/**
 * The fields an assistant's message of this conversation has besides its words, so that adapters take ours for the
 * model's own.
 */
function assistantLike(messages: readonly unknown[]): JsonObject {
  const last = messages.findLast((message) => isObject(message) && message.role === "assistant") as
    | JsonObject
    | undefined;
  const { errorMessage: _error, [ORIGIN_FIELD]: _origin, ...fields } = last ?? {};
  return { ...fields, role: "assistant", stopReason: "stop" };
}
