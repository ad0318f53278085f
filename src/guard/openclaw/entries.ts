/** Entries of a transcript as OpenClaw's session manager gives them. */
import { NOTE_TYPE } from "../../store/sessions/stored-session.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { SessionManager } from "./session.ts";

/** Types of entries that OpenClaw keeps for itself and does not send to a model. */
export const NOTES: ReadonlySet<unknown> = new Set([
  "custom",
  "label",
  "model_change",
  "session_info",
  "thinking_level_change",
]);

/** True for the entry of a message of this role. */
export function isRoleEntry(role: string, entry: unknown): boolean {
  return isObject(entry) && entry.type === "message" && isObject(entry.message) && entry.message.role === role;
}

/** True for the note that is appended behind a message that is to be kept. */
export function isHold(entry: unknown): boolean {
  return isObject(entry) && entry.type === "custom" && entry.customType === NOTE_TYPE;
}

/**
 * Returns the last entry on the path up to `upTo` (the leaf by default) that is no note. OpenClaw appends notes behind
 * a message, and again behind the previous message when it removes that one.
 */
export function findLastEntry(
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

/** How many entries before the leaf are looked at for what a run has stored. */
const MAX_STEPS_BACK = 400;

/**
 * Yields the stored messages from the leaf backwards, over at most {@link MAX_STEPS_BACK} entries and those behind
 * `before` only.
 */
export function* messagesFromLeaf(
  manager: SessionManager | undefined,
  before?: string | null,
): Generator<Record<string, unknown>> {
  if (!manager?.getLeafId || !manager.getEntry) return;
  let id: unknown = manager.getLeafId();
  for (let steps = 0; typeof id === "string" && id !== before && steps < MAX_STEPS_BACK; steps++) {
    const entry = manager.getEntry(id);
    if (!isObject(entry)) return;
    if (entry.type === "message" && isObject(entry.message)) yield entry.message;
    id = entry.parentId;
  }
}
