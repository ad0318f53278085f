/** The times in the rows of leases, by the clock that decides. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Heartbeat, LeaseClock } from "../../ledger/store.ts";
import type { ContinuityTables } from "./tables.ts";

type Time = string | RawBuilder<string>;

/**
 * PostgreSQL's time, when the statement came. One time in the whole statement; never later than when the statement is
 * carried out, so that a lease does not end earlier for others than for its holder.
 */
export const NOW = "date_trunc('milliseconds', statement_timestamp())";
/** The database's time, a number of milliseconds later. */
export const AHEAD = `${NOW} + ? * interval '1 millisecond'`;

/** Returns the columns of a lease that is prolonged. */
export function prolonged(
  clock: LeaseClock,
  { at, lease_expires_at }: Pick<Heartbeat, "at" | "lease_expires_at">,
): { readonly heartbeat_at: Time; readonly lease_expires_at: Time } {
  if (clock === "caller") return { heartbeat_at: at, lease_expires_at };
  const milliseconds = Date.parse(lease_expires_at) - Date.parse(at);
  return {
    heartbeat_at: sql<string>`${sql.raw(NOW)}`,
    lease_expires_at: sql<string>`${sql.raw(NOW)} + ${milliseconds} * interval '1 millisecond'`,
  };
}

/** Returns the database's time. */
export async function databaseTime(db: Kysely<ContinuityTables>): Promise<string> {
  const { rows } = await sql<{ readonly now: string | Date }>`select ${sql.raw(NOW)} as now`.execute(db);
  return new Date(rows[0]!.now).toISOString();
}
