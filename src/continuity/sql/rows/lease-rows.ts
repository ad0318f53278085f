/** The times in the rows of leases, by the clock that decides. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Heartbeat, LeaseClock, LeaseRow } from "../../ledger/store.ts";
import type { ContinuityTables } from "./tables.ts";

type Time = string | RawBuilder<string>;

/**
 * The database's time, when the statement came. One time in the whole statement; never later than when the statement is
 * carried out, so that a lease does not end earlier for others than for its holder.
 */
const NOW = sql<string>`date_trunc('milliseconds', statement_timestamp())`;

/** The database's time, as much later as `to` is than `from`. */
function ahead(from: string, to: string): RawBuilder<string> {
  const milliseconds = Date.parse(to) - Date.parse(from);
  return sql<string>`date_trunc('milliseconds', statement_timestamp()) + ${milliseconds} * interval '1 millisecond'`;
}

/** Returns the columns of a lease that is prolonged. */
export function prolonged(
  clock: LeaseClock,
  { at, lease_expires_at }: Pick<Heartbeat, "at" | "lease_expires_at">,
): { readonly heartbeat_at: Time; readonly lease_expires_at: Time } {
  return clock === "database"
    ? { heartbeat_at: NOW, lease_expires_at: ahead(at, lease_expires_at) }
    : { heartbeat_at: at, lease_expires_at };
}

/** Returns the columns of a lease that is released: it ends with its last heartbeat. */
export function released(
  clock: LeaseClock,
  at: string,
): { readonly heartbeat_at: Time; readonly lease_expires_at: Time } {
  const now = clock === "database" ? NOW : at;
  return { heartbeat_at: now, lease_expires_at: now };
}

/**
 * Gives the lease to one owner; one statement, so that of two only one gets it. The row stays, with a token that only
 * grows, until the project is removed.
 */
export async function takeLease(
  db: Kysely<ContinuityTables>,
  lease: LeaseRow,
  takeOverFrom: string | undefined,
  clock: LeaseClock,
): Promise<boolean> {
  const times =
    clock === "database"
      ? { acquired_at: NOW, heartbeat_at: NOW, lease_expires_at: ahead(lease.acquired_at, lease.lease_expires_at) }
      : {};
  const { workflow_id, ...columns } = lease;
  const taken = await db
    .insertInto("workflow_leases")
    .values({ ...lease, ...times })
    .onConflict((conflict) =>
      conflict
        .column("workflow_id")
        .doUpdateSet({ ...columns, ...times })
        .where(({ eb, or }) =>
          or([
            eb("workflow_leases.lease_expires_at", "<=", clock === "database" ? NOW : lease.acquired_at),
            ...(takeOverFrom === undefined ? [] : [eb("workflow_leases.owner_id", "=", takeOverFrom)]),
          ]),
        )
        .where("workflow_leases.fencing_token", "<", lease.fencing_token),
    )
    .returning("workflow_id")
    .executeTakeFirst();
  return taken?.workflow_id === workflow_id;
}

/** Returns the database's time. */
export async function databaseTime(db: Kysely<ContinuityTables>): Promise<string> {
  const { rows } = await sql<{ readonly now: string | Date }>`select ${NOW} as now`.execute(db);
  return new Date(rows[0]!.now).toISOString();
}
