/** The database access that the removal of a project needs, separate from the store, whose ledgers only grow. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeSqlite, rollBack } from "../../base/sqlite/node-sqlite.ts";
import { continuityError } from "../base/errors.ts";
import { pgClient } from "./pg-client.ts";
import { openPostgresStore, type PostgresOptions } from "./postgres.ts";
import { readPostgresAddress } from "./postgres-address.ts";
import { postgresErrors } from "./postgres-errors.ts";
import { connectionSettings, limitAnswers } from "./postgres-pool.ts";
import { asContinuityError, openSqliteDatabase } from "./sqlite.ts";
import type { ContinuityTables } from "./rows/tables.ts";

/**
 * Location of the tables: a SQLite file, or a schema of a PostgreSQL server; and of their anchor, unless it is beside.
 */
export type TablesPlace = { readonly anchor?: { readonly file: string } | undefined } & (
  | { readonly file: string }
  | (Pick<PostgresOptions, "connectionString" | "schema"> & { readonly file?: undefined })
);

type Row = Readonly<Record<string, unknown>>;

/** One connection to the tables. `?` is the placeholder of values. */
export interface Erasure {
  all(text: string, ...values: SQLInputValue[]): Promise<readonly Row[]>;
  /** Runs work in one transaction without concurrent writers: all of it is written, or nothing. */
  transaction<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The time, in milliseconds since 1970, of the clock that decides when a lease ends. */
  now(): Promise<number>;
  /** Erases deleted data from the files; resolves to the reason when that is not possible now. */
  tidy(): Promise<string | undefined>;
  close(): Promise<void>;
}

const BUSY_TIMEOUT_MS = 5000;
const PAUSE_MS = 50;
const DEFAULT_SCHEMA = "continuity";
/** What one statement on a large project may take. */
const ANSWER_MS = 10 * 60_000;
const TABLES = [
  "workflows",
  "events",
  "snapshots",
  "step_attempts",
  "completed_steps",
  "step_results",
  "workflow_leases",
] as const satisfies readonly (keyof ContinuityTables)[];

/** Opens existing tables. Throws a ContinuityError as the stores do; `not-found` when there are none. */
export async function openErasure(place: TablesPlace): Promise<Erasure> {
  return place.file === undefined ? postgresErasure(place) : sqliteErasure(place.file);
}

function sqliteErasure(file: string): Erasure {
  const sqlite = nodeSqlite();
  if (!sqlite)
    throw continuityError("no-sqlite", {
      expected: "a Node with node:sqlite (22.13 or later)",
      found: `Node ${process.version}`,
      todo: "Use a newer Node.",
    });
  const database: DatabaseSync = openSqliteDatabase(sqlite, { file, mustExist: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
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
      } catch (error) {
        rollBack(database);
        throw error;
      }
    },
    now: async () => Date.now(),
    async tidy() {
      // Rewrites the file: SQLite copies rows from page to page as tables grow, and zeroes only the last copy of a
      // deleted row.
      attempt(file, () => database.exec("PRAGMA temp_store = MEMORY; VACUUM"));
      await all("PRAGMA wal_checkpoint(PASSIVE)");
      // SQLite waits for readers, and not for a checkpoint that another process makes.
      for (const end = performance.now() + BUSY_TIMEOUT_MS; ; await sleep(PAUSE_MS)) {
        const [checkpoint] = await all("PRAGMA wal_checkpoint(TRUNCATE)");
        if (checkpoint?.["busy"] === 0) return undefined;
        if (performance.now() >= end)
          return `another process reads ${file}, so that its write-ahead log still holds what was deleted`;
      }
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
  // Checks that the schema exists and has the tables that are used here.
  await (
    await openPostgresStore({
      ...(connectionString === undefined ? {} : { connectionString }),
      schema,
      mustExist: true,
      connections: 1,
    })
  ).close();
  const address = readPostgresAddress(connectionString);
  const { asError } = postgresErrors(address.masked);
  const client = new (pgClient().Client)({
    ...connectionSettings(address),
    connectionTimeoutMillis: Math.min(address.connectTimeoutMs, ANSWER_MS),
  });
  client.on("error", () => undefined);
  limitAnswers(client, () => ANSWER_MS);
  const query = async (text: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } catch (error) {
      throw asError(error);
    }
  };
  await client.connect().catch((error: unknown) => {
    throw asError(error, true);
  });
  // A pooler may give each transaction another session, so the schema is named in each.
  const inTransaction = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    await query(`BEGIN; SET LOCAL search_path = "${schema}"`);
    try {
      const value = await work();
      await query("COMMIT");
      return value;
    } catch (error) {
      await query("ROLLBACK").catch(() => undefined);
      throw error;
    }
  };
  let isOpen = false;
  const all: Erasure["all"] = (text, ...values) => {
    let at = 0;
    const numbered = text.replaceAll("?", () => `$${++at}`);
    return isOpen ? query(numbered, values) : inTransaction(() => query(numbered, values));
  };
  return {
    all,
    transaction: (work) =>
      inTransaction(async () => {
        isOpen = true;
        try {
          // A transaction that stores a result shared with another project is complete when this lock is granted, or
          // waits for it.
          await all("LOCK TABLE step_results, completed_steps IN SHARE ROW EXCLUSIVE MODE");
          return await work();
        } finally {
          isOpen = false;
        }
      }),
    async now() {
      const [row] = await query("SELECT statement_timestamp() AS now");
      return Date.parse(String(row?.["now"]));
    },
    async tidy() {
      // Only the tables: the server's write-ahead log, replicas and backups are its operator's. Fails without the right
      // to vacuum, which is then also left to the operator.
      const tables = TABLES.map((table) => `"${schema}".${table}`).join(", ");
      await query(`VACUUM ${tables}`).catch(() => undefined);
      return undefined;
    },
    close: () => client.end(),
  };
}
