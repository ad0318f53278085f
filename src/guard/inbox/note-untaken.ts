import { lateNote, unreadNote } from "../base/words.ts";
import type { PendingInput } from "../../store/sessions/pending-inputs.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import { isObject } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure, logLine } from "../base/log.ts";
import { type SessionMemory, waitingHere } from "../base/memory.ts";
import { isLeftBehind } from "../history/left-behind.ts";
import { isOfMoment } from "../history/lost-messages.ts";
import { isRoleEntry, findLastEntry } from "../openclaw/entries.ts";
import { type GuardContext, OWN_TYPE, type SessionManager } from "../openclaw/session.ts";
import { settleInputs, untakenInputs } from "./untaken.ts";
import { collectUntaken, inboxName, waitingSince } from "./waiting.ts";
import { messageText } from "../base/user-text.ts";

/** What OpenClaw calls the sender of a message that comes from outside. */
const PERSON = "external_user";

/**
 * Journals the messages that OpenClaw has accepted and no run has taken among the lost messages of the session, so
 * that the next request has them, before the message of this turn. A message that was superseded or killed is sent as
 * it is. A person who stopped all work wants no answer to what waited: the model and the person are told that it was
 * not read. A message that is older than a question that was answered since is sent with a note that it is late. Each
 * is journalled once. Never throws.
 */
export function noteUntaken(
  context: GuardContext,
  memory: SessionMemory,
  manager: SessionManager | undefined,
  isBegun: boolean,
): void {
  const { sessionId, sessionKey } = context;
  if (sessionId === undefined || sessionKey === undefined || isIncognito(sessionKey) || !manager?.getBranch) return;
  try {
    const rows = untakenInputs(sessionId, sessionKey, () => (isBegun ? waitingSince(context) : -Infinity));
    const branch = manager.getBranch();
    const inputs = [...rows, ...collectUntaken(context, branch)];
    if (inputs.length === 0) return;
    const given = inputs.filter(isGiven);
    const parentId = parentForUntaken(manager);
    const answeredAt = lastAnsweredAt(branch);
    const isNoted = withJournal((journal) =>
      journal.transaction(() => {
        for (const input of given)
          journal.unanswered.note({ sessionId, entryId: input.id, parentId, message: toMessage(input, answeredAt) });
        for (const input of inputs) {
          journal.unanswered.settled(inboxName(sessionKey), input.id);
          if (!given.includes(input)) journal.unanswered.settled(sessionId, input.id);
        }
        if (rows.length > 0) settleInputs(journal, sessionId, listIds(rows));
        return true;
      }),
    );
    if (!isNoted) return;
    for (const { id } of inputs) waitingHere.delete(id);
    if (given.length === 0) return;
    const unread = given.filter(({ state }) => state === "cancelled").map(({ message }) => messageText(message));
    if (unread.length > 0) memory.unread = [...(memory.unread ?? []), ...unread];
    logLine(`session load: the model gets ${given.length} accepted message(s) that no run has taken`);
  } catch (error) {
    logFailure("session load (accepted messages)", error, "the history is used unchanged");
  }
}

/**
 * True for a message of a person, and for one of another session that nobody has stopped: the result of a sub-agent.
 */
function isGiven({ state, message }: PendingInput): boolean {
  const { provenance } = message;
  const isPersons = !isObject(provenance) || provenance.kind === PERSON;
  return isPersons || (!isOfMoment(message) && state !== "cancelled");
}

/**
 * Returns the id of the entry behind which they stand: the turn's own message may be stored already. A message that an
 * earlier process has left was said before them.
 */
export function parentForUntaken(manager: SessionManager): string | null {
  const last = findLastEntry(manager);
  const place = last && isRoleEntry("user", last) && !isLeftBehind(last) ? last.parentId : manager.getLeafId?.();
  return typeof place === "string" ? place : null;
}

function toMessage(input: PendingInput, answeredAt: number): unknown {
  const { idempotencyKey: _ofItsRun, ...message } = input.message;
  if (input.state !== "cancelled" && input.acceptedAt >= answeredAt) return message;
  const text = messageText(message);
  const content = input.state === "cancelled" ? unreadNote(text) : lateNote(text);
  return { role: "custom", customType: OWN_TYPE, content, display: false, timestamp: input.acceptedAt };
}

/** When the last question was asked that has an answer, in milliseconds since 1970. */
function lastAnsweredAt(branch: readonly unknown[]): number {
  const answer = branch.findLastIndex((entry) => isRoleEntry("assistant", entry));
  const asked = branch.slice(0, Math.max(0, answer)).findLast((entry) => isRoleEntry("user", entry));
  const at = isObject(asked) && isObject(asked.message) ? asked.message.timestamp : undefined;
  return typeof at === "number" ? at : -Infinity;
}

function listIds(inputs: readonly PendingInput[]): string[] {
  return inputs.map(({ id }) => id);
}
