import { randomUUID } from "node:crypto";
import type { CheckpointRow, Operation } from "./rows.ts";
import { Snapshots } from "./snapshots.ts";
import type { Connection, Statement } from "./sqlite.ts";

/** A position in a session to which the session can be rolled back. */
export interface Checkpoint {
  id: string;
  sessionId: string;
  /** Time of creation, in milliseconds since 1970. */
  timestamp: number;
  /** Number of messages before the checkpoint: those of the path from `firstEntryId` to `leafEntryId`. */
  messageIndex: number;
  /** `contentHash` of these messages. */
  contentHash: string;
  operation: Operation;
  /** The messages themselves, when the configuration asks for copies. Set only by {@link Checkpoints.get}. */
  snapshot?: unknown[];
  /** First transcript entry of the hashed path; null for stores without entries and for an empty session. */
  firstEntryId: string | null;
  /** Transcript entry that was the session's leaf; null for stores without entries and for an empty session. */
  leafEntryId: string | null;
  committedAt?: number;
  rolledBackAt?: number;
}

/** A checkpoint to be created. */
export interface NewCheckpoint extends Pick<
  Checkpoint,
  "sessionId" | "operation" | "messageIndex" | "contentHash" | "firstEntryId" | "leafEntryId"
> {
  /** The messages of which `contentHash` is the hash. */
  readonly snapshot?: readonly unknown[];
  /**
   * Returns the `contentHash` of the first `end` messages of `snapshot`, for callers that know these hashes already.
   */
  readonly hashAt?: (end: number) => string;
}

/**
 * The checkpoints of the journal. Every method throws a JournalError when the database fails.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Checkpoints, contentHash, openJournal } from "openclaw-integrity/journal";
 *
 * const journal = openJournal(":memory:");
 * const checkpoints: Checkpoints = journal.checkpoints;
 * const messages = [{ role: "user", content: "Hello" }];
 * const { id } = checkpoints.create({
 *   sessionId: "s1",
 *   operation: "manual",
 *   messageIndex: messages.length,
 *   contentHash: contentHash(messages),
 *   firstEntryId: "entry-1",
 *   leafEntryId: "entry-1",
 *   snapshot: messages,
 * });
 * assert.deepEqual(checkpoints.get(id)?.snapshot, messages);
 * assert.equal(checkpoints.getLatest("s1")?.id, id);
 * assert.equal(checkpoints.commit(id), true);
 * assert.equal(checkpoints.prune("s1", 0), 1); // deletes all committed checkpoints but the 0 youngest
 * journal.close();
 * ```
 */
export class Checkpoints {
  readonly #now: () => number;
  readonly #insert: Statement;
  readonly #commit: Statement;
  readonly #rollBack: Statement;
  readonly #get: Statement;
  readonly #latest: Statement;
  readonly #list: Statement;
  readonly #prune: Statement;
  readonly #pruneFailed: Statement;
  readonly #pruneRolledBack: Statement;
  readonly #pruneUnfinished: Statement;
  readonly #clear: Statement;
  readonly #connection: Connection;
  readonly #snapshots: Snapshots;

