import type { UnansweredMessage } from "../../journal/unanswered-messages.ts";
import { arrivalOf } from "../../timetravel/index.ts";
import { isObject, toJson } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure } from "../base/log.ts";
import type { SessionManager } from "../openclaw/session.ts";
import { isEntryOf, isFromBefore, lastEntryOf } from "../openclaw/entries.ts";
import { appendUnanswered } from "./unanswered.ts";

type Entry = Record<string, unknown>;

/** Takes down the message that a model is asked with, once OpenClaw has entered it. Never throws. */
export function noteUnanswered(sessionId: string, manager: SessionManager | undefined): void {
  setImmediate(() => {
    try {
      const asked = manager && lastEntryOf(manager);
      if (!asked || !isEntryOf("user", asked)) return;
      const parentId = typeof asked.parentId === "string" ? asked.parentId : null;
      withJournal(({ unanswered }) =>
        unanswered.note({ sessionId, entryId: String(asked.id), parentId, message: asked.message }),
      );
    } catch (error) {
      logFailure("journal", error, "the request goes on");
    }
  });
}

/** Forgets the messages of a session that were answered since they were noted; how many are left. Never throws. */
export function settleAnswered(sessionId: string, manager: SessionManager | undefined): number {
  try {
    const noted = withJournal(({ unanswered }) => unanswered.of(sessionId)) ?? [];
    if (noted.length === 0 || !manager?.getBranch) return noted.length;
    const path = manager.getBranch().filter(isObject);
    const answered = noted.filter((one) => isAnswered(one, path) || isSaidAgain(one, path));
    for (const { entryId } of answered) withJournal(({ unanswered }) => unanswered.settled(sessionId, entryId));
    return noted.length - answered.length;
  } catch (error) {
    logFailure("journal", error, "what was answered is forgotten at the next load");
    return 0;
  }
}

/**
 * The history with what a user said before OpenClaw was killed and OpenClaw has taken off the path since, in a turn
 * that was killed too: appended again where nothing was said after it, put in its place in the list otherwise. What was
 * answered is forgotten. Issue 5.
 */
export function withLostMessages(
  sessionId: string | undefined,
  manager: SessionManager | undefined,
  messages: unknown[],
): unknown[] {
  if (sessionId === undefined || !manager?.getBranch) return messages;
  const noted = withJournal(({ unanswered }) => unanswered.of(sessionId)) ?? [];
  if (noted.length === 0) return messages;
  try {
    return noted.reduce((history, one) => withLost(one, manager, history), messages);
  } catch (error) {
    logFailure("session load (lost message)", error, "the history goes on unchanged");
    return messages;
  }
}

function withLost(lost: UnansweredMessage, manager: SessionManager, messages: unknown[]): unknown[] {
  const { sessionId, entryId, message, at } = lost;
  const path = manager.getBranch!().filter(isObject);
  const settle = (): unknown[] => {
    withJournal(({ unanswered }) => unanswered.settled(sessionId, entryId));
    return messages;
  };
  if (isAnswered(lost, path)) return settle();
  const behind = messagesBehind(lost, path);
  // What this process took off the path is asked again by it; what lies behind another beginning was put aside.
  if (!isFromBefore(at) || behind === undefined || path.some(({ id }) => id === entryId)) return messages;
  if (isSaidAgain(lost, path)) return settle();
  const next = behind[0];
  if (next) {
    const place = messages.indexOf(next.message);
    return place < 0 ? messages : [...messages.slice(0, place), message, ...messages.slice(place)];
  }
  const appended = appendUnanswered(manager, message);
  if (appended === undefined) return messages;
  withJournal((journal) =>
    journal.transaction(() => {
      journal.unanswered.settled(sessionId, entryId);
      journal.unanswered.note({
        sessionId,
        entryId: appended,
        parentId: String(path.at(-1)?.id ?? "") || null,
        message,
      });
    }),
  );
  return [...messages, message];
}

/**
 * True when an answer stands behind it on the path, or a carryover there repeats it: only a kill right behind the move
 * leaves that one noted.
 */
function isAnswered({ entryId }: UnansweredMessage, path: readonly Entry[]): boolean {
  const own = path.findIndex(({ id }) => id === entryId);
  if (own >= 0) return path.slice(own).some((entry) => isEntryOf("assistant", entry));
  return path.some((entry) => arrivalOf(entry)?.questionId === entryId);
}

/**
 * True when the same words stand behind its place under another id: OpenClaw takes a message off the path and stores it
 * again when it tries again.
 */
function isSaidAgain(lost: UnansweredMessage, path: readonly Entry[]): boolean {
  const content = toJson((lost.message as Entry).content);
  const isSame = (entry: Entry): boolean =>
    entry.id !== lost.entryId && isEntryOf("user", entry) && contentOf(entry) === content;
  return messagesBehind(lost, path)?.some(isSame) ?? false;
}

/** The messages behind the entry that it followed; undefined when that is not on the path. */
function messagesBehind({ parentId }: UnansweredMessage, path: readonly Entry[]): Entry[] | undefined {
  const parent = parentId === null ? -1 : path.findIndex(({ id }) => id === parentId);
  return parentId !== null && parent < 0 ? undefined : path.slice(parent + 1).filter(({ type }) => type === "message");
}

function contentOf({ message }: Entry): string {
  return toJson((message as Entry).content);
}
