import { isObject, toWord, type JsonObject } from "../../transcript/json/json.ts";
import { freshId } from "../../transcript/json/hash.ts";
import { isCallBlock } from "../../transcript/read.ts";

/** Returns the tool calls of a message in OpenClaw's format. */
export function listCalls(message: unknown): JsonObject[] {
  if (!isObject(message) || !Array.isArray(message.content)) return [];
  return (message.content as unknown[]).filter(isCallBlock);
}

/**
 * Brings tool traffic into the form that the strictest APIs accept: one call in a message, its result directly behind
 * it, each id unique and made of nine letters and digits. Keeps all calls and results. Expects a history from
 * `prepare`; returns the same list when it has no tool traffic.
 */
export function oneCallEach<T>(messages: T[]): T[] {
  if (!messages.some((message) => listCalls(message).length > 0)) return messages;
  const usedIds = new Set<string>();
  const written: unknown[] = [];
  messages.forEach((message, at) => {
    if (isObject(message) && message.role === "toolResult") return;
    const calls = listCalls(message).length;
    if (!isObject(message) || calls === 0) {
      written.push(message);
      return;
    }
    const results = resultsBehind(messages, at);
    let index = 0;
    let part: unknown[] = [];
    for (const block of message.content as unknown[]) {
      if (!isCallBlock(block)) {
        part.push(block);
        continue;
      }
      const id = isPlainId(block.id, usedIds) ? block.id : freshId(toWord(block.id), index, usedIds);
      part.push({ ...block, id });
      written.push({ ...message, content: part });
      const result = results.get(block.id);
      if (result) written.push({ ...result, toolCallId: id });
      // Blocks behind the last call stay with it.
      if (++index < calls) part = [];
    }
  });
  return written as T[];
}

/** True for an id of nine small letters and digits that was not used before; adds the id to `usedIds`. */
function isPlainId(id: unknown, usedIds: Set<string>): id is string {
  if (typeof id !== "string" || !/^[a-z0-9]{9}$/.test(id) || usedIds.has(id)) return false;
  usedIds.add(id);
  return true;
}

/** Returns the results directly behind a message, the first of each id. */
function resultsBehind(messages: readonly unknown[], at: number): Map<unknown, JsonObject> {
  const results = new Map<unknown, JsonObject>();
  for (let next = at + 1; next < messages.length; next++) {
    const message = messages[next];
    if (!isObject(message) || message.role !== "toolResult") break;
    if (!results.has(message.toolCallId)) results.set(message.toolCallId, message);
  }
  return results;
}
