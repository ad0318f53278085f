import { continuityError } from "../base/errors.ts";
import type { Position } from "../ledger/position.ts";
import type { ContinuityStore, ObjectStorage } from "../ledger/store.ts";
import { inlineText, resultText } from "../steps/results.ts";
import { completionOf } from "../steps/step-record.ts";
import { type Checked, LedgerCheck } from "./ledger-check.ts";

/** An event that was checked, with the JSON text of the result if it completes a step and does not hold the result itself. */
export interface CheckedEvent extends Checked {
  readonly result: string | undefined;
}

/** What is read of a ledger. */
export interface Extent {
  /** Where the ledger begins. */
  readonly base: Position;
  /** The last event that is read; with its checksum, the end of the ledger. */
  readonly until: { readonly event_seq: number; readonly checksum?: string | null };
}

const PAGE = 500;

/**
 * Reads a ledger up to a position, each event checked, with the results of steps. Events are never changed, and removed
 * only by pruning, so that what is read is one consistent state, also while others write; no transaction is open
 * meanwhile. Throws `damaged`, also when the ledger is pruned meanwhile.
 */
export async function* checkedEvents(
  store: ContinuityStore,
  objects: ObjectStorage | undefined,
  { base, until }: Extent,
): AsyncGenerator<CheckedEvent> {
  const { workflow_id } = base.state;
  const check = new LedgerCheck(base);
  while (check.position.event_seq < until.event_seq) {
    const rows = await store.eventsAfter(workflow_id, check.position.event_seq, PAGE);
    for (const row of rows) {
      if (row.event_seq > until.event_seq) break;
      const next = check.next(row);
      const completion = completionOf(next.event);
      const result = completion ? await resultText(completion, store, objects) : undefined;
      // The event itself has it.
      const isInline = completion && inlineText(completion.result_snapshot_ref) !== undefined;
      yield { ...next, result: isInline ? undefined : result };
    }
    if (rows.length < PAGE || rows.at(-1)!.event_seq > until.event_seq) break;
  }
  const { event_seq, checksum } = check.position;
  if (event_seq !== until.event_seq || (until.checksum !== undefined && checksum !== until.checksum))
    throw continuityError("damaged", {
      expected: `the ledger of workflow ${workflow_id} to have event ${until.event_seq} (checksum ${until.checksum ?? "any"})`,
      found: `it ends with ${event_seq} (checksum ${checksum ?? "none"})`,
      todo: "Events are missing: the store was changed from outside. Nothing was written.",
    });
  if (until.checksum !== undefined) check.finish();
}
