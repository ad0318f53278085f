import { isObject, type JsonObject } from "../transcript/json.ts";

/**
 * What a run sends after a move: the history up to the target and what came along. Where the run has the target in front of it, its own list is cut
 * there, so that what stays is the same to the byte (prompt caches hold, OpenClaw's limits stay applied). Else the stored path is taken, with as many
 * turns of the user's as OpenClaw would load.
 */
export function contextAfter(sent: readonly unknown[], target: unknown, stored: readonly unknown[], brought: number, turns: number | undefined): unknown[] {
  const behind = stored.slice(stored.length - brought);
  const at = indexOfEntry(sent, target);
  if (at >= 0) return [...sent.slice(0, at + 1), ...behind];
  return [...lastTurns(stored.slice(0, stored.length - brought), turns), ...behind];
}

/** Where a stored entry is in a list that went through OpenClaw's sanitising; -1 when it is not there, or not for certain. */
function indexOfEntry(sent: readonly unknown[], entry: unknown): number {
  const message = isObject(entry) ? entry.message : undefined;
  if (!isObject(message) || message.timestamp === undefined) return -1;
  const isIt = (one: unknown): boolean =>
    isObject(one) && one.role === message.role && one.timestamp === message.timestamp && one.toolCallId === message.toolCallId;
  const at = sent.findIndex(isIt);
  return at >= 0 && sent.findLastIndex(isIt) === at ? at : -1;
}

/** As OpenClaw limits the history of a direct chat: so many messages of the user's, and what lies behind the first of them. */
function lastTurns(messages: readonly unknown[], turns: number | undefined): readonly unknown[] {
  if (turns === undefined) return messages;
  let left = turns;
  const first = messages.findLastIndex((message) => isObject(message) && message.role === "user" && --left === 0);
  return first < 0 ? messages : messages.slice(first);
}

/** How many turns OpenClaw's limit has left of a history; undefined when it took none away. */
export function turnsLeft(before: readonly unknown[], after: readonly unknown[]): number | undefined {
  const [first, kept] = [before.find(isObject), after.find(isObject)] as (JsonObject | undefined)[];
  if (!first || !kept || after.length >= before.length || (first.role === kept.role && first.timestamp === kept.timestamp)) return undefined;
  return after.filter((message) => isObject(message) && message.role === "user").length;
}
