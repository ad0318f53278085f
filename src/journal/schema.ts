import { databaseIdentity } from "../base/sqlite/database-file.ts";
import { journalError } from "./errors.ts";
import type { Connection } from "./sqlite.ts";

/** The schema of one kind of file of this project. */
export interface Schema {
  /** Noun for such a file in messages. */
  readonly name: string;
  /** SQLite's application id: marks the file as one of this kind, so that no other database is mistaken for one. */
  readonly applicationId: number;
  /** The statements that create its tables. */
  readonly tables: string;
}

/**
 * The journal ("ocij"). Times are milliseconds since 1970. In `snapshot_messages` a list of messages is identified by
 * its hash; `previous_hash` identifies the list without its last message.
 */
export const JOURNAL_SCHEMA: Schema = {
  name: "journal",
  applicationId: 0x6f63696a,
  tables: `
  CREATE TABLE tool_cycles (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'executing', 'recording', 'committed', 'rolled_back')),
    result TEXT,
    checkpoint_id TEXT,
    call TEXT,
    pending_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    closed_at INTEGER
  ) STRICT;
  CREATE INDEX open_tool_cycles ON tool_cycles (session_id) WHERE state IN ('pending', 'executing', 'recording');
  CREATE INDEX closed_tool_cycles ON tool_cycles (closed_at) WHERE closed_at IS NOT NULL;
  CREATE TABLE checkpoints (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    operation TEXT NOT NULL CHECK (operation IN ('tool_cycle', 'compaction', 'api_call', 'manual')),
    message_index INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    first_entry_id TEXT,
    leaf_entry_id TEXT,
    snapshot TEXT,
    committed_at INTEGER,
    rolled_back_at INTEGER
  ) STRICT;
  CREATE INDEX checkpoints_of_session ON checkpoints (session_id, sequence);
  CREATE TABLE incidents (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    session_id TEXT,
    kind TEXT NOT NULL,
    details TEXT NOT NULL
  ) STRICT;
  CREATE INDEX incidents_by_time ON incidents (at);
  CREATE TABLE unanswered_messages (
    session_id TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    parent_id TEXT,
    message TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id)
  ) STRICT;
  CREATE TABLE snapshot_messages (
    session_id TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (session_id, content_hash)
  ) STRICT;
  CREATE TABLE learned (
    scope TEXT NOT NULL CHECK (scope IN ('route', 'session')),
    name TEXT NOT NULL,
    what TEXT NOT NULL,
    value TEXT NOT NULL,
    learned_at INTEGER NOT NULL,
    PRIMARY KEY (scope, name, what)
  ) STRICT;
  `,
};

/** The version of every file of this project. Any change of its tables is another version. */
export const SCHEMA_VERSION = 1;

/**
 * Returns whether the database has its tables; false for an empty one: the process that created it was killed, or is
 * still creating it. Throws a JournalError: `newer` for a file that a later version of this project wrote, `foreign`
 * for a file of another program. Writes nothing.
 */
export function hasTables(connection: Connection, { name, applicationId }: Schema): boolean {
  const { file } = connection;
  const { version, application, tables } = databaseIdentity(connection);
  if (version === 0 && application === 0 && tables === 0) return false;
  if (application !== applicationId) {
    throw journalError("foreign", {
      expected: `a ${name} of openclaw-integrity, or no file`,
      found: `another program's database in ${file}`,
      todo: "Move that file away. The file was not changed.",
    });
  }
  if (version > SCHEMA_VERSION) {
    throw journalError("newer", {
      expected: `a ${name} of version ${SCHEMA_VERSION}`,
      found: `version ${version} in ${file}`,
      todo:
        "Use the newer openclaw-integrity that wrote the file, or move the file away: a new one is created. The " +
        "file was not changed.",
    });
  }
  return true;
}

/** Creates the tables, in one transaction. */
export function createTables(connection: Connection, schema: Schema): void {
  const { applicationId, tables } = schema;
  connection.transaction(() => {
    // Another process may have created them meanwhile.
    if (hasTables(connection, schema)) return;
    connection.exec(tables);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}
