import type { Checkpoint } from "../../journal/checkpoints.ts";
import { OPERATIONS, type Operation } from "../../journal/rows.ts";
import { canonicalJson } from "../../journal/canonical-json.ts";
import { contentHash } from "../../journal/content-hash.ts";
import type { Core } from "../base/core.ts";
import { assertWord, badInput, describeKind } from "../base/bad-input.ts";
import { integrityError } from "../base/errors.ts";
import type { RollbackResult } from "../messages/results.ts";
import type { Session } from "../base/session.ts";

/** Options of a rollback. */
export interface RollbackOptions {
  /**
   * Restores the checkpoint's own copy of the messages when the stored ones were changed or lost. Needs
   * `snapshotMessages` when the checkpoint was created.
   */
  useSnapshot?: boolean;
}

/** The checkpoints of one session. */
export interface CheckpointStore {
  /** Creates a checkpoint of the session as it is now. */
  create(sessionId: string, operation: Operation): Promise<Checkpoint>;
  /**
   * Marks a checkpoint as committed: its operation succeeded. Deletes committed checkpoints beyond the retention, and
   * likewise those that were rolled back to and those whose operation failed. A manual checkpoint stays until it is
   * committed. A second commit changes nothing.
   */
  commit(checkpointId: string): Promise<void>;
  /**
   * Rolls the session back; nothing stored is deleted. Rejects with an IntegrityError: `checkpoint-missing`,
   * `checkpoint-foreign`, or `checkpoint-mismatch` with both hashes when the messages before the checkpoint have
   * changed.
   */
  rollback(checkpointId: string, options?: RollbackOptions): Promise<RollbackResult>;
  get(checkpointId: string): Promise<Checkpoint | undefined>;
  /** Returns the youngest checkpoint on the session's active path that is not marked as rolled back. */
  getLatest(sessionId: string): Promise<Checkpoint | undefined>;
  /** Returns all checkpoints, oldest first. */
  list(sessionId: string): Promise<Checkpoint[]>;
  /** Deletes the committed checkpoints except the `keepCount` youngest; returns how many. */
  prune(sessionId: string, keepCount: number): Promise<number>;
  /** Deletes all checkpoints; returns how many. */
  clear(sessionId: string): Promise<number>;
}

/** A {@link CheckpointStore} in the journal. */
export class JournalCheckpoints implements CheckpointStore {
  readonly #core: Core;
  readonly #session: Session;

  constructor(core: Core, session: Session) {
    this.#core = core;
    this.#session = session;
  }