  constructor(connection: Connection, now: () => number) {
    this.#now = now;
    this.#connection = connection;
    this.#snapshots = new Snapshots(connection);
    this.#insert = connection.prepare(
      `INSERT INTO checkpoints
         (id, session_id, created_at, operation, message_index, content_hash, first_entry_id, leaf_entry_id, snapshot)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#commit = connection.prepare(
      "UPDATE checkpoints SET committed_at = ? WHERE id = ? AND committed_at IS NULL AND rolled_back_at IS NULL",
    );
    this.#rollBack = connection.prepare("UPDATE checkpoints SET rolled_back_at = ? WHERE id = ?");
    this.#get = connection.prepare("SELECT * FROM checkpoints WHERE id = ?");
    this.#latest = connection.prepare(
      "SELECT * FROM checkpoints WHERE session_id = ? AND rolled_back_at IS NULL ORDER BY sequence DESC LIMIT 1",
    );
    this.#list = connection.prepare("SELECT * FROM checkpoints WHERE session_id = ?1 OR ?1 IS NULL ORDER BY sequence");
    const keepYoungest = (which: string): Statement =>
      connection.prepare(
        `DELETE FROM checkpoints WHERE session_id = ?1 AND ${which} AND sequence NOT IN (
           SELECT sequence FROM checkpoints WHERE session_id = ?1 AND ${which} ORDER BY sequence DESC LIMIT ?2)`,
      );
    this.#prune = keepYoungest("committed_at IS NOT NULL AND (operation = ?3 OR ?3 IS NULL)");
    this.#pruneFailed = keepYoungest("committed_at IS NULL AND operation = ?3");
    this.#pruneRolledBack = keepYoungest("rolled_back_at IS NOT NULL");
    // The calls of an open tool cycle belong together by their checkpoint.
    this.#pruneUnfinished = keepYoungest(
      `committed_at IS NULL AND operation <> 'manual' AND id NOT IN (
         SELECT checkpoint_id FROM tool_cycles
         WHERE session_id = ?1 AND checkpoint_id IS NOT NULL AND state IN ('pending', 'executing', 'recording'))`,
    );
    this.#clear = connection.prepare("DELETE FROM checkpoints WHERE session_id = ?");
  }

  /** Inserts a checkpoint; returns it with its new id. */
  create(checkpoint: NewCheckpoint): Checkpoint {
    const { sessionId, operation, messageIndex, contentHash, firstEntryId, leafEntryId, snapshot, hashAt } = checkpoint;
    const id = randomUUID();
    const timestamp = this.#now();
    const insert = (): unknown =>
      this.#insert.run(
        id,
        sessionId,
        timestamp,
        operation,
        messageIndex,
        contentHash,
        firstEntryId,
        leafEntryId,
        snapshot ? BY_ITS_HASH : null,
      );
    if (snapshot) {
      this.#connection.transaction(() => {
        this.#snapshots.keep(sessionId, snapshot, hashAt);
        insert();
      });
    } else insert();
    return {
      id,
      sessionId,
      timestamp,
      operation,
      messageIndex,
      contentHash,
      firstEntryId,
      leafEntryId,
      ...(snapshot && { snapshot: [...snapshot] }),
    };
  }

  /**
   * Marks a checkpoint as committed: its operation succeeded. Returns false when there is no such checkpoint, or it is
   * committed or rolled back already.
   */
  commit(id: string): boolean {
    return this.#commit.run(this.#now(), id).changes === 1;
  }

  /**
   * Marks a checkpoint as rolled back: the session was rolled back to it. Returns false when there is no such
   * checkpoint.
   */
  rolledBack(id: string): boolean {
    return this.#rollBack.run(this.#now(), id).changes === 1;
  }

  /** Returns a checkpoint, with its snapshot when it has one; undefined when there is none with this id. */
  get(id: string): Checkpoint | undefined {
    const row = this.#get.get<CheckpointRow>(id);
    if (!row || row.snapshot === null) return row && toCheckpoint(row);
    return { ...toCheckpoint(row), snapshot: this.#snapshots.read(row.session_id, row.content_hash) };
  }

  /** Returns the youngest checkpoint of a session that is not marked as rolled back; undefined when there is none. */
  getLatest(sessionId: string): Checkpoint | undefined {
    const row = this.#latest.get<CheckpointRow>(sessionId);
    return row && toCheckpoint(row);
  }

  /** Returns all checkpoints of a session, or of all sessions, oldest first. */
  list(sessionId?: string): Checkpoint[] {
    return this.#list.all<CheckpointRow>(sessionId ?? null).map(toCheckpoint);
  }

  /**
   * Deletes the committed checkpoints of a session, or those of one operation, except the `keepCount` youngest. Returns
   * how many were deleted.
   */
  prune(sessionId: string, keepCount: number, operation?: Operation): number {
    return this.#deleted(sessionId, this.#prune, toLimit(keepCount), operation ?? null);
  }

  /**
   * Deletes the uncommitted checkpoints of one operation in the same way: failed operations never commit theirs, which
   * would pile up.
   */
  pruneFailed(sessionId: string, keepCount: number, operation: Operation): number {
    return this.#deleted(sessionId, this.#pruneFailed, toLimit(keepCount), operation);
  }

  /**
   * Deletes the checkpoints that are marked as rolled back in the same way. A checkpoint that is neither committed nor
   * rolled back stays: its operation may still be running.
   */
  pruneRolledBack(sessionId: string, keepCount: number): number {
    return this.#deleted(sessionId, this.#pruneRolledBack, toLimit(keepCount));
  }

  /**
   * Deletes the checkpoints that were never committed in the same way: their operations failed or were ended by a kill.
   * Manual checkpoints and those of open tool cycles stay.
   */
  pruneUnfinished(sessionId: string, keepCount: number): number {
    return this.#deleted(sessionId, this.#pruneUnfinished, toLimit(keepCount));
  }

  /** Deletes all checkpoints of a session; returns how many. */
  clear(sessionId: string): number {
    return this.#deleted(sessionId, this.#clear);
  }

  #deleted(sessionId: string, statement: Statement, ...values: (number | string | null)[]): number {
    const { changes } = statement.run(sessionId, ...values);
    if (changes > 0) this.#snapshots.sweep(sessionId);
    return changes;
  }
}

/** In the `snapshot` column of a checkpoint whose messages are in `snapshot_messages`, under their hash. */
const BY_ITS_HASH = "";

/** Returns a count as a LIMIT that SQLite accepts. */
function toLimit(count: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(count) || 0));
}

/** Converts a row of `checkpoints`, without its snapshot. */
function toCheckpoint(row: CheckpointRow): Checkpoint {
  return {
    id: row.id,
    sessionId: row.session_id,
    timestamp: row.created_at,
    operation: row.operation,
    messageIndex: row.message_index,
    contentHash: row.content_hash,
    firstEntryId: row.first_entry_id,
    leafEntryId: row.leaf_entry_id,
    ...(row.committed_at !== null && { committedAt: row.committed_at }),
    ...(row.rolled_back_at !== null && { rolledBackAt: row.rolled_back_at }),
  };
}
