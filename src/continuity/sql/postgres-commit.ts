import { CompiledQuery, type Kysely } from "kysely";
import pg from "pg";
import type { Commit, CommitOutcome, ResultRow } from "../ledger/store.ts";
import { ATTEMPT, COMPLETION, EVENT_COLUMNS, valuesOf } from "./rows/columns.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import type { ContinuityTables } from "./rows/tables.ts";

/** The rows of a commit that are written with the event by one statement. */
export type CommitRows = Pick<Commit, "event" | "attempt" | "completion" | "result">;

const TABLES = {
  attempt: "step_attempts",
  completion: "completed_steps",
  result: "step_results",
} as const satisfies Partial<Record<keyof CommitRows, keyof ContinuityTables>>;
const COLUMNS = {
  attempt: ATTEMPT,
  completion: COMPLETION,
  result: ["checksum", "content"] satisfies (keyof ResultRow)[],
} as const;
const PARTS = ["attempt", "completion", "result"] as const;
/** The columns of the event, and the checksum of the one before. */
const VALUES_OF_AN_EVENT = 10;
type Part = (typeof PARTS)[number];

/**
 * Returns a function that writes position, event and what belongs to the event in one statement: one round trip instead
 * of four. In a transaction, if one is given, which ends with the statement.
 */
export function postgresCommitter(
  pool: PostgresPool,
  schema: string,
): (commit: Commit, transaction?: Kysely<ContinuityTables>) => Promise<CommitOutcome> | undefined {
  const texts = new Map<string, string>();
  /** Connections to the server itself, whose statements it may keep: a pooler would give them to another client. */
  const direct = new WeakSet<pg.PoolClient>();
  const write = async (rows: CommitRows, transaction?: Kysely<ContinuityTables>): Promise<CommitOutcome> => {
    const parts = PARTS.filter((part) => rows[part] !== undefined);
    const name = ["commit", ...parts].join("-");
    const text = texts.get(name) ?? statement(schema, parts);
    texts.set(name, text);
    const { values: event, previous } = valuesOf(rows.event);
    const values = [...event, previous, ...parts.flatMap((part) => cellsOf(rows, part))];
    if (transaction) {
      // Several statements in one text have no parameters. The others wait until the end of the transaction.
      const whole = `${text.replaceAll(PARAMETER, (_, at) => literal(values[Number(at) - 1]))}; COMMIT`;
      const { rows: written } = await transaction.executeQuery(CompiledQuery.raw(whole));
      return written.length === 1 ? "committed" : "stale";
    }
    const client = await pool.connect();
    let failed = true;
    try {
      const known = direct.has(client);
      const written = await client.query<{ pid: number }>({ text, values, ...(known ? { name } : {}) });
      failed = false;
      // A pooler tells each client a process id that is no backend's.
      if (!known && written.rows[0]?.pid === (client as { processID?: number }).processID) direct.add(client);
      return written.rows.length === 1 ? "committed" : "stale";
    } finally {
      client.release(failed);
    }
  };
  // A lease that is held undoes the rest of its commit: that takes a transaction.
  return (commit, transaction) => (commit.acquire || commit.release ? undefined : write(commit, transaction));
}

const PARAMETER = /\$(\d+)/g;

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  return typeof value === "number" ? String(value) : pg.escapeLiteral(String(value));
}

function cellsOf(rows: CommitRows, part: Part): unknown[] {
  const row = rows[part] as Readonly<Record<string, unknown>> | undefined;
  return COLUMNS[part].map((column) => row?.[column]);
}

function statement(schema: string, parts: readonly Part[]): string {
  let at = VALUES_OF_AN_EVENT;
  const inserts = parts.map((part) => {
    const columns = COLUMNS[part].join(", ");
    const values = COLUMNS[part].map(() => `$${++at}`).join(", ");
    const conflict = part === "result" ? " ON CONFLICT DO NOTHING" : "";
    return `, ${part} AS (INSERT INTO "${schema}".${TABLES[part]} (${columns}) SELECT ${values} FROM head${conflict})`;
  });
  return `
    WITH head AS (
      UPDATE "${schema}".workflows SET last_event_seq = $3, head_checksum = $9
      WHERE workflow_id = $2 AND last_event_seq = $3::bigint - 1 AND head_checksum IS NOT DISTINCT FROM $10
        AND NOT EXISTS (SELECT 1 FROM "${schema}".events WHERE event_id = $1)
      RETURNING workflow_id
    )${inserts.join("")}
    INSERT INTO "${schema}".events (${EVENT_COLUMNS})
    SELECT $1, head.workflow_id, $3, $4, $5, $6, $7, $8, $9 FROM head
    RETURNING pg_backend_pid() AS pid`;
}
