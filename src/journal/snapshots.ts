import { contentHash, EMPTY_HASH } from "./content-hash.ts";
import { type Connection, parseStored, type Statement } from "./sqlite.ts";
import { storedWords } from "./stored-words.ts";

/**
 * Copies of messages for checkpoints. A copy is identified by the hash of its messages, and each of its prefixes by the
 * hash of the prefix: lists with a common prefix share its rows, so that a checkpoint costs only the messages that are
 * new since the last one.
 */
export class Snapshots {
  readonly #has: Statement;
  readonly #insert: Statement;
  readonly #read: Statement;
  readonly #sweep: Statement;

  constructor(connection: Connection) {
    this.#has = connection.prepare("SELECT 1 FROM snapshot_messages WHERE session_id = ? AND content_hash = ?");
    this.#insert = connection.prepare(
      "INSERT OR IGNORE INTO snapshot_messages (session_id, content_hash, previous_hash, message) VALUES (?, ?, ?, ?)",
    );
    this.#read = connection.prepare(
      `WITH RECURSIVE path (previous_hash, message, distance) AS (
         SELECT previous_hash, message, 0 FROM snapshot_messages WHERE session_id = ?1 AND content_hash = ?2
         UNION ALL
         SELECT before.previous_hash, before.message, distance + 1 FROM path
         JOIN snapshot_messages AS before ON before.session_id = ?1 AND before.content_hash = path.previous_hash
       ) SELECT message FROM path ORDER BY distance DESC`,
    );
    this.#sweep = connection.prepare(
      `DELETE FROM snapshot_messages WHERE session_id = ?1 AND content_hash NOT IN (
         WITH RECURSIVE held (content_hash) AS (
           SELECT content_hash FROM checkpoints WHERE session_id = ?1 AND snapshot IS NOT NULL
           UNION
           SELECT previous_hash FROM held JOIN snapshot_messages USING (content_hash) WHERE session_id = ?1
         ) SELECT content_hash FROM held)`,
    );
  }

  /** Stores those messages that are not stored yet. Must be called in a transaction. */
  keep(
    sessionId: string,
    messages: readonly unknown[],
    hashAt: (end: number) => string = hashPrefixes(messages),
  ): void {
    let end = messages.length;
    while (end > 0 && this.#has.get(sessionId, hashAt(end)) === undefined) end--;
    for (; end < messages.length; end++)
      this.#insert.run(sessionId, hashAt(end + 1), hashAt(end), storedWords(messages[end]));
  }

  /** Returns the messages with this hash. Returns fewer when rows were lost; their hash then differs. */
  read(sessionId: string, hash: string): unknown[] {
    return this.#read.all<{ message: string }>(sessionId, hash).map(({ message }) => parseStored(message));
  }

  /** Deletes the messages that no checkpoint of the session holds any more. */
  sweep(sessionId: string): void {
    this.#sweep.run(sessionId);
  }
}

function hashPrefixes(messages: readonly unknown[]): (end: number) => string {
  const hashes = [EMPTY_HASH];
  for (const message of messages) hashes.push(contentHash([message], hashes.at(-1)));
  return (end) => hashes[end]!;
}
