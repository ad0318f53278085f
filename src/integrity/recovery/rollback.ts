import { isObject } from "../../transcript/json/json.ts";
import { resultsIn } from "../messages/calls.ts";
import { JournalCheckpoints, type RollbackOptions } from "../repair/checkpoint-store.ts";
import type { Core } from "../base/core.ts";
import type { OperationStart } from "../base/session-memory.ts";
import { recover } from "../repair/recover.ts";
import type { RollbackResult } from "../messages/results.ts";
import type { Session } from "../base/session.ts";

/**
 * Rolls the session back to a checkpoint on request. Interrupted cycles are completed first: the results of their tools
 * are then stored on the path that is left, and do not appear later on the path that is continued.
 */
export async function rollback(
  core: Core,
  session: Session,
  checkpointId: string,
  options: RollbackOptions,
): Promise<RollbackResult> {
  const checkpoints = new JournalCheckpoints(core, session);
  const checkpoint = checkpoints.checked(checkpointId, options);
  await recover(core, session);
  // Recovery commits checkpoints, and the retention may have deleted the row of this one.
  return checkpoints.goTo(checkpoint, options);
}

/**
 * Removes from the path what a failed operation appended behind a place. User messages and results of tools, and
 * everything before them, stay: removing a result would not undo the tool's effects.
 */
export async function removeUnfinished(
  core: Core,
  session: Session,
  { id, messageIndex }: OperationStart,
): Promise<RollbackResult> {
  const { messages } = session;
  const last = messages.findLastIndex(
    (message, at) =>
      at >= messageIndex && (resultsIn(message).length > 0 || (isObject(message) && message.role === "user")),
  );
  if (last < 0 && id !== undefined) return new JournalCheckpoints(core, session).rollback(id);
  const end = last < 0 ? messageIndex : last + 1;
  return { success: true, messagesRemoved: await truncateTo(session, end), newMessageCount: end };
}

/** Continues the conversation behind its first `end` messages; returns how many messages left the path. */
export async function truncateTo(session: Session, end: number): Promise<number> {
  const { length } = session.messages;
  if (end >= length) return 0;
  await session.moveLeaf({ leafEntryId: end === 0 ? null : (session.entryIdAt(end - 1) ?? null), messageIndex: end });
  return length - end;
}
