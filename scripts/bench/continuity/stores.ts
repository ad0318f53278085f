import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import pg from "pg";
import {
  type ContinuityStore,
  type EventRow,
  openPostgresStore,
  openSqliteStore,
} from "../../../src/continuity/index.ts";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../../harness/postgres.ts";

/**
 * SQL on the kernel's tables with nothing around it: a connection of its own, prepared statements, a commit per
 * statement, the same durability.
 */
export interface BareSql {
  /** One row of `events`, on its own disk pages: in another file or schema than the kernel's. */
  insert(row: EventRow): Promise<unknown> | unknown;
  /**
   * The rows that a restore reads, from the kernel's own tables: workflow, latest snapshot, its event, the events
   * behind it.
   */
  select(workflow_id: string): Promise<RestoreRows> | RestoreRows;
  /** Many rows in one transaction, into the kernel's own tables. */
  writeMany(rows: readonly EventRow[]): Promise<unknown> | unknown;
  /** Where the ledger of a workflow that was filled ends. */
  setHead(workflow_id: string, last_event_seq: number, head_checksum: string): Promise<unknown> | unknown;
  close(): Promise<unknown> | unknown;
}

/** What a restore reads. */
export interface RestoreRows {
  readonly snapshot: { readonly state_inline: string; readonly last_event_seq: number };
  readonly events: readonly Pick<EventRow, "payload" | "checksum">[];
}

/** A store and bare SQL beside it. */
export interface Subject {
  readonly name: "SQLite" | "PostgreSQL";
  readonly store: ContinuityStore;
  readonly bare: BareSql;
  /** The server's address, where there is one. */
  readonly url?: string;
}

const EVENT_COLUMNS = [
  "event_id",
  "workflow_id",
  "event_seq",
  "event_type",
  "payload",
  "timestamp",
  "schema_version",
  "producer_version",
  "checksum",
] as const;
const COLUMN_LIST = EVENT_COLUMNS.join(", ");
const SNAPSHOT = "SELECT * FROM snapshots WHERE workflow_id = $1 ORDER BY last_event_seq DESC LIMIT 1";
const EVENTS = "SELECT * FROM events WHERE workflow_id = $1 AND event_seq > $2 ORDER BY event_seq LIMIT $3";
const WORKFLOW = "SELECT * FROM workflows WHERE workflow_id = $1";
const HEAD = "UPDATE workflows SET last_event_seq = $2, head_checksum = $3 WHERE workflow_id = $1";
const PAGE = 500;

/**
 * Opens both stores on new data, hands each to the work, and removes everything. PostgreSQL is left out where it is not
 * installed.
 */
export async function withSubjects(work: (subjects: readonly Subject[]) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bench-continuity-"));
  const why = whyNoPostgres();
  if (why !== undefined) process.stderr.write(`PostgreSQL is not measured: ${why}\n`);
  const server = why === undefined ? await startPostgres() : undefined;
  const subjects: Subject[] = [];
  try {
    subjects.push(await sqliteSubject(folder));
    if (server) subjects.push(await postgresSubject(server));
    await work(subjects);
  } finally {
    for (const { store, bare } of subjects) {
      await store.close();
      await bare.close();
    }
    await server?.stop();
    rmSync(folder, { recursive: true });
  }
}

async function sqliteSubject(folder: string): Promise<Subject> {
  const [file, bareFile] = [join(folder, "kernel.sqlite"), join(folder, "bare.sqlite")];
  const store = openSqliteStore({ file });
  // The schema is the same, and so are the pages that are written.
  await openSqliteStore({ file: bareFile }).close();
  return { name: "SQLite", store, bare: bareSqlite(connect(bareFile), connect(file)) };
}

function connect(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(
    "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
  );
  return database;
}

