import { emit } from "../observe/index.ts";
import { tailText } from "../recovery/tail.ts";
import { RESET_OPENING } from "../recovery/words.ts";
import { stateDirectory } from "../store/state-directory.ts";
import { hashOfMessages, messagesOf, writeManifest } from "../store/manifest.ts";
import { isObject, toJson } from "../transcript/json.ts";
import { keepTranscript } from "./archive.ts";
import type { SessionMemory } from "./memory.ts";
import type { GuardContext, GuardedSession, SessionManager } from "./session.ts";

const CUSTOM_TYPE = "openclaw-integrity";

/** What a reset left behind. */
export interface Reset {
  /** Where the history is kept, for a person. */
  archive: string;
  /** The message that stands for it in the session. */
  tail: unknown;
}

/**
 * Puts the history of a session aside in its own store, the way OpenClaw itself does it on SQLite: what was there stays, the active path
 * begins again with the tail. On JSONL the transcript is copied now and the path begins again at the next load, because OpenClaw 2026.5
 * to 2026.7 takes a write during a model call for another process's. Undefined when this OpenClaw's session cannot be reset so;
 * throws when the archive cannot be written, and nothing was changed then. Issue 4, rung 4.
 */
export function resetSession(session: GuardedSession, context: GuardContext, memory: SessionMemory, tail: string | undefined): Reset | undefined {
  const manager = session.sessionManager;
  if (!canBeginAgain(manager)) return undefined;
  const file = manager.getSessionFile?.();
  // A name that is no path is OpenClaw's way to say that the session is in its database.
  const isFile = typeof file === "string" && file.endsWith(".jsonl");
  const archive = isFile ? keepTranscript(file) : manifestOf(manager, context);
  memory.treatments = [];
  if (isFile) memory.beginsAgain = true;
  else beginAgain(manager, tail);
  emit("l0:session:reset", () => ({ sessionId: context.sessionId, isArchived: true }));
  const message = tailMessage(tail);
  if (session.agent.state) session.agent.state.messages = [message];
  return { archive, tail: message };
}

/**
 * The reset that was put off to this load: the messages of the session now, or undefined when there is none to make up for. A session that
 * was restored in between no longer has the notice, and stays as it is.
 */
export function makeUpReset(session: GuardedSession, memory: SessionMemory, messages: readonly unknown[]): unknown[] | undefined {
  const manager = session.sessionManager;
  if (!memory.beginsAgain || !canBeginAgain(manager)) return undefined;
  memory.beginsAgain = false;
  if (!toJson(messages).includes(RESET_OPENING)) return undefined;
  const tail = tailText(messages);
  beginAgain(manager, tail);
  return [tailMessage(tail)];
}

const NOTHING_SAID_BEFORE = "[openclaw-integrity] The provider refused the stored history of this conversation, so it was started anew.";

function tailMessage(tail: string | undefined): object {
  return { role: "user", content: [{ type: "text", text: tail ?? NOTHING_SAID_BEFORE }], timestamp: Date.now() };
}

type ResettableManager = SessionManager & { resetLeaf: () => void; appendCustomMessageEntry: NonNullable<SessionManager["appendCustomMessageEntry"]> };

function canBeginAgain(manager: SessionManager | undefined): manager is ResettableManager {
  return typeof manager?.resetLeaf === "function" && typeof manager.appendCustomMessageEntry === "function";
}

function beginAgain(manager: ResettableManager, tail: string | undefined): void {
  if (manager.appendResetBoundary) manager.appendResetBoundary("reset");
  else manager.resetLeaf();
  manager.appendCustomMessageEntry(CUSTOM_TYPE, tail ?? NOTHING_SAID_BEFORE, false);
}

/** Where the rows before the reset are to be found again: they stay in OpenClaw's own database. */
function manifestOf(manager: SessionManager, { release, sessionId, sessionKey }: GuardContext): string {
  const path = manager.getBranch?.() ?? [];
  const leaf = path.at(-1);
  if (sessionId === undefined || !isObject(leaf) || typeof leaf.id !== "string") throw new Error("expected a session with an id and at least one entry, found none.");
  const messages = messagesOf(path).length;
  return writeManifest(stateDirectory(), {
    ...(release !== undefined && { release }), sessionId, ...(sessionKey !== undefined && { sessionKey }),
    leafEntryId: leaf.id, messages, sha256: hashOfMessages(path, messages),
  });
}
