import type { UnansweredMessageRow } from "./rows.ts";
import { type Connection, parseStored, type Statement } from "./sqlite.ts";
import { storedWords } from "./stored-words.ts";

/**
 * What a message that OpenClaw has accepted, and that waits for a run, has in place of its parent: no entry has this
 * id, so that the message belongs to no path yet.
 */
export const WAITING = "openclaw-integrity:waiting";

/** A user message that was sent to a model and has no stored answer yet, or that waits for a run ({@link WAITING}). */
export interface UnansweredMessage {
  sessionId: string;
  /** Id of its transcript entry; `parentId` is the id of the entry before it. */
  entryId: string;
  parentId: string | null;
  message: unknown;
  /** Time of the model call, or of the acceptance, in milliseconds since 1970. */
  at: number;
  /** The place of the message among all that were noted, whatever the clock was. */
  place: number;
}

/** A message that is to be noted. */
export type NewUnansweredMessage = Omit<UnansweredMessage, "at" | "place">;

/**
 * The user messages that OpenClaw may lose when it is killed. Every method throws a JournalError when the database
 * fails.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openJournal, type UnansweredMessages } from "openclaw-integrity/journal";
 *
 * const journal = openJournal(":memory:");
 * const unanswered: UnansweredMessages = journal.unanswered;
 * const message = { role: "user", content: "Hello" };
 * unanswered.note({ sessionId: "s1", entryId: "entry-1", parentId: null, message });
 * assert.deepEqual(unanswered.list("s1")[0]?.message, message);
 * unanswered.settled("s1", "entry-1");
 * assert.deepEqual(unanswered.list("s1"), []);
 * journal.close();
 * ```
 */
export class UnansweredMessages {
  readonly #now: () => number;
  readonly #insert: Statement;
  readonly #list: Statement;
  readonly #find: Statement;
  readonly #delete: Statement;
  readonly #clear: Statement;
  readonly #clearAsked: Statement;

  constructor(connection: Connection, now: () => number) {
    this.#now = now;
    this.#insert = connection.prepare(
      `INSERT OR REPLACE INTO unanswered_messages (session_id, entry_id, parent_id, message, at)
       VALUES (?, ?, ?, ?, ?)`,
    );
    this.#list = connection.prepare(
      "SELECT *, rowid AS place FROM unanswered_messages WHERE session_id IN (?, ?) ORDER BY rowid",
    );
    this.#find = connection.prepare("SELECT 1 FROM unanswered_messages WHERE entry_id = ? LIMIT 1");
    this.#delete = connection.prepare("DELETE FROM unanswered_messages WHERE session_id = ? AND entry_id = ?");
    this.#clear = connection.prepare("DELETE FROM unanswered_messages WHERE session_id = ?");
    this.#clearAsked = connection.prepare(
      `DELETE FROM unanswered_messages WHERE session_id = ? AND parent_id IS NOT '${WAITING}'`,
    );
  }

  /** Inserts a message, at most once per entry id; returns its place. */
  note({ sessionId, entryId, parentId, message }: NewUnansweredMessage): number {
    return this.#insert.run(sessionId, entryId, parentId, storedWords(message), this.#now()).id;
  }

  /** Whether a message is noted, of whatever session. */
  has(entryId: string): boolean {
    return this.#find.get(entryId) !== undefined;
  }

  /**
   * Returns the messages of a session, or of two, in the order in which they were noted, whatever the clock was.
   */
  list(sessionId: string, other: string = sessionId): UnansweredMessage[] {
    return this.#list.all<UnansweredMessageRow>(sessionId, other).map((row) => ({
      sessionId: row.session_id,
      entryId: row.entry_id,
      parentId: row.parent_id,
      message: parseStored(row.message),
      at: row.at,
      place: row.place,
    }));
  }

  /** Deletes a message that was answered or withdrawn. */
  settled(sessionId: string, entryId: string): void {
    this.#delete.run(sessionId, entryId);
  }

  /** Deletes the messages of a session that was rolled back to an earlier entry. */
  clear(sessionId: string): void {
    this.#clear.run(sessionId);
  }

  /** Deletes those that a model was asked with, in a session that was moved; what waits is answered behind the move. */
  clearAsked(sessionId: string): void {
    this.#clearAsked.run(sessionId);
  }
}
