import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { quotedInline, valueInline } from "../../base/quoted.ts";
import { AnchorFile } from "../anchor/anchor-file.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import type { CommitOutcome, ContinuityStore, EventRow } from "../ledger/store.ts";
import { EVENT_COLUMNS, valuesOf } from "./event-columns.ts";
import { notThere } from "./not-there.ts";
import { readPostgresAddress } from "./postgres-address.ts";
import { migrations, POSTGRES_TYPES } from "./schema.ts";
import { SqlStore } from "./sql-store.ts";
import type { ContinuityTables } from "./tables.ts";

/** Options of a PostgreSQL store. */
export interface PostgresOptions {
  /** `postgres://...`; when left out, the pg client reads its environment. */
  readonly connectionString?: string;
  /** The database schema of the tables, `continuity` by default; created if necessary. */
  readonly schema?: string;
  /** Throws `not-found` instead of creating the schema and its tables. */
  readonly mustExist?: boolean;
  /** Maximum number of connections, 10 by default. */
  readonly connections?: number;
  /**
   * Called with each warning for the author of the address, such as a connection to another machine without TLS, and when
   * an anchor cannot be written.
   */
  readonly warn?: ((warning: string) => void) | undefined;
  /** A file of this machine in which the ends of the ledgers are noted, so that an older copy of the store is noticed. */
  readonly anchor?: { readonly file: string } | undefined;
  readonly crashPoint?: (name: string) => void;
}

const { builtins } = pg.types;
/** Rows have the same types as from SQLite: whole numbers as numbers, times as ISO texts, JSON as text. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, safeInteger],
  [builtins.TIMESTAMPTZ, isoText],
  [builtins.JSONB, (text) => text],
]);

/**
 * A process that is suspended in the middle of a transaction blocks the others from its workflow: the server ends its
 * connection after this time.
 */
const IDLE_TIMEOUT_MS = 5000;

/** Lock that serialises migrations ("occo"). */
const MIGRATION_LOCK = 0x6f63636f;

/**
 * Opens the kernel's tables in PostgreSQL and migrates them to this version's schema. Several machines can share a
 * store: the second commit at a position reports `stale`. Throws a ContinuityError: `newer` for a schema of a later
 * version, `unavailable` when the server does not answer, `not-writable` when it refuses this user, `bad-input` for an
 * invalid address or schema name, `not-found` with `mustExist` when there is no such schema.
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
  const { schema = "continuity", mustExist = false, connections = 10, warn, crashPoint = () => undefined } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw continuityError("bad-input", {
      expected: "a schema name of lower-case letters, digits and _",
      found: valueInline(schema),
      todo: "Choose another name. Nothing was written.",
    });
  const {
    connectionString,
    options: serverOptions,
    connectTimeoutMs,
    warnings,
    masked,
  } = readPostgresAddress(options.connectionString);
  for (const warning of warnings) warn?.(warning);
  const asError = errorReader(masked);
  const pool = new pg.Pool({
    ...(connectionString === undefined ? {} : { connectionString }),
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    // After the options of the address: the last value of an option counts.
    options:
      `${serverOptions} -c search_path=${schema} -c timezone=UTC -c ` +
      `idle_in_transaction_session_timeout=${IDLE_TIMEOUT_MS}`,
    types: {
      getTypeParser: ((oid: number, format?: "text" | "binary") =>
        PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
    },
  });
  // A broken idle connection is replaced; the next query reports when no connection is possible.
  pool.on("error", () => undefined);
  // Without a listener, a connection that breaks between two statements of a transaction would end the process; the
  // next statement reports the break.
  pool.on("connect", (client) => void client.on("error", () => undefined));
  const db = new Kysely<ContinuityTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    if (mustExist) await assertThere(db, schema);
    await migrate(db, schema);
  } catch (error) {
    await db.destroy();
    throw asError(error, true);
  }
  return new SqlStore(
    db,
    {
      asError,
      anchor: options.anchor && new AnchorFile({ ...options.anchor, warn }),
      stepOfEvent: POSTGRES_TYPES.stepOfEvent,
      close: () => db.destroy(),
      commitEvent: (event) => commitEvent(pool, event),
    },
    crashPoint,
  );
}

const COMMIT_EVENT = `
  WITH head AS (
    UPDATE workflows SET last_event_seq = $3, head_checksum = $9 WHERE workflow_id = $2 AND last_event_seq = $3::bigint - 1 RETURNING workflow_id
  )
  INSERT INTO events (${EVENT_COLUMNS})
  SELECT $1, head.workflow_id, $3, $4, $5, $6, $7, $8, $9 FROM head`;

/** Writes position and event in one statement: one round trip instead of four. */
async function commitEvent(pool: pg.Pool, event: EventRow): Promise<CommitOutcome> {
  const { rowCount } = await pool.query({
    name: "commit-event",
    text: COMMIT_EVENT,
    values: valuesOf(event),
  });
  return rowCount === 1 ? "committed" : "stale";
}

async function assertThere(db: Kysely<ContinuityTables>, schema: string): Promise<void> {
  const { rows } = await db.executeQuery<{ name: string | null }>(
    CompiledQuery.raw("SELECT to_regclass($1)::text AS name", [`"${schema}".schema_versions`]),
  );
  if (rows[0]?.name) return;
  throw notThere(`schema ${schema}`, "no such schema");
}

