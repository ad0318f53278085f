import type { Kysely, Transaction } from "kysely";
import type { EventRow, ProjectRows, WorkflowRow } from "../../ledger/store.ts";
import { rowsToStore } from "./event-rows.ts";
import type { ContinuityTables } from "./tables.ts";

/** A project to create, and the pages of its rows. */
export interface NewProject {
  readonly workflow: Pick<WorkflowRow, "workflow_id" | "project_id" | "created_at">;
  readonly rows: () => AsyncIterable<ProjectRows>;
  readonly crashPoint: (name: string) => void;
}

/**
 * Writes a whole project in a transaction. Resolves to false when one of its name has events: nothing is to be kept
 * then.
 */
export async function insertProject(
  db: Transaction<ContinuityTables>,
  { workflow: { workflow_id, project_id, created_at }, rows, crashPoint }: NewProject,
): Promise<boolean> {
  await db
    .insertInto("workflows")
    .values({ workflow_id, project_id, created_at, last_event_seq: 0, head_checksum: null })
    .onConflict((conflict) => conflict.column("workflow_id").doNothing())
    .execute();
  // Locks the row: whoever else writes the first event waits, and is stale then.
  const empty = await db
    .updateTable("workflows")
    .set({ created_at })
    .where("workflow_id", "=", workflow_id)
    .where("last_event_seq", "=", 0)
    .executeTakeFirst();
  if (empty.numUpdatedRows !== 1n) return false;
  let head: EventRow | undefined;
  for await (const page of rows()) {
    await insertPage(db, page);
    head = page.events.at(-1) ?? head;
    crashPoint("project:page-written");
  }
  if (head)
    await db
      .updateTable("workflows")
      .set({ last_event_seq: head.event_seq, head_checksum: head.checksum })
      .where("workflow_id", "=", workflow_id)
      .execute();
  crashPoint("project:all-written");
  return true;
}

/** Returns the text of a result by its checksum. */
export async function selectResult(db: Kysely<ContinuityTables>, checksum: string): Promise<string | undefined> {
  const row = await db.selectFrom("step_results").select("content").where("checksum", "=", checksum).executeTakeFirst();
  return row?.content;
}

/** Inserts a page of rows. Equal results share a row. */
async function insertPage(
  db: Transaction<ContinuityTables>,
  { events, attempts, completions, results, lease }: ProjectRows,
): Promise<void> {
  if (events.length > 0) await db.insertInto("events").values(rowsToStore(events)).execute();
  if (results.length > 0)
    await db
      .insertInto("step_results")
      .values(results)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  if (attempts.length > 0) await db.insertInto("step_attempts").values(attempts).execute();
  if (completions.length > 0) await db.insertInto("completed_steps").values(completions).execute();
  if (lease) await db.insertInto("workflow_leases").values(lease).execute();
}
