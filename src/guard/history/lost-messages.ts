/** User messages that a kill took from the transcript: journalled with the request, put back at the next load. */
import type { NewUnansweredMessage, UnansweredMessage } from "../../journal/unanswered-messages.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure } from "../base/log.ts";
import { askedHere } from "../base/memory.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { isEnabled } from "../base/switch.ts";
import { type GuardContext, isCompaction, isTimeLimit, type SessionManager } from "../openclaw/session.ts";
import { isRoleEntry, findLastEntry } from "../openclaw/entries.ts";
import { isCarried } from "../base/user-text.ts";
import { Path } from "./path.ts";
import { appendUnanswered } from "./unanswered.ts";

/** Journals the user message this request answers, on the next tick, when OpenClaw has appended it. Never throws. */
export function noteUnanswered(sessionId: string, manager: SessionManager | undefined, runId?: string): void {
  setImmediate(() => {
    try {
      const asked = manager && findLastEntry(manager);
      if (!asked || !isRoleEntry("user", asked)) return;
      const parentId = typeof asked.parentId === "string" ? asked.parentId : null;
      note({ sessionId, entryId: String(asked.id), parentId, message: asked.message }, runId);
    } catch (error) {
      logFailure("journal", error, "the request is sent");
    }
  });
}

function note(message: NewUnansweredMessage, runId?: string): void {
  const isNoted = withJournal(({ unanswered }) => {
    unanswered.note(message);
    return true;
  });
  if (isNoted) askedHere.set(message.entryId, runId);
}

/**
 * Has this run keep the questions that another one has asked, or was to ask: a run that is superseded asks them no
 * more. Where OpenClaw has just taken a question off the path, this run asks it, in its own prompt. What another
 * session has said, a sub-agent's result for instance, it takes off and asks no more: the load gives that back. Does
 * nothing in releases that say neither. Never throws.
 */
export function keepSuperseded({ sessionId, runId, orphanRepair }: GuardContext): void {
  if (sessionId === undefined || runId === undefined) return;
  try {
    const { messageEntry: taken, contextEnginePrompt: prompt } = isObject(orphanRepair) ? orphanRepair : {};
    if (isObject(taken) && isRoleEntry("user", taken) && isObject(taken.message)) {
      const isAsked = isAskedIn(prompt, taken.message);
      if (isAsked || !isOfMoment(taken.message)) takeOver(sessionId, taken, isAsked ? runId : undefined);
    }
    for (const { entryId } of notedIn(sessionId)) if (askedHere.get(entryId) !== runId) askedHere.delete(entryId);
  } catch (error) {
    logFailure("journal", error, "questions of earlier runs are kept at the next load");
  }
}

/**
 * Whether a prompt has the texts of a message: OpenClaw puts those of one that it takes off the path there. True in
 * releases that do not tell the prompt.
 */
function isAskedIn(prompt: unknown, { content }: JsonObject): boolean {
  if (typeof prompt !== "string") return true;
  const blocks: unknown[] = Array.isArray(content) ? content : [{ text: content }];
  return blocks.every(
    (block) =>
      !isObject(block) || typeof block.text !== "string" || block.text.trim() === "" || isCarried(prompt, block.text),
  );
}

/** True for what OpenClaw itself tells an agent, of a restart for instance: nobody needs it later. */
export function isOfMoment({ provenance }: JsonObject): boolean {
  return isObject(provenance) && provenance.kind === "internal_system";
}

/**
 * Has a run keep a question that was taken off the path; without a run nobody asks it any more. A question of an
 * earlier process is left as it is: the load gives it back.
 */
function takeOver(sessionId: string, { id, parentId, message }: JsonObject, runId: string | undefined): void {
  const entryId = String(id);
  if (askedHere.has(entryId)) askedHere.set(entryId, runId);
  else if (withJournal(({ unanswered }) => unanswered.has(entryId)) === false)
    note({ sessionId, entryId, parentId: typeof parentId === "string" ? parentId : null, message }, runId);
}

/** Returns the journalled messages of a session. */
export function notedIn(sessionId: string): UnansweredMessage[] {
  return withJournal(({ unanswered }) => unanswered.list(sessionId)) ?? [];
}

