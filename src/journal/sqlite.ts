import type { DatabaseSync } from "node:sqlite";
import { journalError } from "./errors.ts";

type Sqlite = typeof import("node:sqlite");

/** Node's own SQLite. Throws a JournalError `no-sqlite` where this Node has none (before 22.13). */
export function loadSqlite(): Sqlite {
  const load = (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule;
  const { emitWarning } = process;
  try {
    // Node 22 warns that the module is experimental, on the stderr of every command of OpenClaw's.
    process.emitWarning = (() => {}) as typeof process.emitWarning;
    const sqlite = load?.("node:sqlite") as Sqlite | undefined;
    if (sqlite) return sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
  throw journalError("no-sqlite", { expected: "a Node with node:sqlite (22.13 or later)", found: `Node ${process.version}`, todo: "Run it with a newer Node." });
}

/** Runs `work` in one transaction that takes the write lock at once; all of it is written or nothing. Inside another one it joins that. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // A full disk rolls back by itself, and then there is nothing to roll back.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
