import { join } from "node:path";
import { openFile, type Connection, type FileOptions, type NoPromise } from "../../journal/index.ts";
import { parseStored } from "../../journal/sqlite.ts";
import type { Change } from "../git/trees.ts";
import { CapturedFiles } from "./captured-files.ts";
import { RECORDS_SCHEMA } from "./schema.ts";

/** Those whose files a step is of: a session, its conversation, and its agent. */
export interface Owner {
  readonly sessionId: string;
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
}

/** A change of files by an agent of a session: a batch of calls, or a move that brought files back. */
export interface Step {
  readonly id: number;
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
  readonly kind: "batch" | "move";
  /** Identifies the entry behind which the step belongs: see `markOfEntry`; undefined while the batch runs. */
  readonly mark: string | undefined;
  readonly before: string;
  /** Undefined while the batch runs, and after a kill. */
  readonly after: string | undefined;
  /** Places of begin and end in the order of all steps of the workspace. */
  readonly begun: number;
  readonly ended: number | undefined;
  readonly endedAt: number | undefined;
  readonly pid: number;
}

/** A move whose files are being moved: after a kill both halves are brought together by this record. */
export interface PendingMove {
  readonly intentId: string;
  readonly owner: Owner;
  readonly before: string;
  readonly after: string;
  readonly plan: readonly Change[];
  readonly madeAt: number;
  readonly pid: number;
}

interface StepRow {
  id: number;
  session_id: string;
  session_key: string | null;
  kind: "batch" | "move";
  mark: string | null;
  before_tree: string;
  after_tree: string | null;
  begun: number;
  ended: number | null;
  ended_at: number | null;
  pid: number;
}

interface MoveRow {
  intent_id: string;
  session_id: string;
  session_key: string | null;
  agent_id: string | null;
  before_tree: string;
  after_tree: string;
  plan: string;
  made_at: number;
  pid: number;
}

