import type { DatabaseSync, StatementSync } from "node:sqlite";
import { rollBack } from "../../base/sqlite/node-sqlite.ts";
import type { CommitOutcome } from "../ledger/store.ts";
import { type Statement, formatStatement } from "./rows/commit-rows.ts";

/**
 * Returns a function that writes a commit by prepared statements in one synchronous transaction. When it is called, no
 * transaction may be open on the connection. `crashPoint` lets tests end the process there.
 */
export function sqliteWriter(
  database: DatabaseSync,
  crashPoint: (name: string) => void,
): (statements: readonly Statement[]) => CommitOutcome {
  const prepared = new Map<string, StatementSync>();
  const run = (text: string, values: Statement["values"] = []): boolean => {
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, statement);
    return Number(statement.run(...values).changes) > 0;
  };
  return (statements) => {
    run("BEGIN IMMEDIATE");
    let isCommitted = false;
    try {
      // `otherwise`: what the commit comes to where this statement changes no row; all of it is undone then.
      for (const statement of statements) {
        if (!run(formatStatement(statement), statement.values) && statement.otherwise) return statement.otherwise;
        if (statement.name === "event") crashPoint("commit:event-written");
      }
      crashPoint("commit:all-written");
      run("COMMIT");
      isCommitted = true;
      return "committed";
    } finally {
      // What was given up, or a statement that failed, leaves the transaction open.
      if (!isCommitted) rollBack(database);
    }
  };
}
