import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { ORIGIN_FIELD, withJoinedOrigin } from "../../transcript/origin.ts";
import { OPENING_TEXT } from "../../transcript/repair.ts";
import { toBlocks } from "./blocks.ts";
import { listCalls } from "./calls.ts";
import { NOTHING_SAID } from "../words.ts";

/**
 * Brings user and assistant messages into strict alternation, for providers that check roles: joins neighbours of one
 * role, and inserts an assistant message between a tool result and a user message. Returns the same list when nothing
 * has to change.
 */
export function alternate<T>(messages: T[]): T[] {
  const out: unknown[] = [];
  let template: JsonObject | undefined;
  let changed = false;
  let before: unknown;
  for (const neighbours of neighboursIn(messages)) {
    const [message] = neighbours;
    if (isObject(before) && isObject(message) && before.role === "toolResult" && message.role === "user") {
      out.push({ ...(template ??= assistantTemplate(messages)), content: [{ type: "text", text: NOTHING_SAID }] });
      changed = true;
    }
    changed ||= neighbours.length > 1;
    out.push(neighbours.length > 1 ? joinMessages(neighbours as JsonObject[]) : message);
    before = message;
  }
  return changed ? (out as T[]) : messages;
}

/** Has the user begin a history that begins with the assistant. Returns the same list when nothing has to change. */
export function withOpening<T>(messages: T[]): T[] {
  const [first] = messages;
  if (!isObject(first) || first.role !== "assistant") return messages;
  return [{ role: "user", content: OPENING_TEXT } as T, ...messages];
}

/** Groups the messages, in order: each group of several is to be joined to one message. */
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

/** Joins messages: the blocks of all, and of every other field the last value. */
function joinMessages(messages: readonly JsonObject[]): JsonObject {
  const fields = Object.fromEntries(messages.flatMap((message) => Object.entries(message)));
  return withJoinedOrigin({ ...fields, content: messages.flatMap(toBlocks) }, messages);
}

/** Whether a message may be joined with a neighbour: not an answer with calls, whose results must follow at once. */
function isJoinable(message: JsonObject): boolean {
  return message.role === "user" || (message.role === "assistant" && listCalls(message).length === 0);
}

/**
 * Returns the fields of this conversation's last assistant message without its text, so that adapters treat an inserted
 * message as the model's own.
 */
function assistantTemplate(messages: readonly unknown[]): JsonObject {
  const last = messages.findLast((message) => isObject(message) && message.role === "assistant") as
    | JsonObject
    | undefined;
  const { errorMessage: _error, [ORIGIN_FIELD]: _origin, ...fields } = last ?? {};
  return { ...fields, role: "assistant", stopReason: "stop" };
}
