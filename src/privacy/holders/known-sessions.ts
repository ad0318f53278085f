import { groupBy } from "../../base/group-by.ts";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { JournalError, openFile, type Schema, setAside } from "../../journal/index.ts";
import type { Connection } from "../../journal/sqlite.ts";
import { eraseRows, readRows } from "./erase-rows.ts";
import { type Holder, subjectValues } from "./holder.ts";

/** Ids of a session. */
export interface KnownSession {
  readonly agentId: string;
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
  /** Path of its transcript, if it is a file. */
  readonly transcript: string | undefined;
}

/** A deletion by OpenClaw that was noticed. */
export interface SeenDeletion {
  readonly agentId: string;
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
  /** When OpenClaw deleted it, in milliseconds since 1970. */
  readonly deletedAt: number;
  /** When the deletion was first noticed. */
  readonly seenAt: number;
}

/** The subject of a purge that was not finished. */
export interface BegunPurge {
  readonly sessionIds: readonly string[];
  readonly sessionKeys: readonly string[];
}

/** Ids and keys only. A file of its own, so that a newer schema of it does not lock the guard out of its journal. */
const SCHEMA: Schema = {
  name: "list of sessions",
  applicationId: 0x6f636973,
  tables: `
  CREATE TABLE sessions (
    agent_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    session_key TEXT,
    transcript TEXT,
    PRIMARY KEY (agent_id, session_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE deletions (
    agent_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    session_key TEXT,
    deleted_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, session_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE purges (
    purge_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('session', 'conversation')),
    name TEXT NOT NULL,
    PRIMARY KEY (purge_id, kind, name)
  ) STRICT, WITHOUT ROWID;
  `,
};

const TIMEOUT_MS = 5000;

/**
 * The list of sessions that exist or existed, by which the data of a session is found after OpenClaw has deleted it: a
 * transcript does not name its conversation. Every method throws a JournalError when the database fails.
 */
export class KnownSessions {
  readonly file: string;

  constructor(stateDirectory: string) {
    this.file = join(stateDirectory, "openclaw-integrity-sessions.sqlite");
  }

  list(): KnownSession[] {
    return (
      this.#read((connection) => connection.prepare("SELECT * FROM sessions").all<Row>().map(toKnownSession)) ?? []
    );
  }

