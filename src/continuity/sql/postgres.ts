import { Kysely } from "kysely";
import { valueInline } from "../../base/quoted.ts";
import { AnchorFile } from "../anchor/anchor-file.ts";
import { continuityError } from "../base/errors.ts";
import { sha256 } from "../base/json.ts";
import type { ContinuityStore, LeaseClock } from "../ledger/store.ts";
import { pgClient } from "./pg-client.ts";
import { Patience } from "./patience.ts";
import { readPostgresAddress } from "./postgres-address.ts";
import { postgresDialect } from "./postgres-dialect.ts";
import { postgresErrors } from "./postgres-errors.ts";
import { PostgresPool } from "./postgres-pool.ts";
import { postgresWriter } from "./postgres-writer.ts";
import { assertThere, createTables, readVersion } from "./postgres-tables.ts";
import { commitStatements } from "./rows/commit-rows.ts";
import { POSTGRES_TYPES } from "./rows/schema.ts";
import { SqlStore } from "./sql-store.ts";
import type { ContinuityTables } from "./rows/tables.ts";

/** Options of a PostgreSQL store. */
export interface PostgresOptions {
  /** `postgres://...`; when left out, the pg client reads its environment. */
  readonly connectionString?: string;
  /** The database schema of the tables, `continuity` by default; created if necessary. */
  readonly schema?: string;
  /** Throws `not-found` instead of creating the schema and its tables. */
  readonly mustExist?: boolean;
  /** For a reader, which never writes: nothing is created, and a missing schema throws `not-found`. */
  readonly readOnly?: boolean | undefined;
  /** Maximum number of connections, 10 by default. */
  readonly connections?: number;
  /**
   * Milliseconds that a call waits for a server that is away or does not answer, 30,000 by default; then the call
   * throws `unavailable`. A third of them, at most 10 s, is given to one request. Opening waits no longer than a
   * `connect_timeout` of the address.
   */
  readonly patienceMs?: number;
  /**
   * Whose clock decides when a lease ends: the server's, by default, so that the clocks of its clients do not matter;
   * or the caller's, as with SQLite.
   */
  readonly leaseClock?: LeaseClock;
  /**
   * Called with each warning for the author of the address, such as a connection to another machine without TLS, and
   * when an anchor cannot be written.
   */
  readonly warn?: ((warning: string) => void) | undefined;
  /**
   * A file of this machine in which the ends of the ledgers are noted, so that an older copy of the store is noticed.
   */
  readonly anchor?: { readonly file: string } | undefined;
  readonly crashPoint?: (name: string) => void;
}

const PATIENCE_MS = 30_000;
const [SHORTEST_PATIENCE_MS, LONGEST_PATIENCE_MS] = [100, 24 * 60 * 60 * 1000];

/**
 * A process that is suspended in the middle of a transaction blocks the others from its workflow: the server ends its
 * connection after this time.
 */
const IDLE_TIMEOUT_MS = 2000;

/**
 * Opens the kernel's tables in PostgreSQL, and creates them in a new schema. Several machines can share a store, also
 * through PgBouncer: the second commit at a position reports `stale`. Waits for a server that is away. Throws a
 * ContinuityError: `newer` for a schema of a later version, `unavailable` when the server does not answer,
 * `not-writable` when it refuses this user, `bad-input` for an invalid address or schema name, `not-found` with
 * `mustExist` when there is no such schema, `no-pg` without the package pg.
 *
 * @example
 * Needs a PostgreSQL server.
 * ```ts no-run
 * import assert from "node:assert/strict";
 * import { Continuity, openPostgresStore } from "openclaw-integrity/continuity";
 *
 * const store = await openPostgresStore({
 *   connectionString: "postgres://me@localhost/work",
 *   schema: "continuity",
 *   warn: (warning) => console.warn(warning),
 * });
 * const continuity = new Continuity({ store });
 * await continuity.project("site");
 * assert.ok((await continuity.projects()).includes("site"));
 * await continuity.close();
 * ```
 */
