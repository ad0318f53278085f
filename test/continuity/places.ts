import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { type ContinuityStore, openPostgresStore, openSqliteStore } from "../../src/continuity/index.ts";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { newFolder } from "../../harness/temporary.ts";

export type Row = Record<string, unknown>;

/** A database with room for one store: a SQLite file, or a schema of a PostgreSQL server. */
export interface Place {
  readonly kind: "sqlite" | "postgres";
  /** What a process of its own opens it with. */
  readonly options: { readonly file: string } | { readonly connectionString: string; readonly schema: string };
  /** Opens the kernel's store on it; a second one is as another process. */
  open(crashPoint?: (name: string) => void): Promise<ContinuityStore>;
  /** Reaches around the store, as whoever tampers does. `?` stands for values. */
  sql(text: string, ...values: SQLInputValue[]): Promise<Row[]>;
}

/** A kind of database that a suite runs on. */
export interface Kind {
  readonly kind: Place["kind"];
  /** Why it is left out here, for the title; undefined when it is not. */
  readonly skip: string | undefined;
  /** For the title of a suite. */
  readonly title: string;
  /** A new, empty place; in tests and hooks of the file that called `kinds`. */
  place(): Promise<Place>;
}

/**
 * Both kinds; registers what starts and ends them for the test file that calls it. One PostgreSQL server runs for the
 * file.
 */
export function kinds(): readonly Kind[] {
  let server: PrivatePostgres | undefined;
  const closing: (() => unknown)[] = [];
  const skip = whyNoPostgres();
  beforeAll(async () => {
    if (skip === undefined) server = await startPostgres();
  });
  afterAll(async () => {
    try {
      for (const close of closing.toReversed()) await close();
    } finally {
      await server?.stop();
    }
  });
  return [
    { kind: "sqlite", skip: undefined, title: "SQLite", place: async () => sqlitePlace(closing) },
    {
      kind: "postgres",
      skip,
      title: skip === undefined ? "PostgreSQL" : `PostgreSQL: ${skip}`,
      place: async () => postgresPlace(server!.url, closing),
    },
  ];
}

function sqlitePlace(closing: (() => unknown)[]): Place {
  const folder = newFolder();
  const file = join(folder, "continuity.sqlite");
  return {
    kind: "sqlite",
    options: { file },
    open: async (crashPoint) => closed(openSqliteStore({ file, ...(crashPoint ? { crashPoint } : {}) }), closing),
    sql: async (text, ...values) => {
      const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
      try {
        return database.prepare(text).all(...values) as Row[];
      } finally {
        database.close();
      }
    },
  };
}

function postgresPlace(connectionString: string, closing: (() => unknown)[]): Place {
  const schema = `s_${randomUUID().replaceAll("-", "_")}`;
  let pool: pg.Pool | undefined;
  return {
    kind: "postgres",
    options: { connectionString, schema },
    open: async (crashPoint) =>
      closed(
        await openPostgresStore({
          connectionString,
          schema,
          connections: 4,
          // These tests decide the time.
          leaseClock: "caller",
          ...(crashPoint ? { crashPoint } : {}),
        }),
        closing,
      ),
    sql: async (text, ...values) => {
      if (!pool) {
        // Session replication role: as SQLite without foreign keys.
        pool = new pg.Pool({
          connectionString,
          max: 1,
          options: `-c search_path=${schema} -c timezone=UTC -c session_replication_role=replica`,
        });
        // A connection that is ending still hears that its server stops, with nobody else to listen.
        pool.on("connect", (client) => void client.on("error", () => undefined));
        pool.on("error", () => undefined);
        closing.push(() => pool?.end());
      }
      let at = 0;
      return (
        await pool.query(
          text.replaceAll("?", () => `$${++at}`),
          values,
        )
      ).rows as Row[];
    },
  };
}

function closed(store: ContinuityStore, closing: (() => unknown)[]): ContinuityStore {
  closing.push(() => store.close());
  return store;
}
