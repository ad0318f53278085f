import type { Connection } from "./sqlite.ts";

/**
 * Empties the write-ahead log, which holds every version of a page until it is written over: what was deleted too.
 * Waits for nobody; false when another connection reads or writes just now. Throws a JournalError when the database
 * fails.
 */
export function emptyLog(connection: Connection): boolean {
  const { timeout = 0 } = connection.prepare("PRAGMA busy_timeout").get<{ timeout: number }>() ?? {};
  connection.exec("PRAGMA busy_timeout = 0");
  try {
    // Most of it, with the wait for the disk, without keeping others from writing.
    connection.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
    return connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get<{ busy: number }>()?.busy === 0;
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
}