export async function openPostgresStore(options: PostgresOptions): Promise<ContinuityStore> {
  const {
    schema = "continuity",
    readOnly = false,
    mustExist = false,
    connections = 10,
    patienceMs = PATIENCE_MS,
    leaseClock = "database",
    warn,
    crashPoint = () => undefined,
  } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw continuityError("bad-input", {
      expected: "a schema name of lower-case letters, digits and _",
      found: valueInline(schema),
      todo: "Choose another name. Nothing was written.",
    });
  if (!(patienceMs >= SHORTEST_PATIENCE_MS && patienceMs <= LONGEST_PATIENCE_MS))
    throw continuityError("bad-input", {
      expected: `a patienceMs of ${SHORTEST_PATIENCE_MS} to ${LONGEST_PATIENCE_MS}`,
      found: valueInline(patienceMs),
      todo: "Nothing was opened.",
    });
  const { escapeLiteral } = pgClient();
  const address = readPostgresAddress(options.connectionString);
  for (const warning of address.warnings) warn?.(warning);
  const errors = postgresErrors(address.masked);
  const patience = new Patience(patienceMs, errors);
  const pool = new PostgresPool(address, { max: connections, tryMs: () => patience.tryMs });
  // A pooler gives the next transaction to another session: what holds for one is set in it.
  const begin =
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}; ` +
    `SET LOCAL lock_timeout = ${Math.ceil(patience.tryMs)}`;
  const unqualified = new Kysely<ContinuityTables>({ dialect: postgresDialect(pool, begin) });
  const db = unqualified.withSchema(schema);
  const openingMs = Math.min(patienceMs, address.connectTimeoutMs);
  const open = async (): Promise<void> => {
    try {
      if (mustExist || readOnly) await assertThere(db, schema);
      if (readOnly) await readVersion(db, schema);
      else await createTables(db, schema);
    } catch (error) {
      throw errors.asError(error, true);
    }
  };
  try {
    await patience.within(openingMs, () =>
      patience.untilAnswered(open, (error) =>
        warn?.(`waiting up to ${openingMs / 1000} s for the PostgreSQL server: ${(error as Error).message}`),
      ),
    );
  } catch (error) {
    await unqualified.destroy();
    throw error;
  }
  const write = postgresWriter(pool, db, crashPoint);
  const words = { schema: `"${schema}".`, isSame: "IS NOT DISTINCT FROM", leaseClock };
  return new SqlStore(
    db,
    {
      asError: errors.asError,
      anchor: options.anchor && new AnchorFile({ ...options.anchor, warn }),
      columns: POSTGRES_TYPES,
      leaseClock,
      patience,
      beginHolding: (workflow_id, { after, limit }) =>
        // The lock first: of those who wait for a row, all look again whenever one has changed it.
        `${begin}; SELECT pg_advisory_xact_lock(${lockNumber(`${schema}/${workflow_id}`)}); ` +
        `SELECT 1 FROM "${schema}".workflows WHERE workflow_id = ${escapeLiteral(workflow_id)} FOR UPDATE; ` +
        `SELECT *, (SELECT checksum FROM "${schema}".events AS before ` +
        `WHERE before.workflow_id = events.workflow_id AND before.event_seq = events.event_seq - 1 ` +
        `AND before.event_seq > 0) AS previous_checksum FROM "${schema}".events ` +
        `WHERE workflow_id = ${escapeLiteral(workflow_id)} AND event_seq > ${Math.trunc(after)} ` +
        `ORDER BY event_seq LIMIT ${Math.trunc(limit)}`,
      close: () => unqualified.destroy(),
      write: (commit, held) => write(commitStatements(commit, words), held),
    },
    crashPoint,
  );
}

/** The number of the advisory lock of a workflow. */
function lockNumber(name: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${sha256(name).slice(0, 16)}`));
}
