import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { CommitOutcome, EventRow } from "../ledger/store.ts";

/**
 * Returns the writer of commits that have only an event, which are most of them: prepared statements in one synchronous
 * transaction. Callers must ensure that no other transaction is open on the connection.
 */
export function eventCommitter(
  database: DatabaseSync,
  crashPoint: (name: string) => void,
): (event: EventRow) => CommitOutcome {
  let statements: Record<"begin" | "head" | "insert" | "commit", StatementSync> | undefined;
  return ({
    event_id,
    workflow_id,
    event_seq,
    event_type,
    payload,
    timestamp,
    schema_version,
    producer_version,
    checksum,
  }) => {
    statements ??= {
      begin: database.prepare("BEGIN IMMEDIATE"),
      head: database.prepare(
        "UPDATE workflows SET last_event_seq = ?, head_checksum = ? WHERE workflow_id = ? AND last_event_seq = ?",
      ),
      insert: database.prepare(
        "INSERT INTO events (event_id, workflow_id, event_seq, event_type, payload, timestamp, schema_version, producer_version, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ),
      commit: database.prepare("COMMIT"),
    };
    const values: SQLInputValue[] = [
      event_id,
      workflow_id,
      event_seq,
      event_type,
      payload,
      timestamp,
      schema_version,
      producer_version,
      checksum,
    ];
    statements.begin.run();
    let outcome: CommitOutcome = "stale";
    try {
      if (statements.head.run(event_seq, checksum, workflow_id, event_seq - 1).changes === 1) {
        statements.insert.run(...values);
        crashPoint("commit:event-written");
        crashPoint("commit:all-written");
        statements.commit.run();
        outcome = "committed";
      }
    } finally {
      // After a commit there is nothing to roll back.
      if (database.isTransaction) database.exec("ROLLBACK");
    }
    return outcome;
  };
}
