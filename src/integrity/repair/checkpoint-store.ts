import type { Checkpoint } from "../../journal/checkpoints.ts";
import type { Operation } from "../../journal/rows.ts";
import { canonicalJson } from "../../journal/canonical-json.ts";
import { contentHash } from "../../journal/content-hash.ts";
import type { Core } from "../base/core.ts";
import { integrityError } from "../base/errors.ts";
import type { RollbackResult } from "../messages/results.ts";
import type { Session } from "../base/session.ts";

/** How a rollback is made. */
export interface RollbackOptions {
  /**
   * Go back to the checkpoint's own copy of the messages where the stored ones were changed or lost. Needs
   * `snapshotMessages` when the checkpoint was made.
   */
  useSnapshot?: boolean;
}

/** The checkpoints of one session (Layer 0 specification, "Checkpoint Storage"). */
export interface CheckpointStore {
  /** Keeps the place where the session stands now. */
  create(sessionId: string, operation: Operation): Promise<Checkpoint>;
  /**
   * The operation succeeded. Committed checkpoints beyond the retention are deleted, and likewise those that the
   * session was taken back to and those whose operation failed. One made by hand stays until it is committed.
   * Committing twice changes nothing.
   */
  commit(checkpointId: string): Promise<void>;
  /**
   * Takes the session back; nothing stored is deleted. Throws an IntegrityError: `checkpoint-missing`,
   * `checkpoint-foreign`, or `checkpoint-mismatch` with both hashes when the messages before it are not those of then.
   */
  rollback(checkpointId: string, options?: RollbackOptions): Promise<RollbackResult>;
  get(checkpointId: string): Promise<Checkpoint | undefined>;
  /** The youngest checkpoint on the session's active path that it was not taken back to. */
  getLatest(sessionId: string): Promise<Checkpoint | undefined>;
  /** All of them, oldest first. */
  list(sessionId: string): Promise<Checkpoint[]>;
  /** Deletes the committed ones but for the `keepCount` youngest; how many. */
  prune(sessionId: string, keepCount: number): Promise<number>;
  /** Deletes all of them; how many. */
  clear(sessionId: string): Promise<number>;
}

/** {@link CheckpointStore} over the journal. */
export class JournalCheckpoints implements CheckpointStore {
  readonly #core: Core;
  readonly #session: Session;

  constructor(core: Core, session: Session) {
    this.#core = core;
    this.#session = session;
  }

  // Asynchronous by the specification; the journal answers at once.
  async create(sessionId: string, operation: Operation): Promise<Checkpoint> {
    this.#own(sessionId);
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
    // One that somebody made by hand is for them to go back to.
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

  /** The operation failed, and nothing has to be taken back. */
  abandon(checkpointId: string | undefined): void {
    this.#core.ended(this.#session, checkpointId);
    this.#pruneAll();
  }

  async rollback(checkpointId: string, options: RollbackOptions = {}): Promise<RollbackResult> {
    return this.goTo(this.sound(checkpointId, options), options);
  }

  /** The checkpoint, when the session can be taken back to it. Throws as `rollback` does. */
  sound(checkpointId: string, { useSnapshot = false }: RollbackOptions = {}): Checkpoint {
    const checkpoint = this.#find(checkpointId);
    if (useSnapshot) assertSnapshotHolds(checkpoint);
    else this.#assertHolds(checkpoint);
    return checkpoint;
  }

  /** Takes the session back to a checkpoint that is sound. */
  async goTo(checkpoint: Checkpoint, { useSnapshot = false }: RollbackOptions = {}): Promise<RollbackResult> {
    const since = performance.now();
    const session = this.#session;
    const before = session.messages;
    if (useSnapshot) await session.replaceMessages(checkpoint.snapshot!);
    // A store that notes its rollbacks need not note one that changes nothing.
    else if (session.leafEntryId !== checkpoint.leafEntryId) await session.moveLeaf(checkpoint);
    this.#core.ended(this.#session, checkpoint.id);
    this.#core.journal.checkpoints.rolledBack(checkpoint.id);
    const after = session.messages;
    // A store may have read them again, or have taken up an equal path.
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
    // One that lies on a path that was left would take the session forward, not back.
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
    const checkpoint = this.#core.journal.checkpoints.get(id);
    if (!checkpoint) {
      throw integrityError("checkpoint-missing", {
        expected: `a checkpoint ${id} in the journal`,
        found: "none; it may have been pruned",
        todo: "Choose one that list() gives. Nothing was changed.",
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
      expected: `the session ${this.#session.id}, whose checkpoints these are`,
      found: sessionId,
      todo: "Ask for the checkpoints of that session.",
    });
  }

  #assertHolds(checkpoint: Checkpoint): void {
    const { id, messageIndex } = checkpoint;
    const way = checkpoint.snapshot
      ? "Roll back with { useSnapshot: true }, which restores the checkpoint's own copy, or choose another checkpoint"
      : "Choose another checkpoint";
    const messages = this.#session.messagesOf(checkpoint);
    if (!messages) {
      throw integrityError("checkpoint-missing", {
        expected: `the entries from ${checkpoint.firstEntryId} to ${checkpoint.leafEntryId} in the session ${checkpoint.sessionId}`,
        found: "that they are no longer stored",
        todo: `${way}. Nothing was changed.`,
      });
    }
    // Hashed anew, whatever was remembered: this is the check that a change in the store must not get past.
    const found = contentHash(messages);
    if (found === checkpoint.contentHash) return;
    throw integrityError("checkpoint-mismatch", {
      expected: `${messageIndex} messages with the hash ${checkpoint.contentHash} before checkpoint ${id}`,
      found: `${messages.length} messages with the hash ${found}: they were modified since`,
      todo: `${way}. Nothing was changed.`,
    });
  }
}

function assertSnapshotHolds({ id, snapshot, contentHash: expected }: Checkpoint): void {
  if (!snapshot) {
    throw integrityError("checkpoint-missing", {
      expected: `a copy of the messages in checkpoint ${id}`,
      found: "none",
      todo: "It was made without snapshotMessages; roll back without useSnapshot, or choose another checkpoint. Nothing was changed.",
    });
  }
  const found = contentHash(snapshot);
  if (found === expected) return;
  throw integrityError("checkpoint-mismatch", {
    expected: `a copy of the messages with the hash ${expected} in checkpoint ${id}`,
    found: `one with the hash ${found}: it was modified since`,
    todo: "Choose another checkpoint. Nothing was changed.",
  });
}
