import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { Checkpoints } from "./checkpoints.ts";
import { asJournalError, JournalError, journalError } from "./errors.ts";
import { Incidents } from "./incidents.ts";
import { hasCurrentSchema, migrate, notCurrent } from "./schema.ts";
import { Connection, loadSqlite } from "./sqlite.ts";
import { ToolCycles } from "./tool-cycles.ts";
import { UnansweredMessages } from "./unanswered-messages.ts";

/** SQLite's general refusal of a statement: no such table, no such column, table exists already. */
const SQLITE_ERROR = 1;

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

  close(): void {
    this.#connection.close();
  }
}

/**
 * Opens the journal in `file` (or `:memory:`), creates and migrates it where needed; the file is readable by its owner only. Throws a
 * JournalError: `no-sqlite`, `missing` (to be read only, and not there), `newer`, `foreign`, `locked`, `damaged`, `not-writable`,
 * `full`. Issue 5, item 1.
 */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  const { readOnly = false, busyTimeoutMs = 250, now = Date.now } = options;
  const { DatabaseSync } = loadSqlite();
  let connection: Connection | undefined;
  try {
    prepareFile(file, readOnly);
    connection = new Connection(new DatabaseSync(file, { readOnly }), file);
    connection.exec(`PRAGMA busy_timeout = ${Math.floor(busyTimeoutMs)}`);
    // Before anything is written: the file may be another program's.
    const isCurrent = hasCurrentSchema(connection);
    if (readOnly && !isCurrent) throw notCurrent(file);
    if (!readOnly) connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    if (!isCurrent) migrate(connection);
    return new Journal(connection, now);
  } catch (error) {
    connection?.close();
    throw asDamage(asJournalError(error, file));
  }
}

function prepareFile(file: string, readOnly: boolean): void {
  if (file === ":memory:") return;
  if (readOnly) {
    if (existsSync(file)) return;
    throw journalError("missing", { expected: `a journal at ${file}`, found: "no file", todo: "Correct the path, or let a patched OpenClaw run: it begins one with the first tool call." });
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite would let everybody read it; its -wal and -shm get the mode of the file.
  closeSync(openSync(file, "a", 0o600));
}

/** A journal says which version it is; when its tables are others than that version's, something else has been at it. */
function asDamage(error: JournalError): JournalError {
  const { cause } = error;
  if (error.code !== "failed" || (cause as { errcode?: unknown } | undefined)?.errcode !== SQLITE_ERROR) return error;
  return new JournalError("damaged", error.message.replace(/[^.]*\.$/, " Set the file aside; a new one is begun."), { cause });
}
