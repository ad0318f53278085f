import { randomUUID } from "node:crypto";
import { emit } from "../../observe/index.ts";
import { tailText } from "../../recovery/forms/tail.ts";
import { REFUSED_OPENING } from "../../recovery/words.ts";
import { toArchiveId } from "../../store/archives/archive-id.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { hashOfMessages, messageEntries, writeManifest } from "../../store/archives/manifest.ts";
import { isObject } from "../../transcript/json/json.ts";
import { readOrigin } from "../../transcript/origin.ts";
import { keepTranscript } from "../base/archive.ts";
import type { SessionMemory } from "../base/memory.ts";
import {
  type GuardContext,
  type GuardedSession,
  loadedMessages,
  OWN_TYPE,
  type SessionManager,
} from "../openclaw/session.ts";

const TAIL = "tail";

/** The result of a reset. */
export interface Reset {
  /** Path of the archive. */
  archive: string;
  /** Id that a person uses for the archive. */
  archiveId: string;
  /** Id that connects the notice and the tail of one reset. */
  resetId: string;
  /** The message that stands for the history in a request. */
  tail: unknown;
}

/**
 * Resets a session in its own store, as OpenClaw itself does on SQLite: all rows stay, and the active path begins again
 * with the tail. On JSONL the transcript is archived now and the path begins again at the next load, because OpenClaw
 * 2026.5 to 2026.7 takes a write during a model call for another process's. Returns undefined when the session manager
 * of this release cannot do so. Throws when the archive cannot be written; nothing is changed then.
 */
export function resetSession(
  session: GuardedSession,
  context: GuardContext,
  memory: SessionMemory,
  messages: readonly unknown[],
): Reset | undefined {
  const manager = session.sessionManager;
  if (!canBeginAgain(manager)) return undefined;
  const file = manager.getSessionFile?.();
  // OpenClaw names a file that is no .jsonl path when the session is in its database.
  const isFile = typeof file === "string" && file.endsWith(".jsonl");
  const tail = writeTail(session, messages);
  const archive = isFile ? keepTranscript(file) : writeResetManifest(manager, context);
  const resetId = randomUUID();
  memory.treatments = [];
  delete memory.unexplained;
  delete memory.atFault;
  memory.resetAt = Date.now();
  if (isFile) memory.beginsAgain = true;
  else beginAgain(manager, tail, resetId);
  emit("l0:session:reset", () => ({ sessionId: context.sessionId, isArchived: true }));
  if (session.agent.state) session.agent.state.messages = [tailMessage(tail, resetId)];
  return {
    archive,
    archiveId: toArchiveId(archive),
    resetId,
    tail: asSent(tail),
  };
}

/**
 * Completes a reset that was postponed to this load, also by a process that has ended since. Returns the messages that
 * the session has then; undefined when no reset is due. A reset is due when the path ends with its notice and has no
 * tail of it; a session that was restored or rolled back in between lacks the notice, or has the tail.
 */
export function completeReset(
  { sessionManager: manager }: GuardedSession,
  memory: SessionMemory,
  messages: readonly unknown[],
): unknown[] | undefined {
  memory.beginsAgain = false;
  const notice = messages.findLast((message) => isObject(message) && message.role === "assistant");
  const { notice: kind, resetId } = readOrigin(notice);
  if (kind !== "reset" || resetId === undefined || !canBeginAgain(manager)) return undefined;
  if (tailsIn(manager).some(({ details }) => isObject(details) && details.resetId === resetId)) return undefined;
  const tail = textOfTail(messages);
  beginAgain(manager, tail, resetId);
  return [tailMessage(tail, resetId)];
}

/**
 * Returns when the session was last reset, in milliseconds since 1970, from the store alone; undefined when it never
 * was.
 */
export function lastResetAt(manager: SessionManager | undefined): number | undefined {
  const at = manager ? Date.parse(String(tailsIn(manager).at(-1)?.timestamp)) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

type Entry = Record<string, unknown>;

/** Returns the tails of all resets of a session, in the order they were written. */
function tailsIn(manager: SessionManager): Entry[] {
  const entries = manager.getEntries?.() ?? manager.getBranch?.() ?? [];
  return entries.filter((entry): entry is Entry => isObject(entry) && entry.type === "custom_message" && isTail(entry));
}

/** True for an entry, or for OpenClaw's message made from one, that holds a tail. */
function isTail(message: unknown): boolean {
  return (
    isObject(message) && message.customType === OWN_TYPE && isObject(message.details) && message.details.kind === TAIL
  );
}

/** Returns the end of a conversation as the text that stands for it after a reset. */
function writeTail(session: GuardedSession, messages: readonly unknown[]): string {
  // OpenClaw's own list tells notes and summaries apart from a user's messages; the sent messages do not.
  const stored = loadedMessages(session);
  return textOfTail(stored !== undefined && stored.length > 0 ? stored : messages);
}

function textOfTail(messages: readonly unknown[]): string {
  return tailText(messages, { opening: REFUSED_OPENING, isTail }) ?? REFUSED_OPENING;
}

function asSent(tail: string): object {
  return { role: "user", content: [{ type: "text", text: tail }], timestamp: Date.now() };
}

/** Returns a tail in the form in which OpenClaw holds its entry among a session's messages. */
function tailMessage(content: string, resetId: string): object {
  return {
    role: "custom",
    customType: OWN_TYPE,
    content,
    display: false,
    details: { kind: TAIL, resetId },
    timestamp: Date.now(),
  };
}

type ResettableManager = SessionManager & {
  resetLeaf: () => void;
  appendCustomMessageEntry: NonNullable<SessionManager["appendCustomMessageEntry"]>;
};

/** True for a session manager with which a path can begin again. */
function canBeginAgain(manager: SessionManager | undefined): manager is ResettableManager {
  return typeof manager?.resetLeaf === "function" && typeof manager.appendCustomMessageEntry === "function";
}

function beginAgain(manager: ResettableManager, tail: string, resetId: string): void {
  if (manager.appendResetBoundary) manager.appendResetBoundary("reset");
  else manager.resetLeaf();
  manager.appendCustomMessageEntry(OWN_TYPE, tail, false, { kind: TAIL, resetId });
}

/**
 * Writes a manifest that identifies the rows before the reset, which stay in OpenClaw's own database; returns its path.
 */
function writeResetManifest(manager: SessionManager, { release, sessionId, sessionKey }: GuardContext): string {
  const path = manager.getBranch?.() ?? [];
  const leaf = path.at(-1);
  if (sessionId === undefined || !isObject(leaf) || typeof leaf.id !== "string")
    throw new Error("expected a session with an id and at least one entry, found none.");
  const messages = messageEntries(path).length;
  return writeManifest(stateDirectory(), {
    ...(release !== undefined && { release }),
    sessionId,
    ...(sessionKey !== undefined && { sessionKey }),
    leafEntryId: leaf.id,
    messages,
    sha256: hashOfMessages(path, messages),
  });
}
