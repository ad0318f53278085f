/**
 * A user message between its acceptance and the run that takes it. It is journalled under its conversation
 * ({@link inboxName}), then under its session ({@link noteWaiting}), and known in memory (`waitingHere`). In the end it
 * is stored in the transcript ({@link settleTaken}), sent again or begun anew ({@link settleDead}), or taken by no run
 * ({@link collectUntaken}; note-untaken.ts tells the model).
 */
import { randomUUID } from "node:crypto";
import { isAlive, readProcessStart } from "../../base/processes.ts";
import { type UnansweredMessage, WAITING } from "../../journal/unanswered-messages.ts";
import type { PendingInput } from "../../store/sessions/pending-inputs.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";
import { type WaitingHere, waitingHere } from "../base/memory.ts";
import { isCarried, messageText } from "../base/user-text.ts";
import type { GuardContext, SessionManager } from "../openclaw/session.ts";
import { isRoleEntry, findLastEntry } from "../openclaw/entries.ts";
import { pendingInputs } from "./untaken.ts";

/**
 * The field of a journalled message with the id of the process in which it waits, its id on its channel, and the place
 * of its acceptance among all that is journalled. Named as the origin mark is, which no message of a person has.
 */
const HOLDER = "openclawIntegrity";

/** How much later the start of a process may seem to be than what the process did. */
const MARGIN_MS = 1000;

/** How much earlier OpenClaw may have stored a message than it put that into a queue, or into a run. */
const STORED_BEFORE_MS = 5000;

/** Begins what stands in place of a session's id: the name of a conversation, whichever session it will have. */
const INBOX = "openclaw-integrity:inbox:";

/**
 * Returns where the messages of a conversation are journalled from their acceptance on, until a run has its session.
 */
export function inboxName(sessionKey: string): string {
  return `${INBOX}${sessionKey.trim().toLowerCase()}`;
}

/** After this time, far longer than OpenClaw needs, a message is in the lane of its conversation, behind others. */
const IN_LANE_MS = 60_000;

/**
 * Journals a user message that OpenClaw has accepted, and that waits for a run in the memory of this process. With the
 * key of its conversation it has the place of its acceptance: OpenClaw may put a later one into a queue before it. With
 * an id it takes the place of the message that has it.
 */
export function noteWaiting(
  sessionId: string,
  message: JsonObject,
  here: Omit<WaitingHere, "sessionId" | "text" | "since" | "place">,
  sessionKey?: string,
  entryId: string = randomUUID(),
): string {
  const text = messageText(message);
  const inbox = sessionKey === undefined ? undefined : inboxName(sessionKey);
  const accepted =
    waitingHere.get(entryId) ??
    [...waitingHere.values()].find((one) => one.sessionId === inbox && isCarried(text, one.text));
  const held = { ...message, [HOLDER]: { pid: process.pid, sentAs: here.sentAs, place: accepted?.place } };
  const place = withJournal(({ unanswered }) =>
    unanswered.note({ sessionId, entryId, parentId: WAITING, message: held }),
  );
  if (place !== undefined)
    waitingHere.set(entryId, { ...here, sessionId, text, place: accepted?.place ?? place, since: performance.now() });
  return entryId;
}

/** The id of the message that the gateway has acknowledged with a run's id, and that OpenClaw has yet to begin with. */
export function acknowledgedHere(inbox: string, runId: unknown): string | undefined {
  if (typeof runId !== "string") return undefined;
  return [...waitingHere].find(([, one]) => one.sessionId === inbox && one.runId === runId)?.[0];
}

/** Forgets a message that waited: the transcript has it. */
export function settleWaiting(sessionId: string, entryId: string): void {
  waitingHere.delete(entryId);
  withJournal(({ unanswered }) => unanswered.settled(sessionId, entryId));
}

/**
 * Forgets what waited in processes that have ended: all of it, as the person has begun the conversation anew, or the
 * message that has come once more.
 */
export function settleDead(sessionId: string, sentAs?: string): void {
  for (const { entryId, message, at } of waitingIn(readNoted(sessionId))) {
    const holder = message[HOLDER];
    if (waitingHere.has(entryId) || mayHold(holder, at)) continue;
    if (sentAs === undefined || (isObject(holder) && holder.sentAs === sentAs)) settleWaiting(sessionId, entryId);
  }
}

/**
 * Forgets what waited and is in the prompt of a run, on the next tick, when OpenClaw has stored that; it does not in a
 * run that a stop has just ended. What the prompt may have in other words is forgotten with it. Never throws.
 */
