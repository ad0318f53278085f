import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { readLoneEvent, type LedgerEvent } from "./events.ts";
import { beginning, type Position } from "./position.ts";
import { readSnapshot } from "./snapshots.ts";
import type { ContinuityStore, ObjectStorage, WorkflowRow } from "./store.ts";

const PAGE = 500;

/**
 * Returns the position on which a ledger begins: before the first event, or for a pruned ledger its snapshot. Throws
 * `damaged` when that snapshot is missing or has changed: the events before it are gone.
 */
export async function baseOf(
  store: ContinuityStore,
  workflow: WorkflowRow,
  objects: ObjectStorage | undefined,
): Promise<Position> {
  const { workflow_id, base_event_seq } = workflow;
  if (base_event_seq === 0) return beginning(workflow);
  const row = (await store.snapshots(workflow_id)).find(({ last_event_seq }) => last_event_seq === base_event_seq);
  if (row) return readSnapshot(row, store, objects);
  throw continuityError("damaged", {
    expected: `the snapshot of event ${base_event_seq} on which the pruned ledger of workflow ${workflow_id} begins`,
    found: "none",
    todo: `${fromBackup()} Nothing was executed.`,
  });
}

/** Returns the event behind which a pruned ledger begins, again checked by itself. */
export async function baseEvent(store: Pick<ContinuityStore, "eventsAfter">, base: Position): Promise<LedgerEvent> {
  const [row] = await store.eventsAfter(base.state.workflow_id, base.event_seq - 1, 1);
  return readLoneEvent(row!);
}

/** Iterates over the events before the beginning of a pruned ledger that were kept: the first one and those of steps. */
export async function* keptEvents(
  store: ContinuityStore,
  { workflow_id, base_event_seq }: Pick<WorkflowRow, "workflow_id" | "base_event_seq">,
): AsyncGenerator<LedgerEvent> {
  for (let after = 0; ;) {
    const rows = await store.eventsAfter(workflow_id, after, PAGE);
    for (const row of rows) {
      if (row.event_seq >= base_event_seq) return;
      yield readLoneEvent(row);
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.event_seq;
  }
}

/** Returns whether pruning keeps an event that is before the new beginning. */
export function isKept({ event_seq, event_type }: Pick<LedgerEvent, "event_seq" | "event_type">): boolean {
  return event_seq === 1 || event_type.startsWith("step_");
}