/**
 * Has the next turn keep a question that a person has stopped before it was answered: OpenClaw removes it from the
 * path, as it does before it asks a question again, and no run asks a stopped question again. Only where OpenClaw
 * passes what ends the run; later releases keep such a question themselves.
 */
export function keepStoppedQuestion(context: GuardContext): void {
  const { signal, sessionId } = context;
  if (!(signal instanceof AbortSignal) || sessionId === undefined || isCompaction(context)) return;
  const keep = (): void => {
    // Behind its time limit OpenClaw asks again, with another key or another model.
    if (!isEnabled() || isTimeLimit(signal.reason)) return;
    for (const { entryId } of notedIn(sessionId)) askedHere.delete(entryId);
  };
  signal.addEventListener("abort", keep, { once: true });
}

/** Forgets a journalled message: the transcript has it, or an answer to it. */
export function settle({ sessionId, entryId }: UnansweredMessage): void {
  askedHere.delete(entryId);
  withJournal(({ unanswered }) => unanswered.settled(sessionId, entryId));
}

/** Forgets a session's journalled messages that were answered since. Returns how many are left. Never throws. */
export function settleAnswered(sessionId: string, manager: SessionManager | undefined): number {
  try {
    const noted = notedIn(sessionId);
    if (noted.length === 0 || !manager?.getBranch) return noted.length;
    const path = new Path(manager.getBranch());
    const answered = noted.filter((one) => path.isAnswered(one) || path.isSaidAgain(one));
    for (const one of answered) settle(one);
    return noted.length - answered.length;
  } catch (error) {
    logFailure("journal", error, "answered messages are removed from the journal at the next load");
    return 0;
  }
}

/**
 * Returns the history with the user messages from before a kill that OpenClaw has since removed from the path, in a
 * turn that was killed too. A message is appended to the transcript again where nothing follows it; otherwise it is
 * only put in its place in the list. Answered messages are forgotten. Never throws.
 */
export function withLostMessages(
  sessionId: string | undefined,
  manager: SessionManager | undefined,
  messages: unknown[],
): unknown[] {
  if (sessionId === undefined || !manager?.getBranch) return messages;
  const noted = notedIn(sessionId);
  if (noted.length === 0) return messages;
  try {
    let path = new Path(manager.getBranch());
    // One that was appended stands before the later ones, which were lost at the same place.
    const appended = new Map<string | null, string>();
    return noted.reduce((history, one) => {
      const parentId = appended.get(one.parentId) ?? one.parentId;
      const next = withLost({ ...one, parentId }, path, manager, history);
      if (next.appended !== undefined) {
        appended.set(one.parentId, next.appended);
        path = new Path(manager.getBranch!());
      }
      return next.messages;
    }, messages);
  } catch (error) {
    logFailure("session load (lost message)", error, "the history is used unchanged");
    return messages;
  }
}

function withLost(
  lost: UnansweredMessage,
  path: Path,
  manager: SessionManager,
  messages: unknown[],
): { messages: unknown[]; appended?: string } {
  const { sessionId, entryId, message } = lost;
  if (path.isAnswered(lost)) {
    settle(lost);
    return { messages };
  }
  // A message that this process removed from the path is asked again by it. One whose parent is not on the path belongs
  // to a history that was left, by a reset for example.
  if (askedHere.has(entryId) || !path.isBegun(lost) || path.has(entryId)) return { messages };
  if (path.isSaidAgain(lost)) {
    settle(lost);
    return { messages };
  }
  const next = path.nextBehind(lost);
  if (next) {
    const place = messages.indexOf(next.message);
    if (place >= 0) return { messages: [...messages.slice(0, place), message, ...messages.slice(place)] };
    // The message of this turn may be stored already, and is no part of the history.
    return { messages: path.isLast(next) ? [...messages, message] : messages };
  }
  // Only a message of a person is one in the transcript too.
  if (!isObject(message) || message.role !== "user") return { messages: [...messages, message] };
  const parentId = String(path.leafId ?? "") || null;
  const appended = appendUnanswered(manager, message);
  if (appended === undefined) return { messages };
  withJournal((journal) =>
    journal.transaction(() => {
      settle(lost);
      note({ sessionId, entryId: appended, parentId, message });
    }),
  );
  return { messages: [...messages, message], appended };
}
