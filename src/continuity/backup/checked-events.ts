import { stateChecksum } from "../ledger/checksum.ts";
import { applyDelta } from "../ledger/delta.ts";
import { continuityError } from "../base/errors.ts";
import { type LedgerEvent, readEvent } from "../ledger/events.ts";
import { beginning, type Position } from "../ledger/position.ts";
import type { EventRow, ObjectStorage, ProjectReader, WorkflowRow } from "../ledger/store.ts";
import { inlineText, objectOf, resultText } from "../steps/results.ts";
import { completionOf } from "../steps/step-record.ts";

/**
 * An event that was checked, the position behind it, and the JSON text of the result if it completes a step and does not
 * hold the result itself.
 */
export interface CheckedEvent {
  readonly event: LedgerEvent;
  readonly position: Position;
  readonly result: string | undefined;
}

const PAGE = 500;

/** Checks an event and the state behind it, and returns the position there. Throws `damaged`, and `newer`. */
export function advanced(
  before: Position,
  row: EventRow,
): { readonly event: LedgerEvent; readonly position: Position } {
  const event = readEvent(row, before);
  const state = applyDelta(before.state, event.delta);
  const found = stateChecksum(state);
  if (found !== event.state_checksum)
    throw continuityError("damaged", {
      expected: `the state behind event ${event.event_seq} of workflow ${state.workflow_id} to have checksum ${event.state_checksum}`,
      found,
      todo: "The ledger was changed from outside. Nothing was written.",
    });
  return { event, position: { state, event_seq: event.event_seq, checksum: event.checksum } };
}

/**
 * Reads a ledger up to a position, each event checked, with the results of steps. Events are never changed, so that what
 * is read is one consistent state, also while others write; no transaction is open meanwhile. `withObjects: false` leaves
 * results in the object storage out. Throws `damaged`.
 */
export async function* checkedEvents(
  store: ProjectReader,
  objects: ObjectStorage | undefined,
  workflow: Pick<WorkflowRow, "workflow_id" | "project_id">,
  until: { readonly event_seq: number; readonly checksum?: string | null },
  { withObjects = true }: { readonly withObjects?: boolean } = {},
): AsyncGenerator<CheckedEvent> {
  let position = beginning(workflow);
  while (position.event_seq < until.event_seq) {
    const limit = Math.min(PAGE, until.event_seq - position.event_seq);
    const rows = await store.eventsAfter(workflow.workflow_id, position.event_seq, limit);
    for (const row of rows) {
      const next = advanced(position, row);
      ({ position } = next);
      const completion = completionOf(next.event);
      const isLeft = !withObjects && completion && objectOf(completion.result_snapshot_ref) !== undefined;
      const result = completion && !isLeft ? await resultText(completion, store, objects) : undefined;
      // The event itself has it.
      const isInline = completion && inlineText(completion.result_snapshot_ref) !== undefined;
      yield { ...next, result: isInline ? undefined : result };
    }
    if (rows.length < limit) break;
  }
  const { event_seq, checksum } = position;
  if (event_seq === until.event_seq && (until.checksum === undefined || checksum === until.checksum)) return;
  throw continuityError("damaged", {
    expected: `the ledger of workflow ${workflow.workflow_id} to have event ${until.event_seq} (checksum ${until.checksum ?? "any"})`,
    found: `it ends with ${event_seq} (checksum ${checksum ?? "none"})`,
    todo: "Events are missing: the store was changed from outside. Nothing was written.",
  });
}
