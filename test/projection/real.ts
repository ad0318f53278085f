/**
 * The projection of sessions in a real OpenClaw 2026.9.6, in this process: its own appends and rebuilds, and the tables
 * as another connection sees them.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  loadOpenClawSessions,
  type OpenClawSessions,
  type SessionTarget,
} from "../../src/store/openclaw/openclaw-sessions.ts";
import { importOptional } from "../../harness/openclaw/adapters/chunk.ts";
import { openRows } from "../../harness/openclaw/adapters/rows.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";

export const RELEASE = "2026.9.6";

/** Folder of the package, as published or patched. */
export function packageFolder(variant: "stock" | "patched"): string {
  return join(releasesFolder(), RELEASE, variant, "node_modules", "openclaw");
}

/**
 * What a projection is made of; rows are named by their place in the transcript, so that sessions with other ids can be
 * compared.
 */
export interface Projection {
  readonly state: Readonly<Record<string, unknown>> | undefined;
  readonly active: readonly unknown[];
  readonly search: readonly unknown[];
}

interface OpenDatabase {
  readonly db: DatabaseSync;
}
interface IndexChunk {
  markSessionTranscriptIndexDirtyInTransaction(db: DatabaseSync, sessionId: string): void;
  reconcileSessionTranscriptIndexInTransaction(db: DatabaseSync, sessionId: string): boolean;
}
interface StoreChunk {
  appendTranscriptEventInTransaction(database: OpenDatabase, scope: object, event: unknown): unknown;
  appendTranscriptEventsInTransaction(database: OpenDatabase, scope: object, events: readonly unknown[]): number;
}
interface DatabaseChunk {
  runOpenClawAgentWriteTransaction<Value>(work: (database: OpenDatabase) => Value, options: { agentId: string }): Value;
}

/** OpenClaw's state in a folder of the test's own. */
export interface RealProjections extends IndexChunk, StoreChunk, DatabaseChunk {
  readonly openclaw: OpenClawSessions;
  readonly store: Awaited<ReturnType<typeof openRows>>["store"];
  toTarget(sessionId: string): SessionTarget;
  /** As it is committed. */
  stored(sessionId: string): Projection;
  /** What OpenClaw's own full rebuild makes of the committed rows; nothing is kept of it. */
  rebuilt(sessionId: string): Projection;
  close(): void;
}

/**
 * Takes up the chunks of the OpenClaw in `root` for the state in `stateDirectory`, which the environment names from
 * then on.
 */
export async function openProjections(root: string, stateDirectory: string): Promise<RealProjections> {
  process.env["OPENCLAW_STATE_DIR"] = stateDirectory;
  const dist = join(root, "dist");
  const { store } = await openRows(dist);
  const openclaw = await loadOpenClawSessions(root, stateDirectory);
  const index = await importOptional<IndexChunk>(dist, /^session-transcript-index-/, [
    "markSessionTranscriptIndexDirtyInTransaction",
    "reconcileSessionTranscriptIndexInTransaction",
  ]);
  const appends = await importOptional<StoreChunk>(dist, /^session-accessor\.sqlite-transcript-store-/, [
    "appendTranscriptEventInTransaction",
    "appendTranscriptEventsInTransaction",
  ]);
  const databases = await importOptional<DatabaseChunk>(dist, /^openclaw-agent-db-/, [
    "runOpenClawAgentWriteTransaction",
  ]);
  if (!index || !appends || !databases) throw new Error(`OpenClaw in ${root} has no such chunks`);
  let connection: DatabaseSync | undefined;
  const connected = (): DatabaseSync =>
    (connection ??= new DatabaseSync(databaseFile(stateDirectory), { timeout: 5000 }));
  return {
    openclaw,
    store,
    ...index,
    ...appends,
    ...databases,
    toTarget: (sessionId) => ({
      agentId: "main",
      sessionKey: `agent:main:${sessionId}`,
      sessionId,
      storePath: openclaw.resolveStorePath(undefined, { agentId: "main" }),
    }),
    stored: (sessionId) => projectionIn(connected(), sessionId),
    rebuilt(sessionId) {
      const db = connected();
      db.exec("BEGIN IMMEDIATE");
      try {
        index.markSessionTranscriptIndexDirtyInTransaction(db, sessionId);
        index.reconcileSessionTranscriptIndexInTransaction(db, sessionId);
        return projectionIn(db, sessionId);
      } finally {
        db.exec("ROLLBACK");
      }
    },
    close: () => connection?.close(),
  };
}

/** The database of the agent `main`. */
export function databaseFile(stateDirectory: string): string {
  return join(stateDirectory, "agents", "main", "agent", "openclaw-agent.sqlite");
}

/** What OpenClaw's state row says of a session, read over a connection of its own. */
export function indexState(stateDirectory: string, sessionId: string): Readonly<Record<string, unknown>> | undefined {
  const db = new DatabaseSync(databaseFile(stateDirectory), { readOnly: true, timeout: 5000 });
  try {
    return db
      .prepare(
        "SELECT needs_rebuild, indexed_seq, (SELECT max(seq) FROM transcript_events e WHERE e.session_id = s.session_id) AS last_seq FROM session_transcript_index_state s WHERE session_id = ?",
      )
      .get(sessionId);
  } finally {
    db.close();
  }
}

/** All three tables of it. */
function projectionIn(db: DatabaseSync, sessionId: string): Projection {
  const place =
    "(SELECT seq FROM transcript_event_identities i WHERE i.session_id = s.session_id AND i.event_id = s.leaf_event_id)";
  return {
    state: db
      .prepare(
        `SELECT needs_rebuild, indexed_seq, active_event_count, active_message_count, ${place} AS leaf, leaf_event_id IS NULL AS has_no_leaf FROM session_transcript_index_state s WHERE session_id = ?`,
      )
      .get(sessionId),
    active: db
      .prepare(
        "SELECT active_position, event_seq, message_position, context_eligible FROM session_transcript_active_events WHERE session_id = ? ORDER BY active_position",
      )
      .all(sessionId),
    search: db
      .prepare(
        `SELECT (SELECT seq FROM transcript_event_identities i WHERE i.session_id = r.session_id AND i.event_id = r.message_id) AS place, r.message_id = f.message_id AS is_same, f.role, f.text, f.timestamp, f.session_id = r.session_id AS is_own
         FROM session_transcript_fts_rows r LEFT JOIN session_transcript_fts f ON f.rowid = r.id WHERE r.session_id = ? ORDER BY r.id`,
      )
      .all(sessionId),
  };
}
