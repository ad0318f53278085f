import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { SnapshotRow } from "../../ledger/store.ts";
import { checksumBefore } from "./event-rows.ts";
import type { ColumnTypes } from "./schema.ts";
import type { ContinuityTables } from "./tables.ts";

const STEPS = "step%";

/** The position on which a ledger begins, as a query. */
export function baseOf(
  db: Kysely<ContinuityTables>,
  workflow_id: string,
): SelectQueryBuilder<ContinuityTables, "workflows", { base_event_seq: number }> {
  return db.selectFrom("workflows").select("base_event_seq").where("workflow_id", "=", workflow_id);
}

/** Lets a ledger begin on a snapshot. */
export async function beginOn(db: Kysely<ContinuityTables>, snapshot: SnapshotRow): Promise<void> {
  const { workflow_id, last_event_seq } = snapshot;
  await db
    .insertInto("snapshots")
    .values(snapshot)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .updateTable("workflows")
    .set({ base_event_seq: last_event_seq })
    .where("workflow_id", "=", workflow_id)
    .execute();
}

/** Removes what is before a snapshot, on which the ledger then begins. */
export async function removeBefore(
  db: Kysely<ContinuityTables>,
  snapshot: SnapshotRow,
  { withPrevious }: Pick<ColumnTypes, "withPrevious">,
): Promise<void> {
  const { workflow_id, last_event_seq } = snapshot;
  await beginOn(db, snapshot);
  await db
    .deleteFrom("snapshots")
    .where("workflow_id", "=", workflow_id)
    .where("last_event_seq", "<", last_event_seq)
    .execute();
  // An event that stays when the one before it goes repeats that one's checksum from now on.
  const [opening, closing] = withPrevious;
  await db
    .updateTable("events")
    .set((eb) => ({ payload: sql<string>`${sql.raw(opening)}${checksumBefore(eb)}${sql.raw(closing)}` }))
    .where("workflow_id", "=", workflow_id)
    .where("event_seq", "<=", last_event_seq)
    .where((eb) => eb.or([eb("event_seq", "=", last_event_seq), eb("event_type", "like", STEPS)]))
    .where((eb) =>
      eb.exists(checksumBefore(eb).where("before.event_seq", ">", 1).where("before.event_type", "not like", STEPS)),
    )
    .execute();
  await db
    .deleteFrom("events")
    .where("workflow_id", "=", workflow_id)
    .where("event_seq", "<", last_event_seq)
    // Who created a project is read from its first event.
    .where("event_seq", ">", 1)
    .where("event_type", "not like", STEPS)
    .execute();
}
