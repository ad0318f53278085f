import { closeSync, openSync, statSync } from "node:fs";
import { readLines } from "../../store/read-lines.ts";
import { NOTE_TYPE } from "../../store/sessions/stored-session.ts";
import { isObject } from "../../transcript/json/json.ts";
import { logFailure, logLine } from "../base/log.ts";
import { fileMemoryOf } from "../base/memory.ts";
import { isEntryFromBefore, isEntryOf, lastEntryOf, NOTES } from "../openclaw/entries.ts";
import type { Agent, SessionManager } from "../openclaw/session.ts";

/** Writes a whole transcript; the manager's own. */
const REWRITE = "_rewriteFile";

/** What is used of the session manager of the releases with JSONL transcripts. */
type FileManager = SessionManager & {
  flushed?: boolean;
  fileEntries?: unknown[];
  [REWRITE]?: () => void;
  appendMessage?: (message: unknown, options?: object) => unknown;
  getEntries?: () => readonly unknown[];
  appendCustomEntry?: (customType: string, data: unknown) => unknown;
};

/**
 * Stands before OpenClaw opens a JSONL transcript: one without an answer in it is emptied there, with what the user has
 * said. Its user messages are held until {@link keepUnanswered}. Throws when the file cannot be read.
 */
export function holdUnanswered(file: string): void {
  const memory = fileMemoryOf(file);
  if (memory.isAnswered) return;
  const messages: unknown[] = [];
  const descriptor = openSync(file, "r");
  try {
    for (const { bytes } of readLines(descriptor, 0, statSync(file).size)) {
      const row = parsed(bytes.toString("utf8"));
      if (isEntryOf("assistant", row)) {
        memory.isAnswered = true;
        return;
      }
      if (isObject(row) && isEntryOf("user", row) && isEntryFromBefore(row)) messages.push(row.message);
    }
  } finally {
    closeSync(descriptor);
  }
  if (messages.length > 0) memory.held = messages;
}

/**
 * Keeps what the user said right before OpenClaw was killed. OpenClaw takes a user's message without an answer off the
 * path before the next turn (to 2026.7 behind this call, since 2026.8 before it), or empties the file. The history with
 * these messages, which are on the path from now on; nothing is deleted.
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
    logLine("session load: kept what the user had said when OpenClaw ended");
    return lost.length > 0 ? [...messages, ...lost] : messages;
  } catch (error) {
    logFailure("session load (unanswered message)", error, "the history goes on unchanged");
    return messages;
  }
}

/** What the file held before OpenClaw emptied it, in the session again. */
function appendHeld(manager: FileManager): unknown[] {
  const file = manager.getSessionFile?.();
  if (typeof file !== "string") return [];
  const memory = fileMemoryOf(file);
  const { held: messages = [] } = memory;
  delete memory.held;
  return messages.filter((message) => append(manager, message) !== undefined);
}

/**
 * Puts a message at the end of the path, to stay there. The id of its entry; undefined when this release has no way to.
 */
export function appendUnanswered(manager: FileManager, message: unknown): string | undefined {
  if (typeof manager.appendCustomEntry !== "function" || isOpen(manager)) return undefined;
  const id = append(manager, message);
  if (id !== undefined) hold(manager);
  return id;
}

/** True when the turn's own message is stored already: what is put behind it would come after it. */
function isOpen(manager: FileManager): boolean {
  return isEntryOf("user", lastEntryOf(manager));
}

function append(manager: FileManager, message: unknown): string | undefined {
  // OpenClaw's own function over it answers open calls first; there are none here.
  const { appendMessage } = Object.getPrototypeOf(manager) as FileManager;
  const id = appendMessage?.call(manager, message, { idempotencyLookup: "caller-checked" });
  return typeof id === "string" ? id : undefined;
}

/** Only a message at the very end of the path is taken off. */
function hold(manager: FileManager): void {
  manager.appendCustomEntry?.(NOTE_TYPE, { kept: "a message that was not answered when OpenClaw ended" });
}

/** The message that OpenClaw has just taken off the end of the path. */
function detachedFrom(manager: FileManager): Record<string, unknown> | undefined {
  const last = manager.getEntries?.().findLast((entry) => isObject(entry) && entry.type === "message");
  return isUnanswered(last) && lastEntryOf(manager)?.id === lastEntryOf(manager, last.parentId)?.id ? last : undefined;
}

/** The last of OpenClaw's notes behind a message, or the message. */
function lastNoteBehind(manager: FileManager, message: Record<string, unknown>): string {
  const entries = manager.getEntries?.() ?? [];
  return entries.reduce<string>(
    (last, entry) => (isObject(entry) && entry.parentId === last && NOTES.has(entry.type) ? String(entry.id) : last),
    String(message.id),
  );
}

/**
 * True for a message of a person's, left by an earlier process. What OpenClaw says to itself in a user's name has a
 * provenance.
 */
function isUnanswered(entry: unknown): entry is Record<string, unknown> {
  if (!isObject(entry) || !isEntryOf("user", entry)) return false;
  const { provenance } = entry.message as Record<string, unknown>;
  return (!isObject(provenance) || provenance.kind === "external_user") && isEntryFromBefore(entry);
}

/**
 * Has a new transcript written once the model was asked: the releases up to 2026.4.2 write nothing of a conversation
 * before its first answer. Later ones take such a write for another process's, and are left alone. Never throws.
 */
export function flushUnanswered(agent: Agent, manager: FileManager | undefined): void {
  if (
    typeof agent.replaceMessages !== "function" ||
    manager?.flushed !== false ||
    typeof manager[REWRITE] !== "function"
  )
    return;
  // OpenClaw has not yet entered the message that it is asking for.
  setImmediate(() => {
    try {
      if (manager.flushed !== false || !manager.fileEntries?.some((entry) => isEntryOf("user", entry))) return;
      manager[REWRITE]!();
      manager.flushed = true;
    } catch (error) {
      logFailure("transcript", error, "it is written with the first answer");
    }
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
