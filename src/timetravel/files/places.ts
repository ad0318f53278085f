/** The files of a place: which recorded changes of a workspace belong to which entries. */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { type FilePlace, moveMark } from "../../workspace/index.ts";
import type { History } from "../history.ts";
import { readArrival } from "../records.ts";

/** What a move does with the files of the workspace. */
export type Files = "restore" | "keep";

/**
 * Identifies an entry in the records of a workspace. OpenClaw gives entries other ids when it copies a session, and
 * early releases store a result after it was reported: the mark of a message is made of what stays and is known before.
 */
export function markOfEntry(entry: JsonObject): string {
  const arrival = readArrival(entry);
  if (arrival) return moveMark(arrival.intentId);
  return (isObject(entry.message) ? markOfMessage(entry.message) : undefined) ?? `entry:${String(entry.id)}`;
}

/** {@link markOfEntry} for the message of an entry that may not be stored yet; undefined for one without a time. */
export function markOfMessage({ role, timestamp, toolCallId }: JsonObject): string | undefined {
  if (typeof timestamp !== "number" && typeof timestamp !== "string") return undefined;
  return typeof toolCallId === "string" ? `call:${toolCallId}|${timestamp}` : `said:${String(role)}|${timestamp}`;
}

/** Returns the marks by which a workspace's records find the files of a target. */
export function toFilePlace(history: History, targetId: string | null): FilePlace {
  return {
    onPath: new Set(history.path(targetId).map(({ entry }) => markOfEntry(entry))),
    inHistory: new Set(history.nodes().map(({ entry }) => markOfEntry(entry))),
  };
}

/** Whether a history has made this move: its carryover is on the present path. */
export function isMadeIn(history: History, intentId: string): boolean {
  return history.path().some(({ entry }) => readArrival(entry)?.intentId === intentId);
}
