import type { Schema } from "../../journal/index.ts";

/**
 * Schema of the records of a workspace's snapshots (application id "ocwf"). A tree is an object id in the shadow
 * repository. `steps` are the changes that agents made, in order; `moves` are moves whose files are being moved.
 * `files` are the files as they were last captured, so that a capture reads only what has changed since; a path that
 * ends with a slash is a folder. Of what is gone only the permissions are kept, with which it comes back.
 */
export const RECORDS_SCHEMA: Schema = {
  name: "file of workspace snapshots",
  applicationId: 0x6f637766,
  tables: `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE steps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    session_key TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('batch', 'move')),
    mark TEXT,
    before_tree TEXT NOT NULL,
    after_tree TEXT,
    begun INTEGER NOT NULL,
    ended INTEGER,
    begun_at INTEGER NOT NULL,
    ended_at INTEGER,
    pid INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX steps_by_session ON steps (session_id);
  CREATE TABLE moves (
    intent_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    session_key TEXT,
    agent_id TEXT,
    before_tree TEXT NOT NULL,
    after_tree TEXT NOT NULL,
    plan TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    pid INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE files (
    path TEXT PRIMARY KEY,
    permissions INTEGER NOT NULL,
    mode TEXT,
    oid TEXT,
    size INTEGER,
    changed REAL,
    inode REAL,
    gone_at INTEGER
  ) STRICT, WITHOUT ROWID;
  `,
};
