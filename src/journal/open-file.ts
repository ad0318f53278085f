import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { createFile, keepPrivate, makeFolder, placeOf, UnsafePathError } from "../base/files/index.ts";
import { asJournalError, JournalError, journalError } from "./errors.ts";
import { hasCurrentSchema, isEmpty, migrate, notCurrent, type Schema } from "./schema.ts";
import { Connection, loadSqlite } from "./sqlite.ts";

/** SQLite's general refusal of a statement: no such table, no such column, table exists already. */
const SQLITE_ERROR = 1;

/** How a file is opened. */
export interface FileOptions {
  /** Only look: nothing is created or changed, an older version is refused. */
  readOnly?: boolean;
  /** How long a call waits for another process that writes; 250 by default, since the caller waits too. */
  busyTimeoutMs?: number;
}

/**
 * Opens a SQLite file (WAL) of this project, or `:memory:`, creates and migrates it where needed; it is readable by its
 * owner only, also one that was not. `use` prepares what it is used by: what is thrown there closes the file too.
 * Throws a JournalError: `no-sqlite`, `missing` (to be read only, and not there or empty: its first process was
 * killed), `newer`, `foreign`, `locked`, `damaged`, `not-writable`, `full`. Such a file is not changed.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openFile, type Schema } from "openclaw-integrity/journal";
 *
 * const NOTES: Schema = {
 *   name: "file of notes",
 *   applicationId: 0x6e6f7465,
 *   steps: ["CREATE TABLE notes (text TEXT NOT NULL) STRICT"], // a later version adds its changes behind it
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
  const { DatabaseSync } = loadSqlite();
  const expected = `a ${schema.name} that can be read and written`;
  let connection: Connection | undefined;
  try {
    prepareFile(file, readOnly, schema);
    if (readOnly) endKilledWrite(file);
    connection = new Connection(new DatabaseSync(file, { readOnly }), file, expected);
    connection.exec(`PRAGMA busy_timeout = ${Math.floor(busyTimeoutMs)}`);
    // Before anything is written: the file may be another program's.
    const isCurrent = hasCurrentSchema(connection, schema);
    if (readOnly && !isCurrent)
      throw isEmpty(connection) ? missing(file, schema, "an empty database") : notCurrent(file, schema);
    if (!readOnly) connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
    if (!isCurrent) migrate(connection, schema);
    return use(connection);
  } catch (error) {
    connection?.close();
    throw asDamage(asJournalError(error, file, expected));
  }
}

function prepareFile(file: string, readOnly: boolean, schema: Schema): void {
  const { name } = schema;
  if (file === ":memory:") return;
  if (readOnly) {
    if (existsSync(file)) return;
    throw missing(file, schema, "no file");
  }
  try {
    makeFolder(dirname(file));
    // SQLite would let everybody read it; its -wal and -shm get the mode of the file.
    const { path } = placeOf(file, { shared: "allow" });
    if (!existsSync(path)) createEmpty(path);
    for (const end of ["", "-wal", "-shm"]) assertPrivate(file + end, name);
  } catch (error) {
    if (error instanceof UnsafePathError) throw new JournalError("not-writable", error.message, { cause: error });
    throw error;
  }
}

function missing(file: string, { name }: Schema, found: string): JournalError {
  return journalError("missing", {
    expected: `a ${name} at ${file}`,
    found,
    todo: "Correct the path, or let a patched OpenClaw run: it begins one with the first tool call.",
  });
}

/**
 * A process that is killed while it begins a file leaves a change half made, which SQLite takes back at the next
 * opening, but not for a reader. Where that cannot be written, the reader is refused.
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
    // The reader says why.
  }
}

function createEmpty(file: string): void {
  try {
    createFile(file, "");
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** What others can read must not be written to; what is another user's cannot be kept from them. */
function assertPrivate(file: string, name: string): void {
  const foreign = keepPrivate(file);
  if (foreign === undefined) return;
  const { uid, mode } = foreign;
  throw journalError("not-writable", {
    expected: `the ${name} ${file} to belong to user ${process.geteuid?.()}, who runs this, and to be readable by no other`,
    found: `one of user ${uid} with mode ${mode.toString(8).padStart(4, "0")}`,
    todo: "Run it as that user, who alone can make it private (chmod 600), or move the file away: a new one is begun. It was not changed.",
  });
}

/** A file says which version it is; when its tables are others than that version's, something else has been at it. */
function asDamage(error: JournalError): JournalError {
  const { cause } = error;
  if (error.code !== "failed" || (cause as { errcode?: unknown } | undefined)?.errcode !== SQLITE_ERROR) return error;
  const withoutAdvice = error.message
    .split(/(?<=\.)/)
    .slice(0, -1)
    .join("");
  return new JournalError("damaged", `${withoutAdvice} Set the file aside; a new one is begun.`, { cause });
}
