/**
 * Events as the tables hold them: their payload in the short form, which does not repeat the checksum of the event
 * before.
 */
import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { EventRow } from "../../ledger/store.ts";
import { toStore, wholePayload } from "./event-payload.ts";
import type { ContinuityTables } from "./tables.ts";

/**
 * An event with what its short form leaves out: the checksum of the event before; null where the tables do not have
 * that one.
 */
export type StoredEvent = EventRow & { readonly previous_checksum: string | null };

/** A query of events, to be read with {@link toEventRow}. */
export function selectEvents(
  db: Kysely<ContinuityTables>,
): SelectQueryBuilder<ContinuityTables, "events", StoredEvent> {
  return db
    .selectFrom("events")
    .selectAll("events")
    .select((eb) => checksumBefore(eb).as("previous_checksum"));
}

/** The checksum of the event before that of the outer query. */
function checksumBefore(eb: ExpressionBuilder<ContinuityTables, "events">) {
  return (
    eb
      .selectFrom("events as before")
      .select("before.checksum")
      .whereRef("before.workflow_id", "=", "events.workflow_id")
      .where("before.event_seq", "=", sql<number>`${sql.ref("events.event_seq")} - 1`)
      // Nothing that a damaged table has before the first event is the event before it.
      .where("before.event_seq", ">", 0)
  );
}

/** Returns the event that a row holds. */
export function toEventRow({ previous_checksum, ...row }: StoredEvent): EventRow {
  return { ...row, payload: wholePayload(row, previous_checksum) };
}

/** Returns at most `limit` events behind a position, in the order of the ledger. */
export async function eventsAfter(
  db: Kysely<ContinuityTables>,
  workflow_id: string,
  event_seq: number,
  limit: number,
): Promise<EventRow[]> {
  const rows = await selectEvents(db)
    .where("events.workflow_id", "=", workflow_id)
    .where("events.event_seq", ">", event_seq)
    .orderBy("events.event_seq")
    .limit(limit)
    .execute();
  return rows.map(toEventRow);
}

/** Returns events as they are inserted. */
export function rowsToStore(events: readonly EventRow[]): EventRow[] {
  return events.map((event) => ({ ...event, payload: toStore(event).payload }));
}
