import type { Checkpoint } from "../journal/checkpoints.ts";
import { isObject } from "../transcript/json.ts";
import { resultsIn } from "./calls.ts";
import { JournalCheckpoints, type RollbackOptions } from "./checkpoint-store.ts";
import type { Core } from "./core.ts";
import { recover } from "./recover.ts";
import type { RollbackResult } from "./results.ts";
import type { Session } from "./session.ts";

/**
 * Takes the session back to a checkpoint because somebody asked for it. Cycles that a crash cut off are finished first: what a tool
 * did is stored then, on the path that is left, and does not come back later on the one that is taken up.
 */
export async function rollback(core: Core, session: Session, checkpointId: string, options: RollbackOptions): Promise<RollbackResult> {
  const checkpoints = new JournalCheckpoints(core, session);
  const checkpoint = checkpoints.sound(checkpointId, options);
  await recover(core, session);
  // Recovery commits, and the retention may have taken this one's row away since.
  return checkpoints.goTo(checkpoint, options);
}

/** What stays when an operation that failed is taken back. */
export interface TakeBackOptions {
  /** Messages of the user's stay too. Not after a content filter: what it refused must not be sent again. */
  keepUser: boolean;
}

/**
 * Takes back what was added behind a checkpoint by an operation that failed, but for what is real: results of tools, with all before them.
 * What a tool has done is not undone by forgetting it.
 */
export async function takeBack(core: Core, session: Session, checkpoint: Checkpoint, { keepUser }: TakeBackOptions): Promise<RollbackResult> {
  const { messages } = session;
  const last = messages.findLastIndex((message, at) => at >= checkpoint.messageIndex && (resultsIn(message).length > 0 || (keepUser && isObject(message) && message.role === "user")));
  if (last < 0) return new JournalCheckpoints(core, session).rollback(checkpoint.id);
  const end = last + 1;
  if (end < messages.length) await session.moveLeaf({ leafEntryId: session.entryIdAt(last) ?? null, messageIndex: end });
  return { success: true, messagesRemoved: messages.length - end, newMessageCount: end };
}
