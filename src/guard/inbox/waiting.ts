import { randomUUID } from "node:crypto";
import { isAlive, startOf } from "../../base/processes.ts";
import { WAITING } from "../../journal/unanswered-messages.ts";
import type { PendingInput } from "../../store/sessions/pending-inputs.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";
import { type WaitingHere, waitingHere } from "../base/memory.ts";
import { isCarried, messageText } from "../base/user-text.ts";
import type { GuardContext, SessionManager } from "../openclaw/session.ts";
import { isEntryOf, lastEntryOf } from "../openclaw/entries.ts";

/** The field of a journalled message with the id of the process in which it waits. */
const HOLDER = "openclawIntegrity";

/** By how much the start of a process may seem to be later than what it did. */
const MARGIN_MS = 1000;

/** By how much OpenClaw may have stored a message before it put it into a queue, or into a run. */
const STORED_BEFORE_MS = 5000;

/** Journals a user message that OpenClaw has accepted, and that waits for a run in the memory of this process. */
export function noteWaiting(
  sessionId: string,
  message: JsonObject,
  here: Pick<WaitingHere, "isSteered" | "fate">,
): string {
  const entryId = randomUUID();
  const held = { ...message, [HOLDER]: { pid: process.pid } };
  const isNoted = withJournal(({ unanswered }) => {
    unanswered.note({ sessionId, entryId, parentId: WAITING, message: held });
    return true;
  });
  if (isNoted) waitingHere.set(entryId, { ...here, sessionId, text: messageText(message) });
  return entryId;
}

/** Forgets a message that waited: the transcript has it. */
export function settleWaiting(sessionId: string, entryId: string): void {
  waitingHere.delete(entryId);
  withJournal(({ unanswered }) => unanswered.settled(sessionId, entryId));
}

/**
 * Forgets what waited and is in the prompt of a run, on the next tick, when OpenClaw has stored that; it does not in a
 * run that a stop has just ended. Never throws.
 */
export function settleTaken({ sessionId, prompt }: GuardContext, manager: SessionManager | undefined): void {
  if (sessionId === undefined || prompt === undefined || !manager) return;
  setImmediate(() => {
    const rows = waitingOf(sessionId).filter(({ message }) => isCarried(prompt, messageText(message)));
    const last = rows.length > 0 ? lastEntryOf(manager) : undefined;
    if (!isEntryOf("user", last) || !isObject(last?.message)) return;
    const stored = messageText(last.message);
    for (const { entryId, message } of rows)
      if (isCarried(stored, messageText(message))) settleWaiting(sessionId, entryId);
  });
}

/**
 * Returns the accepted messages of a session that no run will take any more, in their order: the process in which they
 * waited has ended, a person has stopped all work, or their run has ended before a model was asked. The run that begins
 * takes those in its own prompt. Forgets those that the path has.
 */
export function untakenWaiting(sessionId: string, prompt: unknown, branch: readonly unknown[]): PendingInput[] {
  return waitingOf(sessionId).flatMap(({ entryId: id, message, at }): PendingInput[] => {
    const { [HOLDER]: holder, ...own } = message;
    const text = messageText(own);
    const fate = waitingHere.get(id)?.fate() ?? (mayHold(holder, at) ? "waiting" : "queued");
    if (fate === "waiting" || isCarried(prompt, text)) return [];
    if (fate !== "gone" && !isSaid(branch, text, at)) return [{ id, state: fate, message: own, acceptedAt: at }];
    settleWaiting(sessionId, id);
    return [];
  });
}

function waitingOf(sessionId: string): { entryId: string; message: JsonObject; at: number }[] {
  const noted = withJournal(({ unanswered }) => unanswered.of(sessionId)) ?? [];
  return noted.flatMap(({ entryId, parentId, message, at }) =>
    parentId === WAITING && isObject(message) ? [{ entryId, message, at }] : [],
  );
}

/** Whether a user message of the path has the text, and is about as old as its acceptance, or younger. */
function isSaid(branch: readonly unknown[], text: string, acceptedAt: number): boolean {
  return branch.some((entry) => {
    if (!isObject(entry) || !isEntryOf("user", entry) || !isObject(entry.message)) return false;
    const { timestamp } = entry.message;
    return (
      typeof timestamp === "number" &&
      timestamp >= acceptedAt - STORED_BEFORE_MS &&
      isCarried(messageText(entry.message), text)
    );
  });
}

/** Whether another process that lives may have the message in its memory; an id of this process is a predecessor's. */
function mayHold(holder: unknown, acceptedAt: number): boolean {
  const pid = isObject(holder) ? holder.pid : undefined;
  if (typeof pid !== "number" || pid === process.pid || !isAlive(pid)) return false;
  const start = startOf(pid);
  return start === undefined || start <= acceptedAt + MARGIN_MS;
}
