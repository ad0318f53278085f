import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { loadSqlite } from "../../journal/sqlite.ts";
import { describeError, storeError } from "../../store/errors.ts";
import { agentDatabase } from "../../store/sessions/session-coordinates.ts";
import { agentsIn } from "../../store/state-directory.ts";

/** Longer than one commit of OpenClaw locks the database. */
const BUSY_TIMEOUT_MS = 5000;

/** A transcript that OpenClaw (since 2026.8) keeps in its database after deleting the session. */
export interface DeletedRows {
  readonly agentId: string;
  readonly sessionId: string;
  readonly sessionKey: string;
}

/** Data from OpenClaw's databases that the list of sessions does not contain. */
export interface AgentRows {
  /** Keys of OpenClaw's conversations, including those whose sessions have no rows yet. */
  readonly sessionKeys: ReadonlySet<string>;
  /** Keys of conversations with an active run, by OpenClaw's own record; it is wrong after a crash. */
  readonly running: ReadonlySet<string>;
  readonly deleted: readonly DeletedRows[];
  /** Agents that have a database. */
  readonly agents: ReadonlySet<string>;
}

/**
 * Reads the databases of all agents; nothing where sessions are files. Throws `store-unreadable`, and a JournalError
 * `no-sqlite` where Node has no `node:sqlite`.
 */
export function agentRows(stateDirectory: string): AgentRows {
  const [sessionKeys, running, agents] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const deleted: DeletedRows[] = [];
  for (const agentId of agentsIn(stateDirectory)) {
    const file = agentDatabase(stateDirectory, agentId);
    if (!existsSync(file)) continue;
    agents.add(agentId);
    reading(file, (database, tables) => {
      for (const { key, status } of tables.has("session_nodes")
        ? database.prepare("SELECT session_key AS key, status FROM session_nodes").all()
        : []) {
        sessionKeys.add(String(key));
        if (status === "running") running.add(String(key));
      }
      if (!tables.has("session_transcript_archives")) return;
      // The time of deletion is not read here: its column comes after the transcript, which SQLite would have to read
      // as well.
      for (const { id, key } of database
        .prepare(
          "SELECT session_id AS id, session_key AS key FROM session_transcript_archives WHERE reason = 'deleted'",
        )
        .all()) {
        deleted.push({ agentId, sessionId: String(id), sessionKey: String(key) });
      }
    });
  }
  return { sessionKeys, running, deleted, agents };
}

/**
 * When OpenClaw deleted one of {@link AgentRows.deleted}, in milliseconds since 1970; undefined when OpenClaw no longer
 * keeps the transcript.
 */
export function deletedAt(stateDirectory: string, { agentId, sessionId }: DeletedRows): number | undefined {
  let at: number | undefined;
  reading(agentDatabase(stateDirectory, agentId), (database) => {
    const found = database
      .prepare(
        "SELECT max(created_at) AS at FROM session_transcript_archives WHERE session_id = ? AND reason = 'deleted'",
      )
      .get(sessionId)?.["at"];
    if (typeof found === "number") at = found;
  });
  return at;
}

function reading(file: string, work: (database: DatabaseSync, tables: ReadonlySet<string>) => void): void {
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    work(
      database,
      new Set(
        database
          .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
          .all()
          .map(({ name }) => String(name)),
      ),
    );
  } catch (error) {
    throw storeError("store-unreadable", {
      expected: `OpenClaw's sessions in ${file}`,
      found: describeError(error),
      todo: "Let OpenClaw check it (openclaw doctor). Nothing was changed.",
      cause: error,
    });
  } finally {
    database?.close();
  }
}
