import { isObject } from "../../transcript/json/json.ts";
import { resultsIn } from "../messages/calls.ts";
import { JournalCheckpoints, type RollbackOptions } from "../repair/checkpoint-store.ts";
import type { Core } from "../base/core.ts";
import type { Place } from "../base/memory.ts";
import { recover } from "../repair/recover.ts";
import type { RollbackResult } from "../messages/results.ts";
import type { Session } from "../base/session.ts";

/**
 * Takes the session back to a checkpoint because somebody asked for it. Cycles that a crash cut off are finished first:
 * what a tool did is stored then, on the path that is left, and does not come back later on the one that is taken up.
 */
export async function rollback(
  core: Core,
  session: Session,
  checkpointId: string,
  options: RollbackOptions,
): Promise<RollbackResult> {
  const checkpoints = new JournalCheckpoints(core, session);
  const checkpoint = checkpoints.sound(checkpointId, options);
  await recover(core, session);
  // Recovery commits, and the retention may have taken this one's row away since.
  return checkpoints.goTo(checkpoint, options);
}

/**
 * Takes back what was added behind a place by an operation that failed, but for what is real: a person's words and
 * results of tools, with all before them. What a tool has done is not undone by forgetting it.
 */
export async function takeBack(core: Core, session: Session, { id, messageIndex }: Place): Promise<RollbackResult> {
  const { messages } = session;
  const last = messages.findLastIndex(
    (message, at) =>
      at >= messageIndex && (resultsIn(message).length > 0 || (isObject(message) && message.role === "user")),
  );
  if (last < 0 && id !== undefined) return new JournalCheckpoints(core, session).rollback(id);
  const end = last < 0 ? messageIndex : last + 1;
  return { success: true, messagesRemoved: await takeBackTo(session, end), newMessageCount: end };
}

/** Lets the conversation go on behind its first `end` messages; how many are no longer on the path. */
export async function takeBackTo(session: Session, end: number): Promise<number> {
  const { length } = session.messages;
  if (end >= length) return 0;
  await session.moveLeaf({ leafEntryId: end === 0 ? null : (session.entryIdAt(end - 1) ?? null), messageIndex: end });
  return length - end;
}
