/** Puts a golden journal into the tables of a store. */
import type { StepAttemptRow } from "../../src/continuity/index.ts";
import { canonicalText } from "../../src/continuity/base/json.ts";
import { readLoneEvent } from "../../src/continuity/ledger/events.ts";
import { readAttempt, beginsAttempt } from "../../src/continuity/steps/step-record.ts";
import type { Golden } from "./golden.ts";
import type { Place } from "./places.ts";

/** Puts rows into a store as another process wrote them once. */
export async function insert(place: Place, table: string, rows: readonly object[]): Promise<void> {
  for (const row of rows) {
    const columns = Object.keys(row);
    await place.sql(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
      ...(Object.values(row) as string[]),
    );
  }
}

/** All attempts: a golden journal has only the latest of each step. */
function readAttemptRows({ events, attempts }: Pick<Golden, "events" | "attempts">): StepAttemptRow[] {
  return events
    .map((row) => readLoneEvent(row))
    .filter(beginsAttempt)
    .map((event) => readAttempt(event))
    .map((row) => attempts.find((one) => one.step_id === row.step_id && one.attempt_id === row.attempt_id) ?? row);
}

/** Puts the rows of a golden journal into a database, all but its snapshots. */
export async function insertLedger(place: Place, recorded: Golden): Promise<void> {
  await insert(place, "workflows", [recorded.workflow]);
  await insert(place, "events", recorded.events);
  await insert(place, "workflow_leases", [recorded.lease]);
  await insert(place, "step_attempts", readAttemptRows(recorded));
  await insert(place, "completed_steps", recorded.completed);
  await insert(place, "step_results", recorded.results);
}

/** The journal with canonical JSON: PostgreSQL keeps JSON in a form of its own, and checksums are of the canonical one. */
export function toCanonical(one: Golden): Golden {
  return {
    ...one,
    events: one.events.map((row) => ({ ...row, payload: canonicalText(JSON.parse(row.payload)) })),
    snapshots: one.snapshots.map((row) => ({ ...row, state_inline: canonicalText(JSON.parse(row.state_inline!)) })),
  };
}
