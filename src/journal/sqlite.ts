import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { nodeSqlite, type Sqlite } from "../base/node-sqlite.ts";
import { asJournalError, journalError } from "./errors.ts";

/** Node's own SQLite. Throws a JournalError `no-sqlite` where this Node has none (before 22.13). */
export function loadSqlite(): Sqlite {
  const sqlite = nodeSqlite();
  if (sqlite) return sqlite;
  throw journalError("no-sqlite", {
    expected: "a Node with node:sqlite (22.13 or later)",
    found: `Node ${process.version}`,
    todo: "Run it with a newer Node.",
  });
}

/**
 * The open database of a journal, or of another file of this project. What SQLite refuses is thrown as a JournalError
 * that names the file.
 */
export class Connection {
  readonly file: string;
  readonly #expected: string;
  readonly #database: DatabaseSync;
  // DatabaseSync tells both itself, but not before Node 22.16.
  #isOpen = true;
  #isTransaction = false;
  #begin: Statement | undefined;
  #end: Statement | undefined;

  /** `expected` is said in messages. */
  constructor(database: DatabaseSync, file: string, expected: string) {
    this.#database = database;
    this.file = file;
    this.#expected = expected;
  }

  prepare(sql: string): Statement {
    return new Statement(
      this.#attempt(() => this.#database.prepare(sql)),
      (error) => asJournalError(error, this.file, this.#expected),
    );
  }

  exec(sql: string): void {
    this.#attempt(() => this.#database.exec(sql));
  }

  get isTransaction(): boolean {
    return this.#isTransaction;
  }

  /**
   * Runs `work` in one transaction that takes the write lock at once; all of it is written or nothing. Inside another
   * one it joins that.
   */
  transaction<T>(work: () => T): T {
    if (this.#isTransaction) return work();
    this.#begin ??= this.prepare("BEGIN IMMEDIATE");
    this.#end ??= this.prepare("COMMIT");
    this.#begin.run();
    this.#isTransaction = true;
    try {
      const result = work();
      this.#end.run();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#isTransaction = false;
    }
  }

  close(): void {
    if (this.#isOpen) this.#database.close();
    this.#isOpen = false;
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asJournalError(error, this.file, this.#expected);
    }
  }

  /** A full disk rolls back by itself; then there is nothing to roll back, and SQLite says so. */
  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // The error that led here is the one to be told.
    }
  }
}

/** A prepared statement of a {@link Connection}; its rows are of the type that its SQL says. */
export class Statement {
  readonly #statement: StatementSync;
  readonly #asError: (error: unknown) => Error;

  constructor(statement: StatementSync, asError: (error: unknown) => Error) {
    this.#statement = statement;
    this.#asError = asError;
  }

  /** How many rows were changed, and the id of the last one that was put in. */
  run(...values: SQLInputValue[]): { changes: number; id: number } {
    try {
      const { changes, lastInsertRowid } = this.#statement.run(...values);
      return { changes: Number(changes), id: Number(lastInsertRowid) };
    } catch (error) {
      throw this.#asError(error);
    }
  }

  get<Row>(...values: SQLInputValue[]): Row | undefined {
    return this.#attempt(() => this.#statement.get(...values)) as Row | undefined;
  }

  all<Row>(...values: SQLInputValue[]): Row[] {
    return this.#attempt(() => this.#statement.all(...values)) as Row[];
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#asError(error);
    }
  }
}

/** The value of JSON that this journal has written. Throws a JournalError `damaged` when it is none any more. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw journalError("damaged", {
      expected: "JSON as the journal wrote it",
      found: `${text.length} characters that are none`,
      todo: "Set the file aside; a new one is begun.",
      cause: error,
    });
  }
}
