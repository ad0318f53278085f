import { type Kysely, sql } from "kysely";
import type { CompletedStepRow, StepAttemptRow, StepRows } from "../../ledger/store.ts";
import { selectEvents, type StoredEvent, toEventRow } from "./event-rows.ts";
import type { ColumnTypes } from "./schema.ts";
import type { ContinuityTables } from "./tables.ts";

/** The columns of each table, which the one statement reads under the table's name. */
const COLUMNS = {
  event: [
    "event_id",
    "workflow_id",
    "event_seq",
    "event_type",
    "payload",
    "timestamp",
    "schema_version",
    "producer_version",
    "checksum",
    "previous_checksum",
  ] satisfies (keyof StoredEvent)[],
  attempt: [
    "workflow_id",
    "step_id",
    "attempt_id",
    "started_at",
    "fencing_token",
    "step_type",
    "idempotency_key",
    "input_checksum",
  ] satisfies (keyof StepAttemptRow)[],
  completion: [
    "workflow_id",
    "step_id",
    "attempt_id",
    "completed_at",
    "result_snapshot_ref",
    "result_checksum",
  ] satisfies (keyof CompletedStepRow)[],
} as const;
type Table = keyof typeof COLUMNS;
const SELECTED = (Object.keys(COLUMNS) as Table[]).flatMap((table) =>
  COLUMNS[table].map((column) => ({ table, column, name: `${table}.${column}` })),
);

/** Which step, and how many of its events. */
interface Asked {
  readonly workflow_id: string;
  readonly step_id: string;
  readonly limit: number;
  /** The step of an event, as SQL. */
  readonly stepOfEvent: string;
}

/** Returns what the tables have of a step at one moment, by one statement. */
export async function stepRows(
  db: Kysely<ContinuityTables>,
  { workflow_id, step_id, limit, stepOfEvent }: Asked,
): Promise<StepRows> {
  const events = selectEvents(db)
    .where("events.workflow_id", "=", workflow_id)
    .where(sql<string>`${sql.raw(stepOfEvent)}`, "=", step_id)
    .orderBy("events.event_seq", "desc")
    .limit(limit);
  const attempts = db
    .selectFrom("step_attempts")
    .selectAll()
    .where("workflow_id", "=", workflow_id)
    .where("step_id", "=", step_id)
    .orderBy("attempt_id", "desc")
    .limit(1);
  const completions = db
    .selectFrom("completed_steps")
    .selectAll()
    .where("workflow_id", "=", workflow_id)
    .where("step_id", "=", step_id);
  const rows = (await db
    .selectFrom(db.selectNoFrom(sql<number>`1`.as("n")).as("asked"))
    .leftJoin(attempts.as("attempt"), (join) => join.onTrue())
    .leftJoin(completions.as("completion"), (join) => join.onTrue())
    .leftJoin(events.as("event"), (join) => join.onTrue())
    .select(SELECTED.map(({ table, column, name }) => sql<unknown>`${sql.ref(`${table}.${column}`)}`.as(name)))
    .orderBy("event.event_seq", "desc")
    .execute()) as readonly Readonly<Record<string, unknown>>[];
  const [first] = rows;
  return {
    attempt: tableRow<StepAttemptRow>(first, "attempt"),
    completion: tableRow<CompletedStepRow>(first, "completion"),
    events: rows.flatMap((row) => {
      const event = tableRow<StoredEvent>(row, "event");
      return event ? [toEventRow(event)] : [];
    }),
  };
}

/**
 * Returns the step that has a key by an event that began it or the row of an attempt: where only one of them is left,
 * the step is there to be compared, and found damaged. A non_idempotent step goes before others, which `alsoHarmless`
 * asks for.
 */
export async function stepOfKey(
  db: Kysely<ContinuityTables>,
  asked: {
    readonly workflow_id: string;
    readonly idempotency_key: string;
    readonly alsoHarmless: boolean;
    readonly columns: Pick<ColumnTypes, "stepOfEvent" | "keyOfEvent" | "typeOfEvent">;
  },
): Promise<string | undefined> {
  const { workflow_id, idempotency_key, alsoHarmless, columns } = asked;
  const [keyOfEvent, stepOfEvent, typeOfEvent] = [columns.keyOfEvent, columns.stepOfEvent, columns.typeOfEvent].map(
    (text) => sql.raw<string>(text),
  );
  const begun = db
    .selectFrom("events")
    .select([sql<string>`${stepOfEvent}`.as("step_id"), sql<string>`${typeOfEvent}`.as("step_type")])
    .where("workflow_id", "=", workflow_id)
    .where(sql<string>`${keyOfEvent}`, "=", idempotency_key)
    .unionAll(
      db
        .selectFrom("step_attempts")
        .select(["step_id", "step_type"])
        .where("workflow_id", "=", workflow_id)
        .where("idempotency_key", "=", idempotency_key),
    );
  const found = await db
    .selectFrom(begun.as("begun"))
    .select("step_id")
    .where(sql<boolean>`(${sql.lit(alsoHarmless ? 1 : 0)} = 1 OR step_type = 'non_idempotent')`)
    .orderBy(sql`CASE step_type WHEN 'non_idempotent' THEN 0 ELSE 1 END`)
    .orderBy("step_id")
    .limit(1)
    .executeTakeFirst();
  return found?.step_id;
}

/** Returns the row of one of the tables; undefined where it has none. */
function tableRow<Row>(row: Readonly<Record<string, unknown>> | undefined, table: Table): Row | undefined {
  if (!row || row[`${table}.workflow_id`] === null) return undefined;
  return Object.fromEntries(COLUMNS[table].map((column) => [column, row[`${table}.${column}`]])) as Row;
}
