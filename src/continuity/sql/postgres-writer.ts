import { CompiledQuery, type Kysely } from "kysely";
import type pg from "pg";
import type { CommitOutcome } from "../ledger/store.ts";
import { pgClient } from "./pg-client.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import { type Statement, formatStatement } from "./rows/commit-rows.ts";
import type { ContinuityTables } from "./rows/tables.ts";
import type { Held } from "./sql-store.ts";

type Db = Kysely<ContinuityTables>;

/** Ends a transaction without a write; not an error. */
class GivenUp extends Error {
  readonly outcome: CommitOutcome;

  constructor(outcome: CommitOutcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

/**
 * Returns a function that writes a commit: by one statement, in one round trip, unless the lease changes, which takes a
 * transaction. In the given transaction, if there is one, which ends with that one statement.
 */
export function postgresWriter(
  pool: PostgresPool,
  db: Db,
  crashPoint: (name: string) => void,
): (statements: readonly Statement[], held: Held | undefined) => Promise<CommitOutcome> {
  /** Connections to the server itself, whose statements it may keep: a pooler would give them to another client. */
  const direct = new WeakSet<pg.PoolClient>();
  const atOnce = async (statements: readonly Statement[]): Promise<CommitOutcome> => {
    const { text, values } = joined(statements);
    const name = statements.map((statement) => statement.name).join("-");
    const client = await pool.connect();
    let failed = true;
    try {
      const known = direct.has(client);
      const written = await client.query<{ pid: number }>({
        text: withPlaces(text, (at) => `$${at + 1}`),
        values: [...values],
        ...(known ? { name } : {}),
      });
      failed = false;
      // A pooler tells each client a process id that is no backend's.
      if (!known && written.rows[0]?.pid === (client as { processID?: number }).processID) direct.add(client);
      return written.rows.length === 1 ? "committed" : "stale";
    } finally {
      client.release(failed);
    }
  };
  const oneByOne = async (statements: readonly Statement[], transaction: Db): Promise<CommitOutcome> => {
    for (const statement of statements) {
      const text = withPlaces(formatStatement(statement), (at) => `$${at + 1}`);
      const { numAffectedRows } = await transaction.executeQuery(CompiledQuery.raw(text, [...statement.values]));
      if (numAffectedRows === 0n && statement.otherwise) return statement.otherwise;
      if (statement.name === "event") crashPoint("commit:event-written");
    }
    crashPoint("commit:all-written");
    return "committed";
  };
  return async (statements, held) => {
    const isOne = statements.every(({ name }) => name !== "acquire" && name !== "release");
    if (isOne && !held) return atOnce(statements);
    if (isOne && held) {
      const { text, values } = joined(statements);
      // Several statements in one text have no parameters. The others wait until the end of the transaction.
      const whole = `${withPlaces(text, (at) => literal(values[at]))}; COMMIT`;
      try {
        const { rows } = await held.db.executeQuery(CompiledQuery.raw(whole));
        return rows.length === 1 ? "committed" : "stale";
      } finally {
        held.isOver = true;
      }
    }
    if (held) {
      const outcome = await oneByOne(statements, held.db);
      held.isSpoilt ||= outcome !== "committed";
      return outcome;
    }
    return db
      .transaction()
      .execute(async (transaction) => {
        const outcome = await oneByOne(statements, transaction);
        if (outcome !== "committed") throw new GivenUp(outcome);
        return outcome;
      })
      .catch((error: unknown) => {
        if (error instanceof GivenUp) return error.outcome;
        throw error;
      });
  };
}

/** Returns the statements as one, which writes nothing where the first one changes no row. */
function joined([head, event, ...parts]: readonly Statement[]): Pick<Statement, "values"> & { readonly text: string } {
  const inserts = parts.map((part) => `, ${part.name} AS (${formatStatement(part, "head")})`);
  return {
    text:
      `WITH head AS (${formatStatement(head!)} RETURNING workflow_id)${inserts.join("")} ` +
      `${formatStatement(event!, "head")} RETURNING pg_backend_pid() AS pid`,
    values: [head!, ...parts, event!].flatMap(({ values }) => values),
  };
}

/** Returns a text with something else in the place of each value. */
function withPlaces(text: string, place: (at: number) => string): string {
  return text.split("?").reduce((before, rest, at) => before + place(at - 1) + rest);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  return typeof value === "number" ? String(value) : pgClient().escapeLiteral(String(value));
}
