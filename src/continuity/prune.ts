import type { Author } from "./base/author.ts";
import { continuityError } from "./base/errors.ts";
import { baseOf, isKept, keptEvents } from "./ledger/base.ts";
import { applyDelta } from "./ledger/delta.ts";
import type { Environment } from "./ledger/environment.ts";
import { type LedgerEvent, readEvent } from "./ledger/events.ts";
import type { Position } from "./ledger/position.ts";
import { assertState } from "./ledger/replay.ts";
import { KeptDigest, pruneLedger, type PrunedData } from "./ledger/pruned.ts";
import { removeObjects, snapshotRow } from "./ledger/snapshots.ts";
import type { WorkflowRow } from "./ledger/store.ts";
import type { Workflow } from "./ledger/workflow.ts";

/** What was removed of a ledger, or would be. */
export interface Pruned {
  /** The event on which the ledger begins now: all events after it are there. 0 when nothing was ever removed. */
  readonly base_event_seq: number;
  /** Number of events that were removed by this call. */
  readonly removed: number;
  /** Number of events before the beginning that stay: the first one, and those of steps, which must not run again. */
  readonly kept: number;
}

/** Options of a removal. */
export interface PruneOptions {
  /** Events of before this time are removed. */
  readonly before: Date;
  /** Removes nothing, and returns what would be removed. */
  readonly dryRun?: boolean;
}

const PAGE = 500;

/** Removes the events of before a time; see {@link Project.prune}. */
export async function pruneWorkflow(
  environment: Environment,
  workflow: Workflow,
  author: Author,
  { before, dryRun = false }: PruneOptions,
): Promise<Pruned> {
  const { store, objects, snapshots } = environment;
  const { workflow_id } = workflow;
  if (!(before instanceof Date) || Number.isNaN(before.getTime()))
    throw continuityError("bad-input", {
      expected: "a Date as before",
      found: String(before),
      todo: "Nothing was removed.",
    });
  const row = await store.workflow(workflow_id);
  if (!row) return { base_event_seq: 0, removed: 0, kept: 0 };
  const end = await lastBefore(environment, row, before.toISOString());
  const kept = new KeptDigest();
  for await (const event of keptEvents(store, { workflow_id, base_event_seq: end.event_seq }))
    if (isKept(event)) kept.add(event);
  if (end.removable === 0 || dryRun)
    return { base_event_seq: row.base_event_seq, removed: end.removable, kept: kept.count };
  const data: PrunedData = {
    base_event_seq: end.event_seq,
    base_checksum: end.checksum!,
    removed: end.removable,
    kept: kept.count,
    kept_checksum: kept.checksum,
  };
  const dropped = (await store.snapshots(workflow_id)).filter(({ last_event_seq }) => last_event_seq < end.event_seq);
  await workflow.execute({
    command: pruneLedger(data),
    content: data,
    author,
    prepare: async () => {
      const now = await store.workflow(workflow_id);
      if (now?.base_event_seq !== row.base_event_seq)
        throw continuityError("busy", {
          expected: `the ledger of workflow ${workflow_id} to begin with event ${row.base_event_seq}`,
          found: `event ${now?.base_event_seq ?? "none"}: another process prunes the ledger too`,
          todo: "Try again. Nothing was removed.",
        });
      return { prune: await snapshotRow(end, { objects, inlineBytes: snapshots.inlineBytes, at: end.at }) };
    },
  });
  if (objects) await removeObjects(dropped, await store.snapshots(workflow_id), objects);
  return { base_event_seq: end.event_seq, removed: end.removable, kept: kept.count };
}

/** The position of the last event of before a time, its time, and the number of events that can be removed before it. */
interface End extends Position {
  readonly at: string;
  readonly removable: number;
}

/** Replays, and so checks, all that is to be removed. Event times may go back: the first one that is not before ends it. */
async function lastBefore({ store, objects }: Environment, row: WorkflowRow, before: string): Promise<End> {
  let { state, event_seq, checksum } = await baseOf(store, row, objects);
  let [at, removable] = ["", 0];
  let previous: LedgerEvent | undefined;
  for (;;) {
    const rows = await store.eventsAfter(row.workflow_id, event_seq, PAGE);
    for (const one of rows) {
      const event = readEvent(one, { event_seq, checksum });
      if (event.timestamp >= before) return { state, event_seq, checksum, at, removable };
      state = applyDelta(state, event.delta);
      assertState(state, event);
      ({ event_seq, checksum, timestamp: at } = event);
      // The last event stays, for the checksum on which the chain goes on.
      if (previous && !isKept(previous)) removable += 1;
      previous = event;
    }
    if (rows.length < PAGE) return { state, event_seq, checksum, at, removable };
  }
}
