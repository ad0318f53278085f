import { type SqliteDatabase, SqliteDialect } from "kysely";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** kysely's own SQLite dialect over Node's own SQLite. Ending kysely closes the database. */
export function nodeSqliteDialect(database: DatabaseSync): SqliteDialect {
  return new SqliteDialect({ database: asKyselyDatabase(database) });
}

function asKyselyDatabase(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        reader: givesRows(statement, sql),
        all: (values) => statement.all(...(values as SQLInputValue[])),
        run: (values) => statement.run(...(values as SQLInputValue[])),
        iterate: (values) => statement.iterate(...(values as SQLInputValue[])) as IterableIterator<unknown>,
      };
    },
  };
}

/** Whether a statement gives rows; Node tells its columns since 22.16. */
function givesRows(statement: StatementSync, sql: string): boolean {
  const { columns } = statement as { columns?: () => unknown[] };
  return columns
    ? columns.call(statement).length > 0
    : /^\s*(?:select|with|values|pragma|explain)\b|\breturning\b/i.test(sql);
}
