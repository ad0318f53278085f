import type { UnansweredMessage } from "../../journal/unanswered-messages.ts";
import { arrivalOf, questionsOf } from "../../timetravel/index.ts";
import { isObject, toJson } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure } from "../base/log.ts";
import type { SessionManager } from "../openclaw/session.ts";
import { isEntryOf, isFromBefore, lastEntryOf } from "../openclaw/entries.ts";
import { appendUnanswered } from "./unanswered.ts";

type Entry = Record<string, unknown>;

/** Journals the user message this request answers, on the next tick, when OpenClaw has appended it. Never throws. */
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
      logFailure("journal", error, "the request is sent");
    }
  });
}

/** Forgets a session's journalled messages that were answered since. Returns how many are left. Never throws. */
export function settleAnswered(sessionId: string, manager: SessionManager | undefined): number {
  try {
    const noted = withJournal(({ unanswered }) => unanswered.of(sessionId)) ?? [];
    if (noted.length === 0 || !manager?.getBranch) return noted.length;
    const path = manager.getBranch().filter(isObject);
    const answered = noted.filter((one) => isAnswered(one, path) || isSaidAgain(one, path));
    for (const { entryId } of answered) withJournal(({ unanswered }) => unanswered.settled(sessionId, entryId));
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
  const noted = withJournal(({ unanswered }) => unanswered.of(sessionId)) ?? [];
  if (noted.length === 0) return messages;
  try {
    return noted.reduce((history, one) => withLost(one, manager, history), messages);
  } catch (error) {
    logFailure("session load (lost message)", error, "the history is used unchanged");
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
  // A message that this process removed from the path is asked again by it. One whose parent is not on the path belongs
  // to a history that was left, by a reset for example.
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
 * True when an assistant message follows the message on the path, or when a carryover on the path repeats it. The
 * second happens only after a kill directly behind the move.
 */
function isAnswered({ entryId }: UnansweredMessage, path: readonly Entry[]): boolean {
  const own = path.findIndex(({ id }) => id === entryId);
  if (own >= 0) return path.slice(own).some((entry) => isEntryOf("assistant", entry));
  return path.some((entry) => {
    const arrival = arrivalOf(entry);
    return arrival !== undefined && questionsOf(arrival).includes(entryId);
  });
}

/**
 * True when a message with the same content follows its parent under another id: for a retry OpenClaw removes a message
 * from the path and stores it again.
 */
function isSaidAgain(lost: UnansweredMessage, path: readonly Entry[]): boolean {
  const content = toJson((lost.message as Entry).content);
  const isSame = (entry: Entry): boolean =>
    entry.id !== lost.entryId && isEntryOf("user", entry) && contentOf(entry) === content;
  return messagesBehind(lost, path)?.some(isSame) ?? false;
}

/** Returns the messages on the path behind the message's parent; undefined when the parent is not on the path. */
function messagesBehind({ parentId }: UnansweredMessage, path: readonly Entry[]): Entry[] | undefined {
  const parent = parentId === null ? -1 : path.findIndex(({ id }) => id === parentId);
  return parentId !== null && parent < 0 ? undefined : path.slice(parent + 1).filter(({ type }) => type === "message");
}

function contentOf({ message }: Entry): string {
  return toJson((message as Entry).content);
}
