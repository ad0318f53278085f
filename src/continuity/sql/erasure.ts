/** What removing a project needs of either database; apart from the store, whose ledgers are only ever added to. */
import pg from "pg";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { nodeSqlite } from "../../base/node-sqlite.ts";
import { continuityError } from "../base/errors.ts";
import { openPostgresStore, type PostgresOptions } from "./postgres.ts";
import { asContinuityError, openSqliteDatabase } from "./sqlite.ts";

/** Where the tables are: a SQLite file, or a schema of a PostgreSQL server. */
export type TablesPlace =
  | { readonly file: string }
  | (Pick<PostgresOptions, "connectionString" | "schema"> & { readonly file?: undefined });

type Row = Readonly<Record<string, unknown>>;

/** One connection to the tables. `?` stands for values. */
export interface Erasure {
  all(text: string, ...values: SQLInputValue[]): Promise<readonly Row[]>;
  /** In one transaction that nobody else writes beside: all of it or nothing. */
  transaction<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Leaves nothing in the files of what was deleted; why not, where that cannot be done now. */
  tidy(): Promise<string | undefined>;
  close(): Promise<void>;
}

const PATIENCE_MS = 5000;
const DEFAULT_SCHEMA = "continuity";

/** Opens tables that are there. Throws a ContinuityError as the stores do; `not-found` where there are none. */
export async function openErasure(place: TablesPlace): Promise<Erasure> {
  return place.file === undefined ? postgresErasure(place) : sqliteErasure(place.file);
}

function sqliteErasure(file: string): Erasure {
  const sqlite = nodeSqlite();
  if (!sqlite)
    throw continuityError("no-sqlite", {
      expected: "a Node with node:sqlite (22.13 or later)",
      found: `Node ${process.version}`,
      todo: "Run it with a newer Node.",
    });
  const database: DatabaseSync = openSqliteDatabase(sqlite, { file, mustExist: true, busyTimeoutMs: PATIENCE_MS });
  database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
  const all: Erasure["all"] = async (text, ...values) =>
    attempt(file, () => database.prepare(text).all(...values) as Row[]);
  return {
    all,
    async transaction(work) {
      attempt(file, () => database.exec("BEGIN IMMEDIATE"));
      try {
        const value = await work();
        attempt(file, () => database.exec("COMMIT"));
        return value;
      } finally {
        if (database.isTransaction) database.exec("ROLLBACK");
      }
    },
    async tidy() {
      // Rows are copied from page to page as tables grow, and only the last copy of one is zeroed when it is deleted:
      // the file is written anew.
      attempt(file, () => database.exec("PRAGMA temp_store = MEMORY; VACUUM"));
      await all("PRAGMA wal_checkpoint(PASSIVE)");
      const [checkpoint] = await all("PRAGMA wal_checkpoint(TRUNCATE)");
      return checkpoint?.["busy"] === 0
        ? undefined
        : `another process reads ${file}, so that its write-ahead log still holds what was deleted`;
    },
    close: async () => database.close(),
  };
}

function attempt<Value>(file: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw asContinuityError(error, file);
  }
}

async function postgresErasure({ connectionString, schema = DEFAULT_SCHEMA }: PostgresOptions): Promise<Erasure> {
  // That there is such a schema, and that it is of a version whose tables are known here.
  await (
    await openPostgresStore({
      ...(connectionString === undefined ? {} : { connectionString }),
      schema,
      mustExist: true,
      connections: 1,
    })
  ).close();
  const client = new pg.Client({
    ...(connectionString === undefined ? {} : { connectionString }),
    options: `-c search_path=${schema} -c timezone=UTC`,
  });
  client.on("error", () => undefined);
  await client.connect();
  const all: Erasure["all"] = async (text, ...values) => {
    let at = 0;
    return (
      await client.query<Row>(
        text.replaceAll("?", () => `$${++at}`),
        values,
      )
    ).rows;
  };
  return {
    all,
    async transaction(work) {
      await all("BEGIN");
      try {
        // Whoever is storing a result that one of another project shares has done so when this is granted, or waits.
        await all("LOCK TABLE step_results, completed_steps IN SHARE ROW EXCLUSIVE MODE");
        const value = await work();
        await all("COMMIT");
        return value;
      } catch (error) {
        await all("ROLLBACK").catch(() => undefined);
        throw error;
      }
    },
    async tidy() {
      // The rest is the server's: its write-ahead log, replicas and backups. So is this, where the user may not.
      const tables = "workflows, events, snapshots, step_attempts, completed_steps, step_results, workflow_leases";
      await all(`VACUUM ${tables}`).catch(() => undefined);
      return undefined;
    },
    close: () => client.end(),
  };
}
