import type { DatabaseSync } from "node:sqlite";
import { journalError } from "./errors.ts";
import { inTransaction } from "./sqlite.ts";

/** Marks the file as a journal of this project, so that no other database is taken for one ("ocij"). */
const APPLICATION_ID = 0x6f63696a;

/**
 * The schema, one step forward per entry; the version of a file is the number of steps it has taken. A step that was released is never
 * changed: what is needed later is another step. Times are milliseconds since 1970.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE tool_cycles (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'executing', 'recording', 'committed', 'rolled_back')),
    result TEXT,
    checkpoint_id TEXT,
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
  `,
];

/** The version this code writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

function pragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/**
 * Brings the database to this version; nothing is written when it is there already. Throws a JournalError: `newer` for a file that a
 * later version of this project wrote, `foreign` for one that is not ours.
 */
export function migrate(database: DatabaseSync, file: string): void {
  if (isCurrent(database, file)) return;
  inTransaction(database, () => {
    // Another process may have come first.
    if (isCurrent(database, file)) return;
    for (const step of MIGRATIONS.slice(pragma(database, "user_version"))) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

function isCurrent(database: DatabaseSync, file: string): boolean {
  const version = pragma(database, "user_version");
  const application = pragma(database, "application_id");
  const isOurs = application === APPLICATION_ID || (application === 0 && version === 0 && Number(database.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n) === 0);
  if (!isOurs) {
    throw journalError("foreign", {
      expected: "a journal of openclaw-integrity, or no file", found: `another program's database in ${file}`, todo: "Move that file away. It was not changed.",
    });
  }
  if (version > SCHEMA_VERSION) {
    throw journalError("newer", {
      expected: `a journal of version ${SCHEMA_VERSION} or older`, found: `version ${version} in ${file}`,
      todo: "A newer openclaw-integrity wrote it: use that one, or move the file away to begin a new journal. It was not changed.",
    });
  }
  return version === SCHEMA_VERSION;
}