async function migrate(db: Kysely<ContinuityTables>, schema: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const run = (sql: string): Promise<unknown> => transaction.executeQuery(CompiledQuery.raw(sql));
    await run(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    await run("CREATE TABLE IF NOT EXISTS schema_versions (version INT NOT NULL)");
    const version = (await transaction.selectFrom("schema_versions").select("version").executeTakeFirst())?.version;
    const steps = migrations(POSTGRES_TYPES);
    if (version === steps.length) return;
    if (version !== undefined && version > steps.length) {
      throw continuityError("newer", {
        expected: `a continuity schema of version ${steps.length} or older`,
        found: `version ${version} in schema ${schema}`,
        todo: "Use the newer openclaw-integrity that wrote the schema. The schema was not changed.",
      });
    }
    for (const statements of steps.slice(version ?? 0)) for (const statement of statements) await run(statement);
    if (version === undefined)
      await transaction.insertInto("schema_versions").values({ version: steps.length }).execute();
    else await transaction.updateTable("schema_versions").set({ version: steps.length }).execute();
  });
}

function safeInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw continuityError("damaged", {
    expected: "a number below 2^53",
    found: text,
    todo: "The store was changed from outside: restore it from a backup.",
  });
}

/**
 * Converts a time to ISO 8601. The kernel writes at most milliseconds; a more precise time is returned unchanged, so
 * that the comparison with the ledger reports the row.
 */
function isoText(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) || /\.\d{4}/.test(text) ? text : time.toISOString();
}

/**
 * SQLSTATE classes of a server that is stopping, starting or short of resources, and of transactions that can be
 * retried; 25P03: this process was suspended.
 */
const LATER = /^(?:08|53|57|58|40|25P03)/;

/** What to do about an unknown user, password or database, or a missing right. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^28P01/, "Check the user and the password: in the address, PGPASSWORD or ~/.pgpass."],
  [/^28/, "Check the user, and which users the server's pg_hba.conf admits."],
  [/^3D/, "Create the database, or name another one in the address."],
  [/^3F/, "The schema belongs to another user: ask that user to grant its use, or name another schema."],
  [/^42501/, "Give the user the right to create a schema in the database, and tables in it."],
];
/** SQLSTATE class of a violated constraint. */
const CONSTRAINT = "23";
const NO_PASSWORD = /password must be a (?:non-empty )?string/i;
const CERTIFICATE = /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS|ERR_SSL|EPROTO)/;
const LONGEST_REASON = 300;

/**
 * Returns a function that converts pg's errors to the kernel's, without the password. While a store is being opened,
 * every error is one of the server.
 */
function errorReader(mask: (text: string) => string): (error: unknown, isOpening?: boolean) => unknown {
  return (error, isOpening = false) => {
    if (error instanceof ContinuityError) return error;
    const { code: given, message } = error as { code?: unknown; message?: unknown };
    const code = typeof given === "string" ? given : "";
    const text = String(message);
    const found = quotedInline(mask(text === "" ? code : text), LONGEST_REASON);
    const refused =
      REFUSED.find(([states]) => states.test(code))?.[1] ??
      (NO_PASSWORD.test(text)
        ? "The server asks for a password: set PGPASSWORD, or write it into ~/.pgpass or the address."
        : undefined);
    if (refused !== undefined)
      return continuityError("not-writable", {
        expected: "PostgreSQL to let this user connect, read and write",
        found,
        todo: `${refused} Nothing was written.`,
        cause: error,
      });
    if (code.startsWith(CONSTRAINT) && !isOpening)
      return continuityError("damaged", {
        expected: "rows that fit those which are stored",
        found,
        todo: "The store was changed from outside: restore it from a backup. Nothing was written.",
        cause: error,
      });
    if (CERTIFICATE.test(code)) {
      return continuityError("unavailable", {
        expected: "a PostgreSQL server with a certificate that can be verified",
        found,
        todo:
          "Name the certificate file of its authority with sslrootcert in the address, and the server by the name " +
          "in its certificate; sslmode=require verifies both here, as verify-full does.",
        cause: error,
      });
    }
    if (/does not support SSL/i.test(text))
      return continuityError("unavailable", {
        expected: "a PostgreSQL server with TLS, as its address says",
        found,
        todo: "Turn TLS on at the server (ssl = on), or use sslmode=disable on a network where nobody can listen.",
        cause: error,
      });
    const isGone =
      code === ""
        ? /connection|terminat|timeout|closed|ended/i.test(text)
        : LATER.test(code) || /^E[A-Z_]+$/.test(code);
    const isServers =
      isOpening && !(error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError);
    if (!isGone && !isServers) return error;
    const todo =
      code === "ENOTFOUND" || code === "EAI_AGAIN"
        ? "Check the name of the host in the address."
        : "Check that the server runs and can be reached; the command retries for a while.";
    return continuityError("unavailable", {
      expected: "PostgreSQL to answer",
      found,
      todo: isOpening ? todo.replace("; the command retries for a while", "") : todo,
      cause: error,
    });
  };
}
