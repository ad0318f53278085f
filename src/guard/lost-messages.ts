import type { UnansweredMessage } from "../journal/unanswered-messages.ts";
import { arrivalOf } from "../timetravel/index.ts";
import { isObject, toJson } from "../transcript/json.ts";
import { withJournal } from "./journal.ts";
import { logFailure } from "./log.ts";
import type { SessionManager } from "./session.ts";
import { appendUnanswered, isEntryOf, isFromBefore, lastEntryOf } from "./unanswered.ts";

type Entry = Record<string, unknown>;

/** Takes down the message that a model is asked with, once OpenClaw has entered it. Never throws. */
export function noteUnanswered(sessionId: string, manager: SessionManager | undefined): void {
  setImmediate(() => {
    try {
      const asked = manager && lastEntryOf(manager);
      if (!asked || !isEntryOf("user", asked)) return;
      const parentId = typeof asked.parentId === "string" ? asked.parentId : null;
      withJournal(({ unanswered }) => unanswered.note({ sessionId, entryId: String(asked.id), parentId, message: asked.message }));
    } catch (error) {
      logFailure("journal", error, "the request goes on");
    }
  });
}

/**
 * The history with what a user said before OpenClaw was killed and OpenClaw has taken off the path since, in a turn that was killed too:
 * appended again where nothing was said after it, put in its place in the list otherwise. What was answered is forgotten. Issue 5.
 */
export function withLostMessages(sessionId: string | undefined, manager: SessionManager | undefined, messages: unknown[]): unknown[] {
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
  const { sessionId, entryId, parentId, message, at } = lost;
  const path = manager.getBranch!().filter(isObject);
  const own = path.findIndex(({ id }) => id === entryId);
  const parent = parentId === null ? -1 : path.findIndex(({ id }) => id === parentId);
  const settle = (): unknown[] => {
    withJournal(({ unanswered }) => unanswered.settled(sessionId, entryId));
    return messages;
  };
  if (own >= 0) return path.slice(own).some((entry) => isEntryOf("assistant", entry)) ? settle() : messages;
  // The carryover repeats it; only a kill right behind the move leaves it noted.
  if (path.some((entry) => arrivalOf(entry)?.questionId === entryId)) return settle();
  // What this process took off the path is asked again by it; what lies behind another beginning was put aside.
  if (!isFromBefore(at) || (parentId !== null && parent < 0)) return messages;
  const behind = path.slice(parent + 1).filter(({ type }) => type === "message");
  if (behind.some((entry) => isEntryOf("user", entry) && contentOf(entry) === toJson((message as Entry).content))) return settle();
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
      journal.unanswered.note({ sessionId, entryId: appended, parentId: String(path.at(-1)?.id ?? "") || null, message });
    }),
  );
  return [...messages, message];
}

function contentOf({ message }: Entry): string {
  return toJson((message as Entry).content);
}
