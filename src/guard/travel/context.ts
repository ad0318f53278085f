import { idKey, isCallBlock, readCall, readResult } from "../../transcript/read.ts";
import { repair } from "../../transcript/repair.ts";
import { gated } from "../history/gated.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/** What the store has after a move. */
export interface StoredPath {
  /** The messages of the path, as OpenClaw loads them. */
  readonly stored: readonly unknown[];
  /** How many of them, at the end, came along. */
  readonly brought: number;
  /** How many turns of the user's OpenClaw would load; undefined for all. */
  readonly turns: number | undefined;
  readonly api: string;
}

/**
 * What a run sends after a move: the history up to the target and what came along. Where the run has the target in
 * front of it, its own list is cut there, so that what stays is the same to the byte (prompt caches hold, OpenClaw's
 * limits stay applied). Else the stored path is taken, with as many turns as OpenClaw would load, and goes through the
 * gates of a load. Either way every call has its result.
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
    // The gates have seen this list when it was loaded; only cut in the middle of what they had put right it wants its
    // pairs again.
    return isWholeAt(sent, at) ? next : (repair(next).messages as unknown[]);
  }
  return gated(api, [...lastTurns(stored.slice(0, stored.length - brought), turns), ...behind]);
}

/** Whether a list that was whole is so up to this place: its last batch of calls is not cut through. */
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
 * Where a stored entry is in a list that went through OpenClaw's sanitising; -1 when it is not there, or not for
 * certain.
 */
function indexOfEntry(sent: readonly unknown[], entry: unknown): number {
  const message = isObject(entry) ? entry.message : undefined;
  if (!isObject(message) || message.timestamp === undefined) return -1;
  const isIt = (one: unknown): boolean =>
    isObject(one) &&
    one.role === message.role &&
    one.timestamp === message.timestamp &&
    one.toolCallId === message.toolCallId;
  const at = sent.findIndex(isIt);
  return at >= 0 && sent.findLastIndex(isIt) === at ? at : -1;
}

/**
 * As OpenClaw limits the history of a direct chat: so many messages of the user's, and what lies behind the first of
 * them.
 */
function lastTurns(messages: readonly unknown[], turns: number | undefined): readonly unknown[] {
  if (turns === undefined) return messages;
  let left = turns;
  const first = messages.findLastIndex((message) => isObject(message) && message.role === "user" && --left === 0);
  return first < 0 ? messages : messages.slice(first);
}

/** How many turns OpenClaw's limit has left of a history; undefined when it took none away. */
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