function bareSqlite(own: DatabaseSync, kernels: DatabaseSync): BareSql {
  const text = `INSERT INTO events (${COLUMN_LIST}) VALUES (${EVENT_COLUMNS.map(() => "?").join(", ")})`;
  const [insert, fill] = [own.prepare(text), kernels.prepare(text)];
  const [workflow, snapshot, events] = [WORKFLOW, SNAPSHOT, EVENTS].map((sql) =>
    kernels.prepare(sql.replaceAll("$", "?")),
  ) as [StatementSync, StatementSync, StatementSync];
  return {
    insert: (row) => insert.run(...listValues(row)),
    select(workflow_id) {
      workflow.get(workflow_id);
      const found = snapshot.get(workflow_id) as unknown as RestoreRows["snapshot"];
      events.all(workflow_id, found.last_event_seq - 1, 1);
      return {
        snapshot: found,
        events: events.all(workflow_id, found.last_event_seq, PAGE) as unknown as RestoreRows["events"],
      };
    },
    writeMany(rows) {
      kernels.exec("BEGIN IMMEDIATE");
      for (const row of rows) fill.run(...listValues(row));
      kernels.exec("COMMIT");
    },
    setHead: (...values) => kernels.prepare(HEAD.replaceAll("$", "?")).run(...values),
    close() {
      own.close();
      kernels.close();
    },
  };
}

async function postgresSubject({ url }: PrivatePostgres): Promise<Subject> {
  const store = await openPostgresStore({ connectionString: url, schema: "kernel" });
  await (await openPostgresStore({ connectionString: url, schema: "bare" })).close();
  // Texts as they come: nothing is parsed that the SELECT would be charged with.
  const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;
  const own = new pg.Client({ connectionString: url, options: "-c search_path=bare", types });
  const kernels = new pg.Client({ connectionString: url, options: "-c search_path=kernel", types });
  await Promise.all([own.connect(), kernels.connect()]);
  return { name: "PostgreSQL", store, bare: barePostgres(own, kernels), url };
}

/** The INSERT of one row, for any connection. */
export function insertQuery(row: EventRow): pg.QueryConfig {
  return {
    name: "insert",
    text: `INSERT INTO events (${COLUMN_LIST}) VALUES (${EVENT_COLUMNS.map((_, at) => `$${at + 1}`).join(", ")})`,
    values: listValues(row),
  };
}

const TYPES = ["uuid", "uuid", "bigint", "text", "jsonb", "timestamptz", "text", "text", "text"];

function barePostgres(own: pg.Client, kernels: pg.Client): BareSql {
  const unnested = `INSERT INTO events (${COLUMN_LIST}) SELECT * FROM unnest(${TYPES.map((type, at) => `$${at + 1}::${type}[]`).join(", ")})`;
  const asked = async (name: string, text: string, values: readonly unknown[]): Promise<unknown[]> =>
    (await kernels.query({ name, text, values: [...values] })).rows;
  return {
    insert: (row) => own.query(insertQuery(row)),
    async select(workflow_id) {
      await asked("workflow", WORKFLOW, [workflow_id]);
      const [found] = (await asked("snapshot", SNAPSHOT, [workflow_id])) as RestoreRows["snapshot"][];
      const last_event_seq = Number(found!.last_event_seq);
      await asked("events", EVENTS, [workflow_id, last_event_seq - 1, 1]);
      return {
        snapshot: found!,
        events: (await asked("events", EVENTS, [workflow_id, last_event_seq, PAGE])) as RestoreRows["events"],
      };
    },
    writeMany: (rows) =>
      kernels.query({
        name: "fill",
        text: unnested,
        values: EVENT_COLUMNS.map((name) => rows.map((row) => row[name])),
      }),
    setHead: (...values) => kernels.query(HEAD, values),
    close: () => Promise.all([own.end(), kernels.end()]),
  };
}

function listValues(row: EventRow): (string | number)[] {
  return EVENT_COLUMNS.map((name) => row[name]);
}

/** Rows like that one, at the positions behind it, of a workflow of their own. */
export function rowsLike(template: EventRow): () => EventRow {
  const workflow_id = randomUUID();
  let event_seq = template.event_seq;
  return () => ({ ...template, workflow_id, event_id: randomUUID(), event_seq: ++event_seq });
}
