/** Which messages a run sends after a move. */
import { idKey, isCallBlock, readCall, readResult } from "../../transcript/read.ts";
import { repair } from "../../transcript/repair.ts";
import { gated } from "../history/gated.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/** The stored path after a move. */
export interface StoredPath {
  /** The messages of the path, as OpenClaw loads them. */
  readonly stored: readonly unknown[];
  /** How many of them, at the end, the move appended: the carryover and the queued user messages. */
  readonly brought: number;
  /** How many turns OpenClaw would load; undefined for all. */
  readonly turns: number | undefined;
  readonly api: string;
}

/**
 * Returns the messages that a run sends after a move: the history up to the target, and the messages that the move
 * appended. Where the run's own list contains the target, the list is cut there, so that its beginning stays the same
 * to the byte (prompt caches hold, OpenClaw's limits stay applied). Otherwise the stored path is used, with as many
 * turns as OpenClaw would load, and passes the history gate. In both cases every call has its result.
 */
export function contextAfter(
  sent: readonly unknown[],
  target: unknown,
  { stored, brought, turns, api }: StoredPath,
): unknown[] {
  const behind = stored.slice(stored.length - brought);
  const at = indexOfEntry(sent, target);
  if (at >= 0) {
    const next = [...sent.slice(0, at + 1), ...behind];
    // The gates have checked this list when it was loaded. A repair is needed only when the cut separates calls from
    // their results.
    return isWholeAt(sent, at) ? next : (repair(next).messages as unknown[]);
  }
  return gated(api, [...lastTurns(stored.slice(0, stored.length - brought), turns), ...behind]);
}

/** True when cutting a valid list behind this index leaves all calls of the last batch with their results. */
function isWholeAt(sent: readonly unknown[], at: number): boolean {
  const open = new Set<string>();
  for (let from = at; from >= 0; from--) {
    const message = sent[from];
    if (!isObject(message)) return false;
    if (message.role === "toolResult") open.add(idKey(readResult(message).id));
    if (message.role !== "assistant") continue;
    const calls = Array.isArray(message.content) ? message.content.filter(isCallBlock) : [];
    return calls.every((call) => open.has(idKey(readCall(call).id)));
  }
  return true;
}

/**
 * Returns the index of a stored entry's message in a list that went through OpenClaw's sanitising; -1 when it is
 * missing or more than one message could be it.
 */
function indexOfEntry(sent: readonly unknown[], entry: unknown): number {
  const message = isObject(entry) ? entry.message : undefined;
  if (!isObject(message) || message.timestamp === undefined) return -1;
  const isMessageOfEntry = (one: unknown): boolean =>
    isObject(one) &&
    one.role === message.role &&
    one.timestamp === message.timestamp &&
    one.toolCallId === message.toolCallId;
  const at = sent.findIndex(isMessageOfEntry);
  return at >= 0 && sent.findLastIndex(isMessageOfEntry) === at ? at : -1;
}

/**
 * Limits messages as OpenClaw limits the history of a direct chat: the last `turns` user messages, and all messages
 * behind the first of them.
 */
function lastTurns(messages: readonly unknown[], turns: number | undefined): readonly unknown[] {
  if (turns === undefined) return messages;
  let left = turns;
  const first = messages.findLastIndex((message) => isObject(message) && message.role === "user" && --left === 0);
  return first < 0 ? messages : messages.slice(first);
}

/** Returns how many turns `limitHistoryTurns` has kept of a history; undefined when it removed none. */
export function turnsLeft(before: readonly unknown[], after: readonly unknown[]): number | undefined {
  const [first, kept] = [before.find(isObject), after.find(isObject)] as (JsonObject | undefined)[];
  if (
    !first ||
    !kept ||
    after.length >= before.length ||
    (first.role === kept.role && first.timestamp === kept.timestamp)
  )
    return undefined;
  return after.filter((message) => isObject(message) && message.role === "user").length;
}