  // The interface is asynchronous for other stores; the journal is synchronous.
  async create(sessionId: string, operation: Operation): Promise<Checkpoint> {
    this.#own(sessionId);
    assertWord("an operation", operation, OPERATIONS);
    const since = performance.now();
    const { messages, firstEntryId, leafEntryId } = this.#session;
    const chain = this.#core.chain(this.#session);
    const hash = chain.at(messages);
    const checkpoint = this.#core.journal.checkpoints.create({
      sessionId,
      operation,
      messageIndex: messages.length,
      contentHash: hash,
      firstEntryId,
      leafEntryId,
      ...(this.#core.config.snapshotMessages && {
        snapshot: messages,
        hashAt: (end: number) => chain.at(messages, end),
      }),
    });
    // A manual checkpoint begins no operation: the caller decides when to roll back to it.
    if (operation !== "manual") this.#core.began(this.#session, { id: checkpoint.id, end: messages.length, hash });
    this.#core.emit(
      "l0:checkpoint:created",
      () => ({ sessionId, checkpointId: checkpoint.id, messageIndex: messages.length }),
      { since, kind: operation },
    );
    return checkpoint;
  }

  async commit(checkpointId: string): Promise<void> {
    const since = performance.now();
    const { id, sessionId } = this.#find(checkpointId);
    this.#core.ended(this.#session, id);
    if (!this.#core.journal.checkpoints.commit(id)) return;
    this.#core.emit("l0:checkpoint:committed", () => ({ sessionId, checkpointId: id }), { since });
    this.#pruneAll();
  }

  /** Ends a failed operation without a rollback. */
  abandon(checkpointId: string | undefined): void {
    this.#core.ended(this.#session, checkpointId);
    this.#pruneAll();
  }

  async rollback(checkpointId: string, options: RollbackOptions = {}): Promise<RollbackResult> {
    return this.goTo(this.checked(checkpointId, options), options);
  }

  /** Returns the checkpoint when the session can be rolled back to it. Throws as `rollback` does. */
  checked(checkpointId: string, { useSnapshot = false }: RollbackOptions = {}): Checkpoint {
    const checkpoint = this.#find(checkpointId);
    if (useSnapshot) assertSnapshotHolds(checkpoint);
    else this.#assertHolds(checkpoint);
    return checkpoint;
  }

  /** Rolls the session back to a checkpoint that `checked` returned. */
  async goTo(checkpoint: Checkpoint, { useSnapshot = false }: RollbackOptions = {}): Promise<RollbackResult> {
    const since = performance.now();
    const session = this.#session;
    const before = session.messages;
    if (useSnapshot) await session.replaceMessages(checkpoint.snapshot!);
    // A store may append a note for each rollback; one that changes nothing needs no note.
    else if (session.leafEntryId !== checkpoint.leafEntryId) await session.moveLeaf(checkpoint);
    this.#core.ended(this.#session, checkpoint.id);
    this.#core.journal.checkpoints.rolledBack(checkpoint.id);
    const after = session.messages;
    // A store may have read the messages again, or have continued on a path with equal messages.
    const same = before.findIndex(
      (message, at) => message !== after[at] && canonicalJson(message) !== canonicalJson(after[at]),
    );
    const messagesRemoved = same < 0 ? 0 : before.length - same;
    this.#core.emit(
      "l0:checkpoint:rolled_back",
      () => ({ sessionId: session.id, checkpointId: checkpoint.id, messagesRemoved }),
      { since },
    );
    return { success: true, messagesRemoved, newMessageCount: after.length };
  }

  async get(checkpointId: string): Promise<Checkpoint | undefined> {
    return this.#core.journal.checkpoints.get(checkpointId);
  }

  async getLatest(sessionId: string): Promise<Checkpoint | undefined> {
    this.#own(sessionId);
    const { messages } = this.#session;
    const chain = this.#core.chain(this.#session);
    chain.at(messages);
    // A checkpoint on an abandoned path would move the session forward, not back.
    return this.#core.journal.checkpoints
      .list(sessionId)
      .findLast(
        (checkpoint) =>
          checkpoint.rolledBackAt === undefined &&
          checkpoint.messageIndex <= messages.length &&
          chain.at(messages, checkpoint.messageIndex) === checkpoint.contentHash,
      );
  }

  async list(sessionId: string): Promise<Checkpoint[]> {
    this.#own(sessionId);
    return this.#core.journal.checkpoints.list(sessionId);
  }

  async prune(sessionId: string, keepCount: number): Promise<number> {
    this.#own(sessionId);
    const removed = this.#core.journal.checkpoints.prune(sessionId, keepCount);
    this.#emitPruned(removed);
    return removed;
  }

  async clear(sessionId: string): Promise<number> {
    this.#own(sessionId);
    return this.#core.journal.checkpoints.clear(sessionId);
  }

  #pruneAll(): void {
    const { checkpointRetention: keep } = this.#core.config;
    const { checkpoints } = this.#core.journal;
    const { id } = this.#session;
    this.#emitPruned(
      checkpoints.prune(id, keep) + checkpoints.pruneRolledBack(id, keep) + checkpoints.pruneUnfinished(id, keep),
    );
  }

  #emitPruned(removed: number): void {
    if (removed > 0) this.#core.emit("l0:checkpoint:pruned", () => ({ sessionId: this.#session.id, removed }));
  }

  #find(id: string): Checkpoint {
    if (typeof id !== "string")
      throw badInput("the id of a checkpoint", describeKind(id), "Pass the `id` of a checkpoint. Nothing was changed.");
    const checkpoint = this.#core.journal.checkpoints.get(id);
    if (!checkpoint) {
      throw integrityError("checkpoint-missing", {
        expected: `a checkpoint ${id} in the journal`,
        found: "none; it may have been pruned",
        todo: "Choose one of list(). Nothing was changed.",
      });
    }
    if (checkpoint.sessionId !== this.#session.id) {
      throw integrityError("checkpoint-foreign", {
        expected: `a checkpoint of the session ${this.#session.id}`,
        found: `${id}, of the session ${checkpoint.sessionId}`,
        todo: "Open that session, or choose a checkpoint of this one. Nothing was changed.",
      });
    }
    return checkpoint;
  }

  #own(sessionId: string): void {
    if (sessionId === this.#session.id) return;
    throw integrityError("checkpoint-foreign", {
      expected: `the session ${this.#session.id}, to which this store of checkpoints belongs`,
      found: sessionId,
      todo: "Ask for the checkpoints of that session.",
    });
  }

  #assertHolds(checkpoint: Checkpoint): void {
    const { id, messageIndex } = checkpoint;
    const way = checkpoint.snapshot
      ? "Roll back with { useSnapshot: true }, which restores the checkpoint's own copy, or choose another checkpoint"
      : "Choose another checkpoint";
    const messages = this.#session.readMessages(checkpoint);
    if (!messages) {
      throw integrityError("checkpoint-missing", {
        expected:
          `the entries from ${checkpoint.firstEntryId} to ${checkpoint.leafEntryId} in the ` +
          `session ${checkpoint.sessionId}`,
        found: "entries that are no longer stored",
        todo: `${way}. Nothing was changed.`,
      });
    }
    // Hashed anew instead of with the hash chain: this check must notice a change in the store.
    const found = contentHash(messages);
    if (found === checkpoint.contentHash) return;
    throw integrityError("checkpoint-mismatch", {
      expected: `${messageIndex} messages with the hash ${checkpoint.contentHash} before checkpoint ${id}`,
      found: `${messages.length} messages with the hash ${found}: the messages were modified since`,
      todo: `${way}. Nothing was changed.`,
    });
  }
}

function assertSnapshotHolds({ id, snapshot, contentHash: expected }: Checkpoint): void {
  if (!snapshot) {
    throw integrityError("checkpoint-missing", {
      expected: `a copy of the messages in checkpoint ${id}`,
      found: "none",
      todo:
        "The checkpoint was created without snapshotMessages; roll back without useSnapshot, or choose another " +
        "checkpoint. Nothing was changed.",
    });
  }
  const found = contentHash(snapshot);
  if (found === expected) return;
  throw integrityError("checkpoint-mismatch", {
    expected: `a copy of the messages with the hash ${expected} in checkpoint ${id}`,
    found: `a copy with the hash ${found}: it was modified since`,
    todo: "Choose another checkpoint. Nothing was changed.",
  });
}
