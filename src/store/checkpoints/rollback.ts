/** Continues a conversation from a checkpoint, in OpenClaw's own store. */
import type { Checkpoint } from "../../journal/checkpoints.ts";
import type { Journal } from "../../journal/journal.ts";
import { callsIn, countByTool, type CallBehind } from "./calls-behind.ts";
import { compareWithCheckpoint, countMessages, checkpointPlace, type CheckpointState } from "./checkpoint-state.ts";
import { storeError } from "../errors.ts";
import { assertInUse } from "../sessions/file-session.ts";
import { findSession } from "../sessions/session-store.ts";
import type { MoveOptions, SessionStore, StoredSession } from "../sessions/stored-session.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Options of a rollback. */
export interface RollbackOptions extends MoveOptions {
  readonly dryRun?: boolean | undefined;
}

/** The result of a rollback, or of its dry run. */
export interface RolledBack {
  readonly checkpoint: Checkpoint;
  readonly action: "rolled-back" | "already" | "would-roll-back";
  /** The session in which the conversation continues. */
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
  /** How many messages left the history and how many came back into it. All of them stay stored. */
  readonly messagesLeft: number;
  readonly messagesBack: number;
  /** The tool calls that left the history, each with its outcome. */
  readonly calls: readonly CallBehind[];
  /** Id of a new checkpoint of the state before the rollback: rolling back to it undoes this rollback. */
  readonly kept?: string;
  /** The text of the note that was appended for the agent. */
  readonly note?: string;
  /** What is wrong with the session's store, in sentences for users. */
  readonly problems: readonly string[];
}

/**
 * Continues a conversation from one of its checkpoints, in OpenClaw's own store, with a note that tells the agent.
 * Nothing is deleted, and the previous state gets a checkpoint of its own. The journal records the rollback and closes
 * the calls after the checkpoint that were never started. A second call changes nothing.
 *
 * Rejects with a StoreError, and then the conversation is unchanged: no such checkpoint (`checkpoint-missing`); its
 * messages were changed or deleted (`checkpoint-damaged`, with both hashes); its session is gone (`session-missing`),
 * belongs to no conversation any more (`session-left`) or is in use (`session-busy`); the store cannot be written.
 */
export async function rollBackTo(
  store: SessionStore,
  journal: Journal,
  checkpointId: string,
  options: RollbackOptions = {},
): Promise<RolledBack> {
  const checkpoint = getCheckpoint(journal, checkpointId);
  const session = findSession(store, checkpoint.sessionId);
  return rollBackSession(session, journal, checkpoint, options);
}

/**
 * {@link rollBackTo} for an open session. Also rejects with `checkpoint-foreign` when the checkpoint belongs to another
 * session.
 */
export async function rollBackSession(
  session: StoredSession,
  journal: Journal,
  checkpoint: Checkpoint,
  options: RollbackOptions = {},
): Promise<RolledBack> {
  assertOwn(session, checkpoint);
  const state = compareWithCheckpoint(session, checkpoint);
  assertHolds(state, checkpoint, session);
  assertInUse(session, options.sessionKey);
  const calls = callsIn(session.read(state.leaving), journal.cycles.open(checkpoint.sessionId));
  const outcome = {
    checkpoint,
    sessionId: session.sessionId,
    sessionKey: options.sessionKey ?? session.sessionKey,
    messagesLeft: countMessages(state.leaving),
    messagesBack: countMessages(state.returning),
    calls,
    problems: session.problems,
  };
  const isThere = state.isLeaf && session.isCurrent;
  if (!isThere) session.assertIdle(options);
  if (options.dryRun && !isThere) return { ...outcome, action: "would-roll-back" };
  if (isThere) {
    // A kill may have come after the note was written and before the journal was.
    if (!options.dryRun && state.leaving.length > 0) {
      if (checkpoint.rolledBackAt === undefined) record(journal, checkpoint, calls);
      await session.settle();
    }
    return { ...outcome, action: "already" };
  }
  const kept =
    session.leafEntryId === null
      ? undefined
      : journal.checkpoints.create({
          sessionId: session.sessionId,
          operation: "manual",
          ...checkpointPlace(session, checkpoint),
        });
  const note = writeNote(calls);
  try {
    await session.goOnFrom(
      checkpoint.leafEntryId,
      { text: note, details: { checkpointId: checkpoint.id, ...(kept && { keptCheckpointId: kept.id }) } },
      options,
    );
  } catch (error) {
    if (kept !== undefined) journal.checkpoints.rolledBack(kept.id);
    throw error;
  }
  record(journal, checkpoint, calls);
  return {
    ...outcome,
    sessionId: session.sessionId,
    action: "rolled-back",
    note,
    ...(kept !== undefined && { kept: kept.id }),
  };
}

