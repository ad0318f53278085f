/** The columns of the tables that are read or written by name. */
import type { CompletedStepRow, EventRow, StepAttemptRow } from "../../ledger/store.ts";
import { toStore } from "./event-payload.ts";

export const EVENT = [
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

export const ATTEMPT = [
  "workflow_id",
  "step_id",
  "attempt_id",
  "started_at",
  "fencing_token",
  "step_type",
  "idempotency_key",
  "input_checksum",
] as const satisfies readonly (keyof StepAttemptRow)[];

export const COMPLETION = [
  "workflow_id",
  "step_id",
  "attempt_id",
  "completed_at",
  "result_snapshot_ref",
  "result_checksum",
] as const satisfies readonly (keyof CompletedStepRow)[];

/** The columns of an event as SQL text. */
export const EVENT_COLUMNS = EVENT.join(", ");

/**
 * Returns what a commit writes of an event that follows the ledger's last one: its values in the order of
 * {@link EVENT_COLUMNS}, and the checksum of that last event.
 */
export function valuesOf(event: EventRow): {
  readonly values: readonly (string | number)[];
  readonly previous: string | null;
} {
  const { payload, previous } = toStore(event);
  return { values: EVENT.map((column) => (column === "payload" ? payload : event[column])), previous };
}
