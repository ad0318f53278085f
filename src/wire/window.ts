/** The stretch of a history that its repair has to see: where one place is at fault, the rest is not even read. */
import { isObject } from "../transcript/json/json.ts";
import { isResultBlock } from "../transcript/read.ts";
import type { BodyMessage, WireViolation } from "./model.ts";

/** Items of a body, from `first` to before `end`. */
export interface Window {
  readonly first: number;
  readonly end: number;
}

/** Returns the index of the item that a path names; NaN where it names none. */
export function indexIn(path: string): number {
  return Number(path.split(".", 2)[1] ?? Number.NaN);
}

/**
 * Returns the stretch from the user's words before all that is at fault to those behind; undefined where that is the
 * whole history, or a fault has no place.
 */
export function windowAround(items: readonly unknown[], found: readonly WireViolation[]): Window | undefined {
  const faults = new Set(found.map(({ path }) => indexIn(path)));
  let first = items.length;
  let last = -1;
  for (const at of faults) {
    if (!(at < items.length)) return undefined;
    first = Math.min(first, at);
    last = Math.max(last, at);
  }
  do first--;
  while (first >= 0 && !isUsersWords(items[first]));
  do last++;
  while (last < items.length && !isUsersWords(items[last]));
  const window = { first: Math.max(first, 0), end: Math.min(last + 1, items.length) };
  return window.first === 0 && window.end === items.length ? undefined : window;
}

/** True for a message of the user's that answers no call: in a valid history no call is open before it. */
function isUsersWords(item: unknown): boolean {
  if (!isObject(item) || item.role !== "user") return false;
  const content = item.parts ?? item.content;
  if (typeof content === "string") return true;
  return Array.isArray(content) && content.length > 0 && !content.some((block) => !isObject(block) || isResult(block));
}

function isResult(block: object): boolean {
  return isResultBlock(block) || "function_response" in block;
}

/** Returns the ids of calls without a result and of results without a call. */
export function unpairedIds(messages: readonly BodyMessage[]): Set<unknown> {
  const calls = callIds(messages);
  const results = new Set<unknown>();
  for (const { role, toolCallId } of messages) if (role === "toolResult") results.add(toolCallId);
  const unpaired = new Set([...calls].filter((id) => !results.has(id)));
  for (const id of results) if (!calls.has(id)) unpaired.add(id);
  return unpaired;
}

/** Returns the ids of all calls. */
export function callIds(messages: readonly BodyMessage[]): Set<unknown> {
  const ids = new Set<unknown>();
  for (const { role, content } of messages)
    if (role !== "toolResult" && Array.isArray(content))
      for (const block of content as unknown[]) if (isObject(block) && block.type === "toolCall") ids.add(block.id);
  return ids;
}

/** How deep in an item an id lies: in an object of a part of its list. */
const ID_DEPTH = 4;

/** True when an item outside of the window has one of these ids. */
export function isNamedOutside(items: readonly unknown[], { first, end }: Window, ids: ReadonlySet<unknown>): boolean {
  if (ids.size === 0) return false;
  return items.some((item, at) => (at < first || at >= end) && names(item, ids, ID_DEPTH));
}

function names(value: unknown, ids: ReadonlySet<unknown>, depth: number): boolean {
  if (typeof value === "string") return ids.has(value);
  if (depth === 0 || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((one) => names(one, ids, depth - 1));
  for (const key in value) if (names((value as Record<string, unknown>)[key], ids, depth - 1)) return true;
  return false;
}