export function settleTaken(
  { sessionId, sessionKey, prompt }: GuardContext,
  manager: SessionManager | undefined,
): void {
  if (sessionId === undefined || !manager) return;
  setImmediate(() => {
    const all = waitingIn(readNoted(sessionId, sessionKey));
    if (all.length === 0) return;
    for (const { sessionId: inbox, entryId } of all)
      if (waitingHere.get(entryId)?.isReworded) settleWaiting(inbox, entryId);
    const last = findLastEntry(manager);
    if (!isRoleEntry("user", last) || !isObject(last?.message)) return;
    // OpenClaw says no prompt from 2026.8 on, and has stored the message in its own words.
    const stored = messageText(last.message);
    for (const { sessionId: inbox, entryId, message } of all)
      if (isCarried(prompt ?? stored, messageText(message)) && isCarried(stored, messageText(message)))
        settleWaiting(inbox, entryId);
  });
}

/**
 * Returns the accepted messages of a session that no run will take any more, in their order: the process in which they
 * waited has ended, a person has stopped all work, or their run has ended before a model was asked. The run that begins
 * takes those in its own prompt. Forgets those that the path has.
 */
export function collectUntaken(
  { sessionId, sessionKey, prompt }: GuardContext,
  branch: readonly unknown[],
): PendingInput[] {
  if (sessionId === undefined) return [];
  const journalled = readNoted(sessionId, sessionKey);
  const rows = waitingIn(journalled).toSorted((one, other) => acceptedAs(one) - acceptedAs(other));
  let stored: PendingInput[] | undefined;
  const asked = rows.findLastIndex((one) => one.sessionId !== sessionId && isCarried(prompt, messageText(one.message)));
  return rows.flatMap(({ sessionId: inbox, entryId: id, message, at }, place): PendingInput[] => {
    const { [HOLDER]: holder, ...withoutHolder } = message;
    const text = messageText(withoutHolder);
    const here = waitingHere.get(id);
    // waiting: a run may still take it. queued: its process has ended. interrupted, cancelled: by a person. gone:
    // OpenClaw has dropped it.
    const knownFate = here?.fate() ?? (mayHold(holder, at) ? "waiting" : "queued");
    // OpenClaw 2026.2 removes from the lane what is interrupted there, and never ends it.
    const isRemoved =
      inbox !== sessionId && place < asked && here !== undefined && performance.now() - here.since > IN_LANE_MS;
    const fate = knownFate === "waiting" && isRemoved ? "interrupted" : knownFate;
    if (fate === "waiting" || isCarried(prompt, text)) return [];
    // What was accepted may have come into a queue or a row of OpenClaw's, or have been asked, before its process
    // ended.
    const isSameMessage = (other: unknown, since: number): boolean =>
      since >= at - STORED_BEFORE_MS && isObject(other) && isCarried(messageText(other), text);
    const isElsewhere =
      inbox !== sessionId &&
      (journalled.some((one) => one.sessionId === sessionId && isSameMessage(one.message, one.at)) ||
        (stored ??= pendingInputs(sessionId, sessionKey)).some((one) => isSameMessage(one.message, one.acceptedAt)));
    if (fate !== "gone" && !isElsewhere && !isSaid(branch, text, at))
      return [{ id, state: fate, message: withoutHolder, acceptedAt: at }];
    settleWaiting(inbox, id);
    return [];
  });
}

/** Returns since when a session has journalled messages that no run has taken; Infinity where there are none. */
export function waitingSince({ sessionId, sessionKey }: GuardContext): number {
  if (sessionId === undefined) return Infinity;
  const times = waitingIn(readNoted(sessionId, sessionKey)).map(({ at }) => at);
  return times.length === 0 ? Infinity : Math.min(...times) - STORED_BEFORE_MS;
}

/** What is journalled of a session, and what was accepted for its conversation, as it was noted. */
function readNoted(sessionId: string, sessionKey?: string): UnansweredMessage[] {
  const inbox = sessionKey === undefined ? sessionId : inboxName(sessionKey);
  return withJournal(({ unanswered }) => unanswered.list(sessionId, inbox)) ?? [];
}

function waitingIn(noted: readonly UnansweredMessage[]): (UnansweredMessage & { message: JsonObject })[] {
  return noted.flatMap(({ message, ...one }) =>
    one.parentId === WAITING && isObject(message) ? [{ ...one, message }] : [],
  );
}

/** The place of a message's acceptance. */
function acceptedAs({ place, message: { [HOLDER]: holder } }: UnansweredMessage & { message: JsonObject }): number {
  return isObject(holder) && typeof holder.place === "number" ? holder.place : place;
}

/** Whether a user message of the path has the text, and is about as old as its acceptance, or younger. */
function isSaid(branch: readonly unknown[], text: string, acceptedAt: number): boolean {
  return branch.some((entry) => {
    if (!isObject(entry) || !isRoleEntry("user", entry) || !isObject(entry.message)) return false;
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
  const start = readProcessStart(pid);
  return start === undefined || start <= acceptedAt + MARGIN_MS;
}
