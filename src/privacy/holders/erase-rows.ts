import { existsSync, statSync } from "node:fs";
import { emptyLog } from "../../journal/empty-log.ts";
import { JournalError, openFile, type Schema } from "../../journal/index.ts";
import type { Connection } from "../../journal/sqlite.ts";

/** A gateway writes for milliseconds. */
const PATIENCE_MS = 5000;
const PAUSE_MS = 50;
/** A file up to this size is written anew in less time than a running guard waits for its journal. */
const QUICKLY_REWRITTEN = 8 * 1024 * 1024;

/** How rows are erased. */
export interface ErasingOptions {
  /**
   * Writes the file anew: SQLite copies rows from page to page as a table grows, and zeroes only the last copy when one
   * is deleted. Not needed for words that the journal has stored apart.
   */
  readonly rewrite: boolean;
}

/**
 * The value of `read` on one of this project's files, opened for reading only; undefined where there is no file, or an
 * empty one. Throws a JournalError.
 */
export function readRows<Value>(
  file: string,
  schema: Schema,
  read: (connection: Connection) => Value,
): Value | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return openFile(file, schema, { readOnly: true, busyTimeoutMs: PATIENCE_MS }, (connection) => {
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
 * Deletes rows of one of this project's files in one transaction and leaves nothing of them in its bytes; why something
 * may be left, in sentences. Throws a JournalError, and then nothing was deleted.
 */
export function eraseRows(
  file: string,
  schema: Schema,
  work: (connection: Connection) => void,
  { rewrite }: ErasingOptions,
): string[] {
  if (!existsSync(file) || statSync(file).size === 0) return [];
  return openFile(file, schema, { busyTimeoutMs: PATIENCE_MS }, (connection) => {
    try {
      connection.transaction(() => work(connection));
      return [...(rewrite ? rewritten(connection) : []), ...emptied(connection)];
    } finally {
      connection.close();
    }
  });
}

/** Writes the file anew unless a running guard would have to wait too long for it. */
function rewritten(connection: Connection): string[] {
  const { file } = connection;
  try {
    if (statSync(file).size > QUICKLY_REWRITTEN && !isAlone(connection)) {
      return [
        `${file} is large and in use; rows of an earlier openclaw-integrity may have left traces in it: ` +
          "stop OpenClaw's gateway and run it again",
      ];
    }
    // Else what is in it would pass through a file in the folder for temporary files.
    connection.exec("PRAGMA temp_store = MEMORY; VACUUM");
    return [];
  } catch (error) {
    if (error instanceof JournalError && error.code === "locked")
      return [`${file} is in use, and was not written anew: run it again`];
    if (error instanceof JournalError && error.code === "full")
      return [`there is no room to write ${file} anew: make room on the disk, and run it again`];
    throw error;
  }
}

/** SQLite lets only who is alone leave the write-ahead log. */
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
    const end = performance.now() + PATIENCE_MS;
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
