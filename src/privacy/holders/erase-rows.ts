import { existsSync, statSync } from "node:fs";
import { emptyLog } from "../../journal/empty-log.ts";
import { JournalError, openFile, type Schema } from "../../journal/index.ts";
import type { Connection } from "../../journal/sqlite.ts";

/** A gateway's own writes take milliseconds. */
const TIMEOUT_MS = 5000;
const PAUSE_MS = 50;
/** A file up to this size is rewritten in less time than a running guard waits for its journal. */
const MAX_QUICK_REWRITE = 8 * 1024 * 1024;

/** Options of an erasure. */
export interface ErasingOptions {
  /**
   * Rewrites the file (VACUUM): SQLite copies rows between pages as a table grows, and a deletion zeroes only the last
   * copy. Not needed for content that the journal stores in tables of its own.
   */
  readonly rewrite: boolean;
}

/**
 * Calls `read` with a read-only connection to a database of this project; undefined when the file is missing or empty.
 * Throws a JournalError.
 */
export function readRows<Value>(
  file: string,
  schema: Schema,
  read: (connection: Connection) => Value,
): Value | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return openFile(file, schema, { readOnly: true, busyTimeoutMs: TIMEOUT_MS }, (connection) => {
      try {
        return read(connection);
      } finally {
        connection.close();
      }
    });
  } catch (error) {
    if (error instanceof JournalError && error.code === "missing") return undefined;
    throw error;
  }
}

/**
 * Deletes rows of a database of this project in one transaction and removes their bytes from the file. Returns why
 * bytes may be left, in sentences. Throws a JournalError, and then nothing was deleted.
 */
export function eraseRows(
  file: string,
  schema: Schema,
  work: (connection: Connection) => void,
  { rewrite }: ErasingOptions,
): string[] {
  if (!existsSync(file) || statSync(file).size === 0) return [];
  return openFile(file, schema, { busyTimeoutMs: TIMEOUT_MS }, (connection) => {
    try {
      connection.transaction(() => work(connection));
      return [...(rewrite ? rewritten(connection) : []), ...emptied(connection)];
    } finally {
      connection.close();
    }
  });
}

/** Rewrites the file unless that would make a running guard wait too long. */
function rewritten(connection: Connection): string[] {
  const { file } = connection;
  try {
    if (statSync(file).size > MAX_QUICK_REWRITE && !isAlone(connection)) {
      return [
        `${file} is large and in use; deleted rows may have left traces in it: ` +
          "stop OpenClaw's gateway and run it again",
      ];
    }
    // Otherwise VACUUM would write the content to a file in the folder for temporary files.
    connection.exec("PRAGMA temp_store = MEMORY; VACUUM");
    return [];
  } catch (error) {
    if (error instanceof JournalError && error.code === "locked")
      return [`${file} is in use and could not be rewritten: run it again`];
    if (error instanceof JournalError && error.code === "full")
      return [`there is not enough disk space to rewrite ${file}: free some space and run it again`];
    throw error;
  }
}

/** Whether no other process has the database open: only then SQLite can leave WAL mode. */
function isAlone(connection: Connection): boolean {
  try {
    const isLeft =
      connection.prepare("PRAGMA journal_mode = DELETE").get<{ journal_mode: string }>()?.journal_mode === "delete";
    if (isLeft) connection.exec("PRAGMA journal_mode = WAL");
    return isLeft;
  } catch {
    return false;
  }
}

function emptied(connection: Connection): string[] {
  for (
    const end = performance.now() + TIMEOUT_MS;
    ;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  ) {
    if (emptyLog(connection)) return [];
    if (performance.now() >= end)
      return [
        `another process reads ${connection.file}, so that its write-ahead log still holds what was deleted: ` +
          "run it again",
      ];
  }
}
