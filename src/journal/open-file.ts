import { existsSync, statSync } from "node:fs";
import { whyNoPath } from "../base/coded-error.ts";
import { UnsafePathError } from "../base/files/index.ts";
import { makeDatabaseFile, makePrivate } from "../base/sqlite/database-file.ts";
import { asJournalError, JournalError, journalError } from "./errors.ts";
import { createTables, hasTables, type Schema } from "./schema.ts";
import { Connection, loadSqlite } from "./sqlite.ts";

/** SQLite's general refusal of a statement: no such table, no such column, table exists already. */
const SQLITE_ERROR = 1;

/** How long opening waits as a whole for others that create the file; afterwards it is there. */
const CREATING_MS = 5000;
const CREATING_PAUSE_MS = 10;

/** How a file is opened. */
export interface FileOptions {
  /** Opens the file for reading only: nothing is created or changed. */
  readOnly?: boolean;
  /**
   * How long a call waits for another process that writes; 250 ms by default, because OpenClaw waits meanwhile. Opening
   * a file that others create at the same moment waits up to 5 s.
   */
  busyTimeoutMs?: number;
}

/**
 * Opens a SQLite file (WAL) of this project, or `:memory:`, and creates it where needed. The file is
 * readable by its owner only; wider permissions of an existing file are narrowed. `use` receives the connection and
 * builds the value that is returned; when `use` throws, the file is closed. Throws a JournalError: `no-sqlite`,
 * `missing` (with `readOnly`: no file, or an empty database whose first process was killed), `newer`, `foreign`,
 * `locked`, `damaged`, `not-writable`, `full`, and `bad-input` for an empty path. A file that is refused is not
 * changed.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openFile, type Schema } from "openclaw-integrity/journal";
 *
 * const NOTES: Schema = {
 *   name: "file of notes",
 *   applicationId: 0x6e6f7465,
 *   tables: "CREATE TABLE notes (text TEXT NOT NULL) STRICT",
 * };
 * const notes = openFile(":memory:", NOTES, {}, (connection) => ({
 *   insert: connection.prepare("INSERT INTO notes VALUES (?)"),
 *   all: connection.prepare("SELECT text FROM notes"),
 *   close: () => connection.close(),
 * }));
 * notes.insert.run("Hello");
 * assert.equal(notes.all.get<{ text: string }>()?.text, "Hello");
 * notes.close();
 * ```
 */
export function openFile<Value>(
  file: string,
  schema: Schema,
  { readOnly = false, busyTimeoutMs = 250 }: FileOptions,
  use: (connection: Connection) => Value,
): Value {
  assertPath(file, schema);
  const { DatabaseSync } = loadSqlite();
  const expected = `a ${schema.name} that can be read and written`;
  const begin = performance.now();
  let connection: Connection | undefined;
  let isNew = false;
  const connect = (): Connection => {
    prepareFile(file, readOnly, schema);
    isNew ||= !readOnly && file !== ":memory:" && statSync(file).size === 0;
    if (readOnly) endKilledWrite(file);
    connection = new Connection(new DatabaseSync(file, { readOnly }), file, expected);
    connection.exec(`PRAGMA busy_timeout = ${Math.floor(busyTimeoutMs)}`);
    // Checked before the first write: the file may be another program's.
    const isMade = hasTables(connection, schema);
    isNew ||= !readOnly && !isMade;
    if (readOnly && !isMade) throw missing(file, schema, "an empty database");
    const refusal = readOnly || file === ":memory:" ? undefined : makePrivate(file, schema.name);
    if (refusal) throw journalError("not-writable", refusal);
    if (!readOnly) connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
    if (!isMade) createTables(connection, schema);
    return connection;
  };
  for (;;) {
    let opened: Connection | undefined;
    try {
      opened = connect();
      return use(opened);
    } catch (error) {
      connection?.close();
      connection = undefined;
      const refusal = asDamage(asJournalError(error, file, expected));
      // Others create the file: they take as long as their disk does.
      const isBeingMade = !opened && isNew && refusal.code === "locked" && performance.now() < begin + CREATING_MS;
      if (!isBeingMade) throw refusal;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CREATING_PAUSE_MS);
    }
  }
}

/** An empty path would open a database that is deleted when it is closed. */
function assertPath(file: unknown, { name }: Schema): void {
  const found = whyNoPath(file);
  if (found === undefined) return;
  throw journalError("bad-input", {
    expected: `the path of a ${name}, or ":memory:" for one that ends with the process`,
    found,
    todo: "Pass a path. Nothing was opened.",
  });
}

function assertNoDirectory(file: string, { name }: Schema): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw journalError("not-writable", {
    expected: `a ${name} at ${file}`,
    found: "a directory",
    todo: "Move the directory away, or pass the path of a file in it. Nothing was written.",
  });
}

function prepareFile(file: string, readOnly: boolean, schema: Schema): void {
  if (file === ":memory:") return;
  assertNoDirectory(file, schema);
  if (readOnly) {
    if (existsSync(file)) return;
    throw missing(file, schema, "no file");
  }
  try {
    makeDatabaseFile(file);
  } catch (error) {
    if (error instanceof UnsafePathError) throw new JournalError("not-writable", error.message, { cause: error });
    throw error;
  }
}

function missing(file: string, { name }: Schema, found: string): JournalError {
  return journalError("missing", {
    expected: `a ${name} at ${file}`,
    found,
    todo: "Correct the path, or run a patched OpenClaw: it creates the file with the first tool call.",
  });
}

/**
 * Rolls back what a process left half written when it was killed while creating the file. SQLite does this when the
 * file is next opened for writing, but not for a reader. When the rollback fails, the reader is refused afterwards.
 */
function endKilledWrite(file: string): void {
  if (!existsSync(`${file}-journal`)) return;
  const { DatabaseSync } = loadSqlite();
  try {
    const database = new DatabaseSync(file, { timeout: 1000 });
    try {
      database.prepare("SELECT count(*) FROM sqlite_schema").get();
    } finally {
      database.close();
    }
  } catch {
    // Opening the file for reading reports the reason.
  }
}

/**
 * Turns `failed` into `damaged` for SQLite's general refusal of a statement: the file is a file of this kind, so
 * tables that do not fit it were changed by something else.
 */
function asDamage(error: JournalError): JournalError {
  const { cause } = error;
  if (error.code !== "failed" || (cause as { errcode?: unknown } | undefined)?.errcode !== SQLITE_ERROR) return error;
  const withoutAdvice = error.message
    .split(/(?<=\.)/)
    .slice(0, -1)
    .join("");
  return new JournalError("damaged", `${withoutAdvice} Set the file aside; a new one is created.`, { cause });
}
