import type { DatabaseSync, StatementSync } from "node:sqlite";
import { rollBack } from "../../base/sqlite/node-sqlite.ts";
import type { CommitOutcome, EventRow } from "../ledger/store.ts";
import { EVENT_COLUMNS, valuesOf } from "./rows/columns.ts";

/**
 * Returns a function that commits one event, without a snapshot or a result, as most commits are: prepared statements
 * in one synchronous transaction. When the function is called, no transaction may be open on the connection.
 * `crashPoint` lets tests end the process there.
 */
export function eventCommitter(
  database: DatabaseSync,
  crashPoint: (name: string) => void,
): (event: EventRow) => CommitOutcome {
  let statements: Record<"begin" | "head" | "insert" | "commit", StatementSync> | undefined;
  return (event) => {
    const { workflow_id, event_seq, checksum } = event;
    const { values, previous } = valuesOf(event);
    statements ??= {
      begin: database.prepare("BEGIN IMMEDIATE"),
      head: database.prepare(
        `UPDATE workflows SET last_event_seq = ?, head_checksum = ? WHERE workflow_id = ? AND last_event_seq = ?
           AND head_checksum IS ? AND NOT EXISTS (SELECT 1 FROM events WHERE event_id = ?)`,
      ),
      insert: database.prepare(`INSERT INTO events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
      commit: database.prepare("COMMIT"),
    };
    statements.begin.run();
    let outcome: CommitOutcome = "stale";
    try {
      const { changes } = statements.head.run(
        event_seq,
        checksum,
        workflow_id,
        event_seq - 1,
        previous,
        event.event_id,
      );
      if (changes === 1) {
        statements.insert.run(...values);
        crashPoint("commit:event-written");
        crashPoint("commit:all-written");
        statements.commit.run();
        outcome = "committed";
      }
    } finally {
      // A stale event, or a statement that failed, leaves the transaction open.
      if (outcome !== "committed") rollBack(database);
    }
    return outcome;
  };
}
