/** Branches that replace the end of a path, between two notes, so that a kill in the middle is seen. */
import { randomUUID } from "node:crypto";
import { readArrival } from "../../timetravel/index.ts";
import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { logFailure, logLine } from "../base/log.ts";
import { hasMethods, type SessionManager } from "../openclaw/session.ts";

/**
 * A branch that replaces the end of a path entry by entry. Its first entry is a note that names the old leaf, and its
 * last one is a note that says that it is complete: the branch that a kill left half is not taken for the conversation.
 */
const REWRITE_TYPE = "openclaw-integrity.rewrite";

/** What the two notes hold. */
interface Note {
  readonly id: string;
  /** The leaf that is replaced; only in the first note. */
  readonly replaces?: string;
}

/** The part of OpenClaw's session manager that notes are appended with. */
export interface NotingManager extends SessionManager {
  appendCustomEntry: (customType: string, data: unknown) => unknown;
}

/** The part of OpenClaw's session manager by which a half branch is left for the old path. */
interface LeavingManager extends SessionManager {
  getBranch: (fromId?: string) => readonly unknown[];
  getEntries: () => readonly unknown[];
  getEntry: (id: string) => unknown;
  getLeafId: () => string | null;
  branch: (entryId: string) => void;
  buildSessionContext: () => { messages: unknown[] };
  /** Since 2026.8, where a run loads only its own branch: loads all others too. */
  ensureCompletePersistedHistory?: () => void;
}

/** Entries that stand for those before them. */
const BOUNDARIES: ReadonlySet<unknown> = new Set(["compaction", "reset", "branch_summary"]);

/** Appends the first note of a branch that replaces `leaf`; gives the function that appends the last one. */
export function beginRewrite(manager: NotingManager, leaf: string): () => void {
  const id = randomUUID();
  manager.appendCustomEntry(REWRITE_TYPE, { id, replaces: leaf } satisfies Note);
  return () => void manager.appendCustomEntry(REWRITE_TYPE, { id } satisfies Note);
}

/** True for a session whose path goes through a branch that a kill left half. */
export function isHalf(manager: SessionManager): boolean {
  return canLeaveBranch(manager) && findHalfBranch(manager, manager.getBranch().filter(isObject)) !== undefined;
}

/** Returns the entries without notes, which belong to the branch that they stand in. */
export function withoutNotes(entries: readonly JsonObject[]): JsonObject[] {
  return entries.filter((entry) => noteIn(entry) === undefined);
}

/**
 * Returns the history of a session whose end was being replaced when OpenClaw was killed: that of the old path, to
 * which the session manager returns. Where messages have followed the half branch since, they are put behind the old
 * path's in the list only. Any other history is returned as it is. Never throws.
 */
export function withWholePath(manager: SessionManager | undefined, messages: unknown[]): unknown[] {
  if (!canLeaveBranch(manager)) return messages;
  try {
    const path = manager.getBranch().filter(isObject);
    const begun = findHalfBranch(manager, path);
    if (begun === undefined) return messages;
    const { replaces } = noteIn(path[begun])!;
    if (manager.getEntry(replaces!) === undefined) return messages;
    const replaced = entriesBehind(manager.getBranch(replaces).filter(isObject), path[begun]!.parentId);
    const copies = withoutNotes(path.slice(begun + 1));
    const firstUncopied = replaced.findIndex((entry, at) => !isCopy(copies[at], entry));
    if (firstUncopied < 0) return messages;
    const since = copies.slice(firstUncopied);
    // A move has led to the path as it is.
    if (since.some((entry) => BOUNDARIES.has(entry.type) || readArrival(entry) !== undefined)) return messages;
    logLine("session load: a rewrite of the history was interrupted; the history from before it is used");
    return historyAt(manager, replaces!, since.flatMap(messageIn));
  } catch (error) {
    logFailure("session load (interrupted rewrite)", error, "the history is used unchanged");
    return messages;
  }
}

function historyAt(manager: LeavingManager, leaf: string, since: readonly unknown[]): unknown[] {
  const now = manager.getLeafId();
  manager.branch(leaf);
  const { messages } = manager.buildSessionContext();
  if (since.length === 0) return messages;
  // OpenClaw knows the turn that is about to run by the id of its user message, which stays on its path.
  if (now !== null) manager.branch(now);
  return [...messages, ...since];
}

/** The message that OpenClaw makes of an entry, in a list; an empty list for an entry that is no message. */
function messageIn({ type, message, customType, content, display, details, timestamp }: JsonObject): unknown[] {
  if (type === "message") return [message];
  if (type !== "custom_message") return [];
  return [{ role: "custom", customType, content, display, details, timestamp: Date.parse(String(timestamp)) }];
}

/**
 * The place of the last branch on a path that has a beginning on it and an end nowhere; undefined where each has its
 * end. The end is not on the path of a session that has moved back into a complete branch.
 */
function findHalfBranch(manager: LeavingManager, path: readonly JsonObject[]): number | undefined {
  if (!path.some((entry) => noteIn(entry)?.replaces !== undefined)) return undefined;
  manager.ensureCompletePersistedHistory?.();
  const ended = new Set<string>();
  for (const entry of manager.getEntries()) {
    const note = noteIn(entry);
    if (note !== undefined && note.replaces === undefined) ended.add(note.id);
  }
  const at = path.findLastIndex((entry) => {
    const note = noteIn(entry);
    return note?.replaces !== undefined && !ended.has(note.id);
  });
  return at < 0 ? undefined : at;
}

/** The entries that a rewrite behind this parent copies. */
function entriesBehind(path: readonly JsonObject[], parentId: unknown): JsonObject[] {
  return withoutNotes(path.slice(path.findIndex(({ id }) => id === parentId) + 1));
}

/** True for an entry of a half branch that stands for an entry of the old path. A treatment can change the role. */
function isCopy(copy: JsonObject | undefined, { type, message, content, details }: JsonObject): boolean {
  if (copy === undefined || copy.type !== type) return false;
  if (isObject(message) && isObject(copy.message)) return copy.message.timestamp === message.timestamp;
  return toJson([copy.content, copy.details]) === toJson([content, details]);
}

function noteIn(entry: unknown): Note | undefined {
  if (!isObject(entry) || entry.type !== "custom" || entry.customType !== REWRITE_TYPE || !isObject(entry.data))
    return undefined;
  const { id, replaces } = entry.data;
  if (typeof id !== "string") return undefined;
  return { id, ...(typeof replaces === "string" && { replaces }) };
}

function canLeaveBranch(manager: SessionManager | undefined): manager is LeavingManager {
  const needed = ["getBranch", "getEntries", "getEntry", "getLeafId", "branch", "buildSessionContext"] as const;
  return hasMethods<LeavingManager>(manager, needed);
}
