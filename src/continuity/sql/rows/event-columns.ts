/** The columns of an event, in the order in which the commits of both databases write them. */
import type { EventRow } from "../../ledger/store.ts";
import { storedPayload } from "./event-payload.ts";

const COLUMNS = [
  "event_id",
  "workflow_id",
  "event_seq",
  "event_type",
  "payload",
  "timestamp",
  "schema_version",
  "producer_version",
  "checksum",
] as const satisfies readonly (keyof EventRow)[];

/** The columns as SQL text. */
export const EVENT_COLUMNS = COLUMNS.join(", ");

/** Returns the values of an event that follows the ledger's last one, in the order of {@link EVENT_COLUMNS}. */
export function valuesOf(event: EventRow): (string | number)[] {
  return COLUMNS.map((column) => (column === "payload" ? storedPayload(event, { isFollowing: true }) : event[column]));
}