/** Reads a checkpoint from the journal. Throws `checkpoint-missing`, and a JournalError. */
export function getCheckpoint(journal: Journal, id: string): Checkpoint {
  const checkpoint = journal.checkpoints.get(id);
  if (checkpoint !== undefined) return checkpoint;
  throw storeError("checkpoint-missing", {
    expected: `a checkpoint ${id} in ${journal.file}`,
    found: "none with this id",
    todo:
      `\`${ownCommand("checkpoints list")}\` lists all checkpoints; the oldest are deleted as new ones are made. ` +
      "Nothing was changed.",
  });
}

/**
 * The text of the note for the agent. It names tools and how often they were called, and no content of the
 * conversation.
 */
export function writeNote(calls: readonly CallBehind[]): string {
  const carriedOut = calls.filter(({ outcome }) => outcome === "done" || outcome === "failed");
  const unknown = calls.filter(({ outcome }) => outcome === "unknown");
  return [
    "The conversation was rolled back to this point. What was said after it is no longer part of it.",
    ...(carriedOut.length > 0
      ? [`Tool calls made after this point were carried out, and their effects remain: ${countByTool(carriedOut)}.`]
      : []),
    ...(unknown.length > 0
      ? [`Tool calls made after this point that may have been carried out: ${countByTool(unknown)}.`]
      : []),
    carriedOut.length + unknown.length > 0
      ? "Check what is there before repeating any of them."
      : "No tool call was carried out after it.",
  ].join(" ");
}

/** Records the rollback in the journal. Calls that may have run keep their state. */
function record(journal: Journal, checkpoint: Checkpoint, calls: readonly CallBehind[]): void {
  journal.transaction(() => {
    journal.checkpoints.rolledBack(checkpoint.id);
    recordLeft(journal, checkpoint.sessionId, calls);
  });
}

/**
 * Records in the journal that entries left the history: their calls that were not started are closed, and no user
 * message waits for an answer any more.
 */
export function recordLeft(journal: Journal, sessionId: string, calls: readonly CallBehind[]): void {
  journal.transaction(() => {
    // User messages after the checkpoint have left the history, answered or not.
    journal.unanswered.clear(sessionId);
    journal.cycles.rollBack(
      calls.flatMap(({ outcome, cycleId }) => (outcome === "not-started" && cycleId !== undefined ? [cycleId] : [])),
    );
  });
}

function assertOwn(session: StoredSession, { id, sessionId }: Checkpoint): void {
  if (sessionId === session.sessionId) return;
  throw storeError("checkpoint-foreign", {
    expected: `a checkpoint of session ${session.sessionId}`,
    found: `checkpoint ${id}, which is of session ${sessionId}`,
    todo:
      `\`${ownCommand("checkpoints list", { options: ["--session"] })} <id or key>\` shows the checkpoints of a ` +
      "session. Nothing was changed.",
  });
}

function assertHolds(
  { verdict, foundHash }: CheckpointState,
  { id, contentHash, leafEntryId, messageIndex }: Checkpoint,
  session: StoredSession,
): void {
  if (verdict === "holds") return;
  throw storeError("checkpoint-damaged", {
    expected:
      `${messageIndex} messages with the hash ${contentHash} up to entry ${leafEntryId ?? "(none)"} ` +
      `in ${session.place}, as when checkpoint ${id} was made`,
    found: verdict === "gone" ? "that entry is no longer stored" : (foundHash ?? "a path that begins elsewhere"),
    todo:
      "The store was changed since. Choose another checkpoint, or restore the store from a backup. " +
      "Nothing was changed.",
  });
}
