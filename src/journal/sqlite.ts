import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { nodeSqlite, rollBack, type Sqlite } from "../base/sqlite/node-sqlite.ts";
import { asJournalError, type JournalError, journalError } from "./errors.ts";

/** Returns `node:sqlite`. Throws a JournalError `no-sqlite` on a Node without it (before 22.13). */
export function loadSqlite(): Sqlite {
  const sqlite = nodeSqlite();
  if (sqlite) return sqlite;
  throw journalError("no-sqlite", {
    expected: "a Node with node:sqlite (22.13 or later)",
    found: `Node ${process.version}`,
    todo: "Use a newer Node.",
  });
}

/**
 * The open database of a journal, or of another file of this project. Errors of SQLite are thrown as JournalErrors that
 * name the file. `openFile` makes it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openFile, type Connection } from "openclaw-integrity/journal";
 *
 * const tables = "CREATE TABLE notes (text TEXT NOT NULL)";
 * const schema = { name: "file of notes", applicationId: 0x6e6f7465, tables };
 * const notes = openFile(":memory:", schema, {}, (connection: Connection) => connection);
 * const insert = notes.prepare("INSERT INTO notes VALUES (?)");
 * notes.transaction(() => ["one", "two"].map((text) => insert.run(text)));
 * assert.equal(notes.prepare("SELECT count(*) AS many FROM notes").get<{ many: number }>()?.many, 2);
 * notes.close();
 * ```
 */
export class Connection {
  readonly file: string;
  readonly #expected: string;
  readonly #database: DatabaseSync;
  // DatabaseSync reports both itself, but only from Node 22.16 on.
  #isOpen = true;
  #isTransaction = false;
  #begin: Statement | undefined;
  #end: Statement | undefined;

  /** `expected` is the first part of error messages. */
  constructor(database: DatabaseSync, file: string, expected: string) {
    this.#database = database;
    this.file = file;
    this.#expected = expected;
  }

  prepare(sql: string): Statement {
    return new Statement(
      this.#attempt(() => this.#database.prepare(sql)),
      (error) => this.#asError(error),
    );
  }

  exec(sql: string): void {
    this.#attempt(() => this.#database.exec(sql));
  }

  get isTransaction(): boolean {
    return this.#isTransaction;
  }

  /**
   * Runs `work` in one transaction that takes the write lock at once: all of it is written, or nothing. Inside another
   * transaction it joins that one. Throws `bad-input`, with nothing written, when `work` returns a promise: what it
   * would write later would be outside of the transaction.
   */
  transaction<T>(work: () => NoPromise<T>): NoPromise<T> {
    if (this.#isTransaction) return settled(work());
    this.#begin ??= this.prepare("BEGIN IMMEDIATE");
    this.#end ??= this.prepare("COMMIT");
    this.#begin.run();
    this.#isTransaction = true;
    try {
      const result = settled(work());
      this.#end.run();
      return result;
    } catch (error) {
      rollBack(this.#database);
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
      throw this.#asError(error);
    }
  }

  #asError(error: unknown): JournalError {
    if (this.#isOpen) return asJournalError(error, this.file, this.#expected);
    return journalError("closed", {
      expected: this.#expected,
      found: `${this.file}, which this program has closed`,
      todo: "Close it only when nothing uses it any more, or open it again. Nothing was written.",
      cause: error,
    });
  }
}

/** The type of a value that is no promise. */
export type NoPromise<T> = T extends PromiseLike<unknown> ? never : T;

/** Returns the value; throws for a promise, whose rejection is ignored then. */
function settled<T>(value: T): T {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== "function") return value;
  void Promise.resolve(value).catch(() => undefined);
  throw journalError("bad-input", {
    expected: "a function that is done when it returns",
    found: "one that returns a promise",
    todo: "Await before the transaction, and write in it without await. Nothing was written.",
  });
}

/**
 * A prepared statement of a {@link Connection}. Callers state the type of its rows, which follows from the SQL.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openFile, type Statement } from "openclaw-integrity/journal";
 *
 * const tables = "CREATE TABLE notes (text TEXT NOT NULL)";
 * const schema = { name: "file of notes", applicationId: 0x6e6f7465, tables };
 * const notes = openFile(":memory:", schema, {}, (connection) => connection);
 * const insert: Statement = notes.prepare("INSERT INTO notes VALUES (?)");
 * assert.deepEqual(insert.run("one"), { changes: 1, id: 1 });
 * notes.close();
 * ```
 */
export class Statement {
  readonly #statement: StatementSync;
  readonly #asError: (error: unknown) => Error;

  constructor(statement: StatementSync, asError: (error: unknown) => Error) {
    this.#statement = statement;
    this.#asError = asError;
  }

  /** Runs the statement; returns the number of changed rows, and the id of the last inserted one. */
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

/** Parses JSON that the journal has written. Throws a JournalError `damaged` when the text is not JSON any more. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw journalError("damaged", {
      expected: "JSON as the journal wrote it",
      found: `${text.length} characters that are not JSON`,
      todo: "Set the file aside; a new one is created.",
      cause: error,
    });
  }
}
