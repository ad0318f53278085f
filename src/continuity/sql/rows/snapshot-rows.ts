import type { Kysely } from "kysely";
import type { SnapshotRow } from "../../ledger/store.ts";
import type { ContinuityTables } from "./tables.ts";

/** How many surplus snapshots are removed at once; more follow with the next snapshot. */
const MOST_REMOVED = 1000;

/** Returns all snapshots of a workflow, the oldest first. */
export function selectSnapshots(db: Kysely<ContinuityTables>, workflow_id: string): Promise<SnapshotRow[]> {
  return db
    .selectFrom("snapshots")
    .selectAll()
    .where("workflow_id", "=", workflow_id)
    .orderBy("last_event_seq")
    .execute();
}

export function selectLatestSnapshot(
  db: Kysely<ContinuityTables>,
  workflow_id: string,
): Promise<SnapshotRow | undefined> {
  return db
    .selectFrom("snapshots")
    .selectAll()
    .where("workflow_id", "=", workflow_id)
    .orderBy("last_event_seq", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Writes a snapshot that is not there yet. */
export async function insertSnapshot(db: Kysely<ContinuityTables>, snapshot: SnapshotRow): Promise<void> {
  await db
    .insertInto("snapshots")
    .values(snapshot)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes the snapshots of a workflow beyond the newest `keep`; returns the removed ones. */
export async function removeSurplus(
  db: Kysely<ContinuityTables>,
  workflow_id: string,
  keep: number,
): Promise<SnapshotRow[]> {
  const surplus = await db
    .selectFrom("snapshots")
    .selectAll()
    .where("workflow_id", "=", workflow_id)
    .orderBy("last_event_seq", "desc")
    .limit(MOST_REMOVED)
    .offset(keep)
    .execute();
  const ids = surplus.map(({ snapshot_id }) => snapshot_id);
  if (ids.length > 0) await db.deleteFrom("snapshots").where("snapshot_id", "in", ids).execute();
  return surplus;
}

/** Removes all snapshots of a workflow. */
export async function removeAllSnapshots(db: Kysely<ContinuityTables>, workflow_id: string): Promise<void> {
  await db.deleteFrom("snapshots").where("workflow_id", "=", workflow_id).execute();
}
