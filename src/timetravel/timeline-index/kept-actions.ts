import { isDeepStrictEqual } from "node:util";
import type { Connection, Statement } from "../../journal/sqlite.ts";
import type { Action } from "../action-log.ts";
import type { ActionRow } from "./schema.ts";

/**
 * Stores the action log of each session as it was last built from the rows, which are authoritative. Notes and hashes
 * are not stored: the rows have the notes, and {@link KeptHashes} the hashes.
 */
export class KeptActions {
  readonly #connection: Connection;
  readonly #list: Statement;
  readonly #remove: Statement;
  readonly #insert: Statement;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#list = connection.prepare("SELECT * FROM actions WHERE session_id = ? ORDER BY sequence");
    this.#remove = connection.prepare("DELETE FROM actions WHERE session_id = ?");
    this.#insert = connection.prepare(
      "INSERT INTO actions (session_id, sequence, kind, intent_id, from_id, to_id, carryover_id, moved_by, " +
        "time, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
  }

  list(sessionId: string): Action[] {
    return this.#list
      .all<ActionRow>(sessionId)
      .map(({ kind, intent_id, from_id, to_id, carryover_id, moved_by, time, reason }) => ({
        kind,
        intentId: intent_id,
        from: from_id,
        to: to_id,
        carryoverId: carryover_id,
        by: moved_by,
        time,
        ...(reason !== null && { reason }),
      }));
  }

  /** Replaces the stored log of a session in one transaction; nothing is written when it is equal. */
  keep(sessionId: string, actions: readonly Action[]): void {
    if (isDeepStrictEqual(this.list(sessionId), actions.map(toStored))) return;
    this.#connection.transaction(() => {
      this.#remove.run(sessionId);
      for (const [sequence, { kind, intentId, from, to, carryoverId, by, time, reason = null }] of actions.entries()) {
        this.#insert.run(sessionId, sequence, kind, intentId, from, to, carryoverId, by, time, reason);
      }
    });
  }
}

function toStored({ kind, intentId, from, to, carryoverId, by, time, reason }: Action): Action {
  return { kind, intentId, from, to, carryoverId, by, time, ...(reason !== undefined && { reason }) };
}