/** The records of one workspace. Every method throws a JournalError when the database fails. */
export class Records {
  readonly #connection: Connection;
  /** The files as they were last captured. */
  readonly captured: CapturedFiles;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.captured = new CapturedFiles(connection, this);
  }

  /** Runs `work` in one transaction. */
  transaction<T>(work: () => NoPromise<T>): NoPromise<T> {
    return this.#connection.transaction(work);
  }

  fact(name: string): string | undefined {
    return this.#connection.prepare("SELECT value FROM facts WHERE name = ?").get<{ value: string }>(name)?.value;
  }

  setFact(name: string, value: string | undefined): void {
    if (value === undefined) this.#connection.prepare("DELETE FROM facts WHERE name = ?").run(name);
    else
      this.#connection
        .prepare("INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
        .run(name, value);
  }

  /** Records that a batch of calls begins that may change files; returns the step's id. */
  begin({ sessionId, sessionKey }: Owner, before: string): number {
    return this.#connection
      .prepare(
        `INSERT INTO steps (session_id, session_key, kind, before_tree, begun, begun_at, pid)
         VALUES (?, ?, 'batch', ?, ${NEXT}, ?, ?)`,
      )
      .run(sessionId, sessionKey ?? null, before, Date.now(), process.pid).id;
  }

  /** Records what a batch changed; a batch that changed nothing is forgotten. */
  end(id: number, after: string, mark: string): void {
    this.#connection.transaction(() => {
      this.#connection.prepare("DELETE FROM steps WHERE id = ? AND before_tree = ?").run(id, after);
      this.#connection
        .prepare(`UPDATE steps SET after_tree = ?, mark = ?, ended = ${NEXT}, ended_at = ? WHERE id = ?`)
        .run(after, mark, Date.now(), id);
    });
  }

  /** Forgets a step. */
  drop(id: number): void {
    this.#connection.prepare("DELETE FROM steps WHERE id = ?").run(id);
  }

  /** Steps of this session whose batch never ended in this process or an earlier one. */
  open({ sessionId }: Owner): Step[] {
    return this.#connection
      .prepare("SELECT * FROM steps WHERE session_id = ? AND ended IS NULL ORDER BY id")
      .all<StepRow>(sessionId)
      .map(toStep);
  }

  /** Steps of any session that began before this time and have not ended. */
  unended(before: number): Step[] {
    return this.#connection
      .prepare("SELECT * FROM steps WHERE ended IS NULL AND begun_at < ?")
      .all<StepRow>(before)
      .map(toStep);
  }

  /** When the session last began a step or a move, in milliseconds since 1970; undefined when it has none. */
  lastBegun({ sessionId, sessionKey }: Owner): number | undefined {
    return (
      this.#connection
        .prepare(
          `SELECT max(at) AS at FROM (
             SELECT begun_at AS at FROM steps WHERE session_id = ?1 OR session_key = ?2
             UNION ALL SELECT made_at FROM moves WHERE session_id = ?1 OR session_key = ?2)`,
        )
        .get<{ at: number | null }>(sessionId, sessionKey ?? null)?.at ?? undefined
    );
  }

  /** Marks of the entries behind which batches of this session have changed files. */
  changedAt({ sessionId, sessionKey }: Owner): string[] {
    return this.#connection
      .prepare(
        "SELECT mark FROM steps WHERE kind = 'batch' AND mark IS NOT NULL AND (session_id = ?1 OR session_key = ?2)",
      )
      .all<{ mark: string }>(sessionId, sessionKey ?? null)
      .map(({ mark }) => mark);
  }

  /** When a step last began in the workspace, in milliseconds since 1970. */
  lastAt(): number | undefined {
    return (
      this.#connection.prepare("SELECT max(begun_at) AS at FROM steps").get<{ at: number | null }>()?.at ?? undefined
    );
  }

  /** All steps of the workspace in order. */
  steps(): Step[] {
    return this.#connection
      .prepare("SELECT * FROM steps ORDER BY COALESCE(ended, begun), id")
      .all<StepRow>()
      .map(toStep);
  }

  /** Records the intent of a move, before its first file is moved. */
  intend({ intentId, owner, before, after, plan }: Omit<PendingMove, "madeAt" | "pid">): void {
    // On the disk before the first file is moved, also should the power go.
    this.#connection.exec("PRAGMA synchronous = FULL");
    this.#connection
      .prepare("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(
        intentId,
        owner.sessionId,
        owner.sessionKey ?? null,
        owner.agentId ?? null,
        before,
        after,
        JSON.stringify(plan),
        Date.now(),
        process.pid,
      );
    this.#connection.exec("PRAGMA synchronous = NORMAL");
  }

  /** Moves that are not settled, oldest first. */
  pending(): PendingMove[] {
    return this.#connection
      .prepare("SELECT * FROM moves ORDER BY made_at")
      .all<MoveRow>()
      .map((row) => ({
        intentId: row.intent_id,
        owner: {
          sessionId: row.session_id,
          sessionKey: row.session_key ?? undefined,
          agentId: row.agent_id ?? undefined,
        },
        before: row.before_tree,
        after: row.after_tree,
        plan: parseStored(row.plan) as Change[],
        madeAt: row.made_at,
        pid: row.pid,
      }));
  }

  /** Ends a move: with `isMade` it becomes a step behind its carryover, without it is forgotten. */
  settle({ intentId, owner, before, after }: PendingMove, isMade: boolean): void {
    this.#connection.transaction(() => {
      this.#connection.prepare("DELETE FROM moves WHERE intent_id = ?").run(intentId);
      if (isMade) this.moved(owner, intentId, before, after);
    });
  }

  /** Records a move as a step; also of one that kept the files, so that its place knows its files. */
  moved({ sessionId, sessionKey }: Owner, intentId: string, before: string, after: string): void {
    this.#connection
      .prepare(
        `INSERT INTO steps
           (session_id, session_key, kind, mark, before_tree, after_tree, begun, ended, begun_at, ended_at, pid)
         VALUES (?1, ?2, 'move', ?3, ?4, ?5, ${NEXT}, ${NEXT}, ?6, ?6, ?7)`,
      )
      .run(sessionId, sessionKey ?? null, moveMark(intentId), before, after, Date.now(), process.pid);
  }

  /** Deletes ended steps beyond the newest `most` and those that ended before `oldest`; returns how many. */
  prune(most: number, oldest: number): number {
    this.#connection.prepare("DELETE FROM files WHERE gone_at < ?").run(oldest);
    return this.#connection
      .prepare(
        `DELETE FROM steps WHERE ended IS NOT NULL AND (ended_at < ?2
           OR id NOT IN (SELECT id FROM steps WHERE ended IS NOT NULL ORDER BY ended DESC LIMIT ?1))`,
      )
      .run(most, oldest).changes;
  }

  /**
   * Gives steps other trees. A batch that changes nothing by them is forgotten, and so is what is known of files that
   * are gone: their names may be words too.
   */
  replaceTrees(steps: readonly Pick<Step, "id" | "before" | "after">[]): void {
    const replace = this.#connection.prepare("UPDATE steps SET before_tree = ?, after_tree = ? WHERE id = ?");
    this.#connection.transaction(() => {
      for (const { id, before, after } of steps) replace.run(before, after ?? null, id);
      this.#connection.prepare("DELETE FROM steps WHERE kind = 'batch' AND before_tree = after_tree").run();
      this.#connection.prepare("DELETE FROM files WHERE gone_at IS NOT NULL").run();
    });
  }

  /** The sessions that have steps or pending moves. */
  sessions(): { readonly sessionId: string; readonly sessionKey: string | undefined; readonly count: number }[] {
    return this.#connection
      .prepare(
        `SELECT session_id, max(session_key) AS session_key, count(*) AS count FROM
           (SELECT session_id, session_key FROM steps UNION ALL SELECT session_id, session_key FROM moves)
         GROUP BY session_id`,
      )
      .all<{ session_id: string; session_key: string | null; count: number }>()
      .map((row) => ({ sessionId: row.session_id, sessionKey: row.session_key ?? undefined, count: row.count }));
  }

  /** All trees that a move may need. */
  trees(): string[] {
    return this.#connection
      .prepare(
        `SELECT before_tree AS tree FROM steps UNION SELECT after_tree FROM steps WHERE after_tree IS NOT NULL
         UNION SELECT before_tree FROM moves UNION SELECT after_tree FROM moves`,
      )
      .all<{ tree: string }>()
      .map(({ tree }) => tree);
  }

  close(): void {
    this.#connection.close();
  }
}

/** SQL for the next place in the order of all steps. */
const NEXT = "(SELECT 1 + COALESCE(MAX(MAX(begun), COALESCE(MAX(ended), 0)), 0) FROM steps)";

/** The mark of a move's carryover. */
export function moveMark(intentId: string): string {
  return `move:${intentId}`;
}

export function recordsFile(folder: string): string {
  return join(folder, "records.sqlite");
}

/** Opens the records in the folder of a workspace's snapshots. Throws a JournalError as {@link openFile} does. */
export function openRecords(folder: string, options: FileOptions = {}): Records {
  return openFile(recordsFile(folder), RECORDS_SCHEMA, { busyTimeoutMs: 2000, ...options }, (connection) => {
    return new Records(connection);
  });
}

function toStep(row: StepRow): Step {
  return {
    id: row.id,
    sessionId: row.session_id,
    sessionKey: row.session_key ?? undefined,
    kind: row.kind,
    mark: row.mark ?? undefined,
    before: row.before_tree,
    after: row.after_tree ?? undefined,
    begun: row.begun,
    ended: row.ended ?? undefined,
    endedAt: row.ended_at ?? undefined,
    pid: row.pid,
  };
}