  deletions(): SeenDeletion[] {
    return (
      this.#read((connection) =>
        connection
          .prepare("SELECT * FROM deletions")
          .all<Row>()
          .map((row) => ({ ...toKnownSession(row), deletedAt: row.deleted_at, seenAt: row.seen_at })),
      ) ?? []
    );
  }

  /** Lists the purges that were not finished. */
  begun(): BegunPurge[] {
    const rows =
      this.#read((connection) =>
        connection
          .prepare("SELECT purge_id AS id, kind, name FROM purges")
          .all<{ id: string; kind: string; name: string }>(),
      ) ?? [];
    return [...groupBy(rows, ({ id }) => id).values()].map((purge) => {
      const listNames = (kind: string): string[] => purge.filter((row) => row.kind === kind).map(({ name }) => name);
      return { sessionIds: listNames("session"), sessionKeys: listNames("conversation") };
    });
  }

  /**
   * Records OpenClaw's present sessions; nothing is written when all of them are known. A session that its conversation
   * has left keeps its recorded key.
   */
  note(sessions: readonly KnownSession[]): void {
    const known = new Map(this.list().map((one) => [sessionName(one), one]));
    const fresh = sessions.filter((one) => {
      const before = known.get(sessionName(one));
      return (
        before === undefined ||
        (one.sessionKey ?? before.sessionKey) !== before.sessionKey ||
        (one.transcript ?? before.transcript) !== before.transcript
      );
    });
    if (fresh.length === 0) return;
    this.#write((connection) => {
      const put = connection.prepare(
        `INSERT INTO sessions (agent_id, session_id, session_key, transcript) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET session_key = coalesce(excluded.session_key, session_key),
           transcript = coalesce(excluded.transcript, transcript)`,
      );
      for (const { agentId, sessionId, sessionKey, transcript } of fresh)
        put.run(agentId, sessionId, sessionKey ?? null, transcript ?? null);
    });
  }

  /** Records deletions by OpenClaw; the time when one was first noticed stays. */
  noteDeletions(deletions: readonly Omit<SeenDeletion, "seenAt">[], seenAt: number): void {
    if (deletions.length === 0) return;
    this.#write((connection) => {
      const put = connection.prepare(
        `INSERT INTO deletions (agent_id, session_id, session_key, deleted_at, seen_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET deleted_at = max(deleted_at, excluded.deleted_at),
           session_key = coalesce(excluded.session_key, session_key)`,
      );
      for (const { agentId, sessionId, sessionKey, deletedAt } of deletions)
        put.run(agentId, sessionId, sessionKey ?? null, deletedAt, seenAt);
    });
  }

  /** Removes deletions of sessions that exist again, or of which no data is left. */
  forgetDeletions(sessionIds: readonly string[]): void {
    if (sessionIds.length === 0) return;
    this.#write(
      (connection) =>
        void connection
          .prepare("DELETE FROM deletions WHERE session_id IN (SELECT value FROM json_each(?))")
          .run(JSON.stringify(sessionIds)),
    );
  }

  /**
   * Records the subject of a purge before its first deletion: a purge that resumes after a kill could no longer find
   * all ids, because some are found by data that is deleted first.
   */
  begin({
    sessionIds,
    sessionKeys,
  }: {
    readonly sessionIds: Iterable<string>;
    readonly sessionKeys: Iterable<string>;
  }): void {
    const purgeId = randomUUID();
    this.#write((connection) => {
      const put = connection.prepare("INSERT INTO purges (purge_id, kind, name) VALUES (?, ?, ?)");
      for (const id of sessionIds) put.run(purgeId, "session", id);
      for (const key of sessionKeys) put.run(purgeId, "conversation", key);
    });
  }

  /** The list itself as a holder; its erasure ends a purge. */
  holder({ rewrite }: { readonly rewrite: boolean }): Holder {
    const { file } = this;
    return {
      find: (subject) => {
        const [ids, keys] = subjectValues(subject);
        const count =
          this.#read((connection) => connection.prepare(COUNT).get<{ count: number }>(ids, keys)?.count) ?? 0;
        return count === 0 ? [] : [{ kind: "session_list", place: file, count, bytes: 0, hasWords: false }];
      },
      erase: (subject) =>
        this.#sound(() =>
          eraseRows(
            file,
            SCHEMA,
            (connection) => {
              const [ids, keys] = subjectValues(subject);
              for (const table of ["sessions", "deletions"])
                connection.prepare(`DELETE FROM ${table} WHERE ${OF_SESSIONS}`).run(ids, keys);
              connection.prepare(`DELETE FROM purges WHERE ${OF_PURGES}`).run(ids, keys);
            },
            { rewrite },
          ),
        ),
    };
  }

  #read<Value>(read: (connection: Connection) => Value): Value | undefined {
    return this.#sound(() => readRows(this.file, SCHEMA, read));
  }

  #write(write: (connection: Connection) => void): void {
    this.#sound(() =>
      openFile(this.file, SCHEMA, { busyTimeoutMs: TIMEOUT_MS }, (connection) => {
        try {
          connection.transaction(() => write(connection));
        } finally {
          connection.close();
        }
      }),
    );
  }

  /** Sets a damaged list aside, as with a damaged journal, and begins a new one, which the next scan fills. */
  #sound<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof JournalError) || error.code !== "damaged") throw error;
      setAside(this.file);
      return work();
    }
  }
}

const OF_SESSIONS =
  "session_id IN (SELECT value FROM json_each(?1)) OR session_key IN (SELECT value FROM json_each(?2))";
const OF_PURGES = `
  (kind = 'session' AND name IN (SELECT value FROM json_each(?1)))
  OR (kind = 'conversation' AND name IN (SELECT value FROM json_each(?2)))`;
const COUNT = `SELECT (SELECT count(*) FROM sessions WHERE ${OF_SESSIONS}) +
  (SELECT count(*) FROM deletions WHERE ${OF_SESSIONS}) + (SELECT count(*) FROM purges WHERE ${OF_PURGES}) AS count`;

interface Row {
  readonly agent_id: string;
  readonly session_id: string;
  readonly session_key: string | null;
  readonly transcript: string | null;
  readonly deleted_at: number;
  readonly seen_at: number;
}

function toKnownSession({ agent_id, session_id, session_key, transcript }: Row): KnownSession {
  return {
    agentId: agent_id,
    sessionId: session_id,
    sessionKey: session_key ?? undefined,
    transcript: transcript ?? undefined,
  };
}

function sessionName({ agentId, sessionId }: KnownSession): string {
  return `${agentId}\u0000${sessionId}`;
}
