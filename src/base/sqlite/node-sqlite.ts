import type { DatabaseSync } from "node:sqlite";

/** The module `node:sqlite`. */
export type Sqlite = typeof import("node:sqlite");

/** Loads `node:sqlite`; undefined before Node 22.13, which has none. */
export function nodeSqlite(): Sqlite | undefined {
  const load = (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule;
  const { emitWarning } = process;
  try {
    // Node 22 warns on stderr that the module is experimental, which every command of OpenClaw would show.
    process.emitWarning = (() => {}) as typeof process.emitWarning;
    return load?.("node:sqlite") as Sqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Undoes the open transaction, if there is one. An error such as a full disk ends a transaction by itself, and SQLite
 * then refuses the ROLLBACK: that refusal would hide the error. Before Node 22.16, which has no `isTransaction`, only
 * the refusal tells.
 */
export function rollBack(database: DatabaseSync): void {
  const { isTransaction } = database as { isTransaction?: boolean };
  if (isTransaction === false) return;
  try {
    database.exec("ROLLBACK");
  } catch (error) {
    if (!/no transaction is active/.test(String(error))) throw error;
  }
}

/** The `user_version` of a database, which is opened for reading; undefined where it cannot be read. */
export function readUserVersion(file: string): number | undefined {
  try {
    const database = new (nodeSqlite()!.DatabaseSync)(file, { readOnly: true });
    try {
      return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    } finally {
      database.close();
    }
  } catch {
    // Damaged, not a database, or a Node without SQLite.
    return undefined;
  }
}
