import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Checkpoints } from "./checkpoints.ts";
import { asJournalError } from "./errors.ts";
import { Incidents } from "./incidents.ts";
import { migrate } from "./schema.ts";
import { inTransaction, loadSqlite } from "./sqlite.ts";
import { ToolCycles } from "./tool-cycles.ts";

/** How a journal is opened. */
export interface JournalOptions {
  /** Only look: nothing is created or changed, an older version is refused. */
  readOnly?: boolean;
  /** How long a call waits for another process that writes; 250 by default, since the caller waits too. */
  busyTimeoutMs?: number;
  /** The clock, for tests. */
  now?: () => number;
}

/** Where the journal of an OpenClaw lies: one file in its state directory. */
export function journalFile(stateDirectory: string): string {
  return join(stateDirectory, "openclaw-integrity.sqlite");
}

/**
 * Durable facts about sessions in one SQLite file (WAL): tool cycles, checkpoints, incidents. What a call has written when it returns
 * survives a kill of the process; {@link ToolCycles.start} also a power cut. Several processes may have it open.
 */
export class Journal {
  readonly file: string;
  readonly cycles: ToolCycles;
  readonly checkpoints: Checkpoints;
  readonly incidents: Incidents;
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync, file: string, now: () => number) {
    this.file = file;
    this.#database = database;
    this.cycles = new ToolCycles(database, now);
    this.checkpoints = new Checkpoints(database, now);
    this.incidents = new Incidents(database, now);
  }

  /** Several writes as one: all of them or none. */
  transaction<T>(work: () => T): T {
    return inTransaction(this.#database, work);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

/**
 * Opens the journal in `file` (or `:memory:`), creates and migrates it where needed; the file is readable by its owner only. Throws a
 * JournalError: `no-sqlite`, `newer`, `foreign`, `locked`, `damaged`, `not-writable`, `full`. Issue 5, item 1.
 */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  const { readOnly = false, busyTimeoutMs = 250, now = Date.now } = options;
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    if (!readOnly && file !== ":memory:") {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // SQLite would let everybody read it; its -wal and -shm get the mode of the file.
      closeSync(openSync(file, "a", 0o600));
    }
    database = new DatabaseSync(file, { readOnly });
    database.exec(`PRAGMA busy_timeout = ${Math.floor(busyTimeoutMs)}`);
    if (!readOnly) database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    migrate(database, file);
    return new Journal(database, file, now);
  } catch (error) {
    if (database?.isOpen) database.close();
    throw asJournalError(error, file);
  }
}
