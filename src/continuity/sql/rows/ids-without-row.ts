import type { Kysely } from "kysely";
import type { ContinuityTables } from "./tables.ts";

/** The tables whose rows belong to a workflow; each has an index that begins with the workflow's id. */
const OF_A_WORKFLOW = ["events", "workflow_leases", "step_attempts", "completed_steps", "snapshots"] as const;

/**
 * Returns the workflow ids, sorted, that have rows in some table and none in `workflows`. Steps from one id to the next
 * in the index, so that the work grows with the number of projects and not with that of events.
 */
export async function idsWithoutRow(db: Kysely<ContinuityTables>): Promise<string[]> {
  const ids = new Set<string>();
  for (const name of OF_A_WORKFLOW) {
    // All of them have the column.
    const table = name as "events";
    const rows = await db
      .withRecursive("ids(workflow_id)", (cte) =>
        cte
          .selectNoFrom((eb) =>
            eb.selectFrom(table).select("workflow_id").orderBy("workflow_id").limit(1).as("workflow_id"),
          )
          .unionAll((union) =>
            union
              .selectFrom("ids")
              .select((eb) =>
                eb
                  .selectFrom(table)
                  .select(`${table}.workflow_id`)
                  .whereRef(`${table}.workflow_id`, ">", "ids.workflow_id")
                  .orderBy(`${table}.workflow_id`)
                  .limit(1)
                  .as("workflow_id"),
              )
              .where("ids.workflow_id", "is not", null),
          ),
      )
      .selectFrom("ids")
      .select("ids.workflow_id")
      .where("ids.workflow_id", "is not", null)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom("workflows")
              .select("workflows.workflow_id")
              .whereRef("workflows.workflow_id", "=", "ids.workflow_id"),
          ),
        ),
      )
      .execute();
    for (const { workflow_id } of rows) if (workflow_id !== null) ids.add(workflow_id);
  }
  return [...ids].toSorted();
}
