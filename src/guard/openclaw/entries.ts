import { processStart } from "../../base/processes.ts";
import { NOTE_TYPE } from "../../store/sessions/stored-session.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { SessionManager } from "./session.ts";

/** Entries that OpenClaw keeps for itself and a model does not see. */
export const NOTES: ReadonlySet<unknown> = new Set([
  "custom",
  "label",
  "model_change",
  "session_info",
  "thinking_level_change",
]);

/**
 * Entries from before this process were left by one that was killed; its own are those of a turn that OpenClaw tries
 * again.
 */
export function isFromBefore(at: number): boolean {
  return at < processStart();
}

/** The same of an entry by its own time. */
export function isEntryFromBefore({ timestamp }: Record<string, unknown>): boolean {
  return typeof timestamp === "string" && isFromBefore(Date.parse(timestamp));
}

/** True for the entry of a message of this role. */
export function isEntryOf(role: string, entry: unknown): boolean {
  return isObject(entry) && entry.type === "message" && isObject(entry.message) && entry.message.role === role;
}

/** True for the entry behind a kept message. */
export function isHold(entry: unknown): boolean {
  return isObject(entry) && entry.type === "custom" && entry.customType === NOTE_TYPE;
}

/**
 * The last entry up to this one, the leaf unless told, that is more than a note of OpenClaw's: notes are written behind
 * a message, and anew behind the one before it when it is taken off.
 */
export function lastEntryOf(
  manager: SessionManager,
  upTo: unknown = manager.getLeafId?.(),
): Record<string, unknown> | undefined {
  const seen = new Set<string>();
  for (let id = upTo; typeof id === "string" && !seen.has(id);) {
    seen.add(id);
    const entry = manager.getEntry?.(id);
    if (!isObject(entry) || !NOTES.has(entry.type)) return isObject(entry) ? entry : undefined;
    id = entry.parentId;
  }
  return undefined;
}
