/**
 * User messages that were not answered when OpenClaw ended: OpenClaw removes them from the path, the guard keeps them.
 */
import { closeSync, openSync, statSync } from "node:fs";
import { readLines } from "../../store/read-lines.ts";
import { NOTE_TYPE } from "../../store/sessions/stored-session.ts";
import { isObject, parsedJson } from "../../transcript/json/json.ts";
import { logFailure, logLine } from "../base/log.ts";
import { fileMemory } from "../base/memory.ts";
import { isRoleEntry, isHold, findLastEntry, NOTES } from "../openclaw/entries.ts";
import type { Agent, SessionManager } from "../openclaw/session.ts";
import { isLeftBehind } from "./left-behind.ts";

/** The session manager's own method that writes the whole transcript file. */
const REWRITE = "_rewriteFile";

/** The part of the session manager that is used in releases with JSONL transcripts. */
type FileManager = SessionManager & {
  flushed?: boolean;
  fileEntries?: unknown[];
  [REWRITE]?: () => void;
  appendMessage?: (message: unknown, options?: object) => unknown;
  getEntries?: () => readonly unknown[];
  appendCustomEntry?: (customType: string, data: unknown) => unknown;
};

/**
 * Remembers the user messages of a JSONL transcript that OpenClaw is about to open: OpenClaw empties a transcript that
 * has no assistant message, with the user messages in it. {@link keepUnanswered} appends them again. Throws when the
 * file cannot be read.
 */
export function holdUnanswered(file: string): void {
  const memory = fileMemory(file);
  if (memory.isAnswered) return;
  const messages: unknown[] = [];
  const descriptor = openSync(file, "r");
  try {
    for (const { bytes } of readLines(descriptor, 0, statSync(file).size)) {
      const row = parsedJson(bytes.toString("utf8"));
      if (isRoleEntry("assistant", row)) {
        memory.isAnswered = true;
        // Of an earlier look, in a release that has not emptied the file: what was held is still in it.
        delete memory.held;
        return;
      }
      if (isObject(row) && isRoleEntry("user", row) && isLeftBehind(row)) messages.push(row.message);
    }
  } finally {
    closeSync(descriptor);
  }
  if (messages.length > 0) memory.held = messages;
}

/**
 * Keeps the user messages that were not answered when OpenClaw was killed. OpenClaw removes such a message from the
 * path before the next turn (up to 2026.7 after this call, since 2026.8 before it), or empties the file. Returns the
 * history with these messages, which are on the path from now on; nothing is deleted. Never throws.
 */
export function keepUnanswered(manager: FileManager | undefined, messages: unknown[]): unknown[] {
  if (
    !manager ||
    typeof manager.getLeafId !== "function" ||
    typeof manager.getEntry !== "function" ||
    typeof manager.appendCustomEntry !== "function"
  )
    return messages;
  try {
    const lost = messages.length === 0 ? appendHeld(manager) : [];
    const detached = lost.length === 0 ? detachedFrom(manager) : undefined;
    if (detached) {
      manager.branch?.(lastNoteBehind(manager, detached));
      lost.push(detached.message);
    } else if (lost.length === 0 && !isUnanswered(manager.getEntry(manager.getLeafId() ?? ""))) return messages;
    hold(manager);
    logLine("session load: kept a user message that was not answered when OpenClaw ended");
    return lost.length > 0 ? [...messages, ...lost] : messages;
  } catch (error) {
    logFailure("session load (unanswered message)", error, "the history is used unchanged");
    return messages;
  }
}

/** Appends the messages that the file held before OpenClaw emptied it; returns those that were appended. */
function appendHeld(manager: FileManager): unknown[] {
  const file = manager.getSessionFile?.();
  if (typeof file !== "string") return [];
  const memory = fileMemory(file);
  const { held: messages = [] } = memory;
  delete memory.held;
  return messages.filter((message) => append(manager, message) !== undefined);
}

/**
 * Appends a user message so that OpenClaw does not remove it from the path again. Returns the id of its entry;
 * undefined when this release has no way to, or when the turn's own message is stored already.
 */
export function appendUnanswered(manager: FileManager, message: unknown): string | undefined {
  if (typeof manager.appendCustomEntry !== "function" || isOpen(manager)) return undefined;
  const id = append(manager, message);
  if (id !== undefined) hold(manager);
  return id;
}

/**
 * True when the turn's own message is stored already: another message would come after it. One with a note
 * of {@link hold} behind it is of an earlier turn.
 */
function isOpen(manager: FileManager): boolean {
  return isRoleEntry("user", findLastEntry(manager)) && !isHold(manager.getEntry?.(manager.getLeafId?.() ?? ""));
}

function append(manager: FileManager, message: unknown): string | undefined {
  // The prototype's method: OpenClaw's wrapper around it first adds results to open calls, and there are none here.
  const { appendMessage } = Object.getPrototypeOf(manager) as FileManager;
  const id = appendMessage?.call(manager, message, { idempotencyLookup: "caller-checked" });
  return typeof id === "string" ? id : undefined;
}

/** Keeps the last message by a note behind it: OpenClaw removes a message only from the very end of the path. */
function hold(manager: FileManager): void {
  manager.appendCustomEntry?.(NOTE_TYPE, { kept: "a message that was not answered when OpenClaw ended" });
}

/** Returns the entry of the message that OpenClaw has just removed from the end of the path. */
function detachedFrom(manager: FileManager): Record<string, unknown> | undefined {
  const last = manager.getEntries?.().findLast((entry) => isObject(entry) && entry.type === "message");
  return isUnanswered(last) && findLastEntry(manager)?.id === findLastEntry(manager, last.parentId)?.id
    ? last
    : undefined;
}

/** Returns the id of the last of OpenClaw's notes behind a message, or of the message. */
function lastNoteBehind(manager: FileManager, message: Record<string, unknown>): string {
  const entries = manager.getEntries?.() ?? [];
  return entries.reduce<string>(
    (last, entry) => (isObject(entry) && entry.parentId === last && NOTES.has(entry.type) ? String(entry.id) : last),
    String(message.id),
  );
}

/**
 * True for a message of a person, left by an earlier process. User messages that OpenClaw writes itself have another
 * provenance.
 */
function isUnanswered(entry: unknown): entry is Record<string, unknown> {
  if (!isObject(entry) || !isRoleEntry("user", entry)) return false;
  const { provenance, excludeFromContext } = entry.message as Record<string, unknown>;
  if (excludeFromContext === true) return false;
  return (!isObject(provenance) || provenance.kind === "external_user") && isLeftBehind(entry);
}

/**
 * Writes a new transcript to the disk when the first request is sent: releases up to 2026.4.2 write nothing of a
 * conversation before its first answer. Does nothing in later releases, which would take such a write for another
 * process's. Never throws.
 */
export function flushUnanswered(agent: Agent, manager: FileManager | undefined): void {
  if (
    typeof agent.replaceMessages !== "function" ||
    manager?.flushed !== false ||
    typeof manager[REWRITE] !== "function"
  )
    return;
  // OpenClaw has not yet appended the user message of this request.
  setImmediate(() => {
    try {
      if (manager.flushed !== false || !manager.fileEntries?.some((entry) => isRoleEntry("user", entry))) return;
      manager[REWRITE]!();
      manager.flushed = true;
    } catch (error) {
      logFailure("transcript", error, "the transcript is written with the first answer");
    }
  });
}
