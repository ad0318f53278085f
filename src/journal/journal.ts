import { join } from "node:path";
import { Checkpoints } from "./checkpoints.ts";
import { emptyLog } from "./empty-log.ts";
import { Incidents } from "./incidents.ts";
import { openFile, type FileOptions } from "./open-file.ts";
import { JOURNAL_SCHEMA } from "./schema.ts";
import type { Connection } from "./sqlite.ts";
import { ToolCycles } from "./tool-cycles.ts";
import { UnansweredMessages } from "./unanswered-messages.ts";

/** How a journal is opened. */
export interface JournalOptions extends FileOptions {
  /** The clock, for tests. */
  now?: () => number;
}

/** Where the journal of an OpenClaw lies: one file in its state directory. */
export function journalFile(stateDirectory: string): string {
  return join(stateDirectory, "openclaw-integrity.sqlite");
}

/**
 * Durable facts about sessions in one SQLite file (WAL): tool cycles, checkpoints, incidents. What a call has written
 * when it returns survives a kill of the process; {@link ToolCycles.start} also a power cut. Several processes may have
 * it open.
 */
export class Journal {
  readonly file: string;
  readonly cycles: ToolCycles;
  readonly checkpoints: Checkpoints;
  readonly incidents: Incidents;
  readonly unanswered: UnansweredMessages;
  readonly #connection: Connection;

  constructor(connection: Connection, now: () => number) {
    this.file = connection.file;
    this.#connection = connection;
    this.cycles = new ToolCycles(connection, now);
    this.checkpoints = new Checkpoints(connection, now);
    this.incidents = new Incidents(connection, now);
    this.unanswered = new UnansweredMessages(connection, now);
  }

  /** Several writes as one: all of them or none. */
  transaction<T>(work: () => T): T {
    return this.#connection.transaction(work);
  }

  /** {@link emptyLog}: after it, no file of the journal holds what was deleted before. */
  emptyLog(): boolean {
    return emptyLog(this.#connection);
  }

  close(): void {
    this.#connection.close();
  }
}

/**
 * Opens the journal in `file` (or `:memory:`), creates and migrates it where needed; the file is readable by its owner
 * only. Throws a JournalError: `no-sqlite`, `missing` (to be read only, and not there), `newer`, `foreign`, `locked`,
 * `damaged`, `not-writable`, `full`. Issue 5, item 1.
 */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  const { now = Date.now, ...how } = options;
  return openFile(file, JOURNAL_SCHEMA, how, (connection) => new Journal(connection, now));
}
