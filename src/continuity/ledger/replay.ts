/** Restores the state of a project from its ledger, and checks each event on the way. */
import { stateChecksum } from "./checksum.ts";
import { applyDelta } from "./delta.ts";
import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { type LedgerEvent, readEvent } from "./events.ts";
import { beginning, type Position } from "./position.ts";
import { readSnapshot } from "./snapshots.ts";
import type { WorkState } from "../base/state.ts";
import type { ContinuityStore, EventRow, ObjectStorage, WorkflowRow } from "./store.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** A restored state and the cost of the restore. */
export interface Restored extends Position {
  readonly events_replayed: number;
  readonly journal_bytes: number;
  readonly snapshot: { readonly last_event_seq: number; readonly created_at: string } | null;
}

const PAGE = 500;

/**
 * Restores the state at the end of the ledger: the latest snapshot and the events after it, in the order of their
 * positions. Every checksum on the way is compared; a difference throws `damaged`. Also throws `newer`, and
 * `no-object-storage` as {@link readSnapshot} does. `fromZero` ignores snapshots.
 */
export async function restore(
  store: ContinuityStore,
  workflow: WorkflowRow,
  objects: ObjectStorage | undefined,
  { fromZero = false } = {},
): Promise<Restored> {
  const snapshot = fromZero ? undefined : await store.latestSnapshot(workflow.workflow_id);
  const start = snapshot ? await readSnapshot(snapshot, store, objects) : beginning(workflow);
  const replayed = await replayTail(store, start);
  await assertEnd(store, replayed, workflow);
  return {
    ...replayed,
    snapshot: snapshot ? { last_event_seq: snapshot.last_event_seq, created_at: snapshot.created_at } : null,
  };
}

/**
 * Returns the position behind the next event, which is checked with the state behind it. Throws `damaged`, and `newer`.
 */
export function positionBehind(
  before: Position,
  row: EventRow,
): { readonly event: LedgerEvent; readonly position: Position } {
  const event = readEvent(row, before);
  const state = applyDelta(before.state, event.delta);
  assertState(state, event);
  return { event, position: { state, event_seq: event.event_seq, checksum: event.checksum } };
}

/**
 * Applies all events after a position. The state's checksum is compared at the end; with `visit`, after every event, so
 * that the first difference is found.
 */
export async function replayTail(
  store: ContinuityStore,
  from: Position,
  {
    visit,
    first,
    isLast = false,
  }: {
    readonly visit?: (event: LedgerEvent, state: WorkState) => void;
    /** Rows directly behind the position that the caller has read already; `isLast` when there were no more. */
    readonly first?: readonly EventRow[];
    readonly isLast?: boolean;
  } = {},
): Promise<Omit<Restored, "snapshot">> {
  let { state, event_seq, checksum } = from;
  let [events_replayed, journal_bytes] = [0, 0];
  for (let page = first; ; page = undefined) {
    const rows = page ?? (await store.eventsAfter(state.workflow_id, event_seq, PAGE));
    let last: LedgerEvent | undefined;
    for (const row of rows) {
      last = readEvent(row, { event_seq, checksum });
      state = applyDelta(state, last.delta);
      if (visit) assertState(state, last);
      visit?.(last, state);
      ({ event_seq, checksum } = last);
      events_replayed += 1;
      journal_bytes += row.payload.length;
    }
    if (last && !visit) assertState(state, last);
    if (page ? isLast : rows.length < PAGE) return { state, event_seq, checksum, events_replayed, journal_bytes };
  }
}

/** Throws `damaged` unless the state has the checksum that the event before it says. */
function assertState(state: WorkState, { event_seq, event_id, state_checksum }: LedgerEvent): void {
  const found = stateChecksum(state);
  if (found === state_checksum) return;
  throw continuityError("damaged", {
    expected:
      `the state behind event ${event_seq} (${event_id}) of workflow ${state.workflow_id} to have ` +
      `checksum ${state_checksum}`,
    found,
    todo:
      `A snapshot or the ledger was changed from outside. \`${ownCommand("continuity verify")}\` names the first ` +
      "place. Nothing was executed.",
  });
}

/** Throws `damaged` unless the events end where the workflow's row, which was read before them, says. */
export async function assertEnd(store: ContinuityStore, end: Position, workflow: WorkflowRow): Promise<void> {
  // If others have written meanwhile, the row has changed too: an event and its position in the row are written in one
  // transaction.
  assertReaches(
    end,
    end.event_seq > workflow.last_event_seq ? ((await store.workflow(workflow.workflow_id)) ?? workflow) : workflow,
    workflow,
  );
}

/**
 * Throws `damaged` when the events end before the workflow's row as it was read before them (the end of the ledger is
 * missing), or after the row as it was read behind them.
 */
function assertReaches({ event_seq, checksum }: Position, workflow: WorkflowRow, before: WorkflowRow): void {
  const isEnd = event_seq === workflow.last_event_seq && checksum === workflow.head_checksum;
  if (isEnd || (event_seq > before.last_event_seq && event_seq < workflow.last_event_seq)) return;
  throw continuityError("damaged", {
    expected:
      `the ledger of workflow ${workflow.workflow_id} to end with event ${workflow.last_event_seq} ` +
      `(checksum ${workflow.head_checksum ?? "none"})`,
    found: `it ends with ${event_seq} (checksum ${checksum ?? "none"})`,
    todo: `Events are missing. ${fromBackup()} Nothing was executed.`,
  });
}
