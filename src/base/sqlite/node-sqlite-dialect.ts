import { type SqliteDatabase, SqliteDialect } from "kysely";
import { rollBack } from "./node-sqlite.ts";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** kysely's SQLite dialect on `node:sqlite`. Destroying the Kysely instance closes the database. */
export function nodeSqliteDialect(database: DatabaseSync): SqliteDialect {
  return new SqliteDialect({ database: asKyselyDatabase(database) });
}

function asKyselyDatabase(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql) {
      if (sql === "rollback") return rollBackStatement(database);
      const statement = database.prepare(sql);
      return {
        reader: returnsRows(statement, sql),
        all: (values) => statement.all(...(values as SQLInputValue[])),
        run: (values) => statement.run(...(values as SQLInputValue[])),
        iterate: (values) => statement.iterate(...(values as SQLInputValue[])) as IterableIterator<unknown>,
      };
    },
  };
}

/** What kysely runs when the work of a transaction has failed. SQLite may have ended it: see {@link rollBack}. */
function rollBackStatement(database: DatabaseSync): ReturnType<SqliteDatabase["prepare"]> {
  const run = (): { changes: number; lastInsertRowid: number } => {
    rollBack(database);
    return { changes: 0, lastInsertRowid: 0 };
  };
  return { reader: false, run, all: () => [], iterate: () => [][Symbol.iterator]() };
}

/** Whether a statement returns rows. In Node before 22.16, where it has no `columns()`, its SQL decides. */
function returnsRows(statement: StatementSync, sql: string): boolean {
  const { columns } = statement as { columns?: () => unknown[] };
  return columns
    ? columns.call(statement).length > 0
    : /^\s*(?:select|with|values|pragma|explain)\b|\breturning\b/i.test(sql);
}
