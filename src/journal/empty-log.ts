import type { Connection } from "./sqlite.ts";

/**
 * Empties the write-ahead log, which holds every version of a page until it is overwritten, deleted content included.
 * Does not wait: returns false when another connection is reading or writing. Throws a JournalError when the database
 * fails.
 */
export function emptyLog(connection: Connection): boolean {
  const { timeout = 0 } = connection.prepare("PRAGMA busy_timeout").get<{ timeout: number }>() ?? {};
  connection.exec("PRAGMA busy_timeout = 0");
  try {
    // Copies most of the log, including the wait for the disk, without blocking writers.
    connection.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
    return connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get<{ busy: number }>()?.busy === 0;
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
}
