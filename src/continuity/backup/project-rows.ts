import type { CompletedStepRow, EventRow, LeaseRow, ProjectRows, ResultRow, StepAttemptRow } from "../ledger/store.ts";
import { eventRow, type LedgerEvent } from "../ledger/events.ts";
import { resultObject } from "../steps/results.ts";
import { readAttempt, beginsAttempt, readCompletion } from "../steps/step-record.ts";
import type { WorkState } from "../base/state.ts";

/** Rows that are written by one statement for each table. */
const PAGE_EVENTS = 500;
const PAGE_CHARACTERS = 4 << 20;

/** What of an event becomes rows. */
export interface WrittenEvent {
  readonly event: LedgerEvent;
  readonly result?: string | undefined;
}

/**
 * Returns the rows of events in pages: the events, and the attempts, completions and results that follow from them. The
 * events decide what a step came to, so that no row can differ from them. `lease` is asked behind the last event.
 */
export async function* projectRows(
  events: AsyncIterable<WrittenEvent>,
  lease: () => LeaseRow | undefined,
): AsyncGenerator<ProjectRows> {
  let page = new Page();
  for await (const written of events) {
    page.add(written);
    if (page.isFull) {
      yield page;
      page = new Page();
    }
  }
  const last = lease();
  yield { ...page, ...(last && { lease: last }) };
}

class Page implements ProjectRows {
  readonly events: EventRow[] = [];
  readonly attempts: StepAttemptRow[] = [];
  readonly completions: CompletedStepRow[] = [];
  readonly results: ResultRow[] = [];
  #characters = 0;

  add({ event, result }: WrittenEvent): void {
    const { checksum: _, ...payload } = event;
    const row = eventRow(payload);
    this.events.push(row);
    this.#characters += row.payload.length + (result?.length ?? 0);
    if (beginsAttempt(event)) this.attempts.push(readAttempt(event));
    const completion = readCompletion(event);
    if (!completion) return;
    this.completions.push(completion);
    if (result !== undefined && resultObject(completion.result_snapshot_ref) === undefined)
      this.results.push({ checksum: completion.result_checksum, content: result });
  }

  get isFull(): boolean {
    return this.events.length >= PAGE_EVENTS || this.#characters >= PAGE_CHARACTERS;
  }
}

/** Returns the row of a lease that is over, so that whoever comes next gets the next token; none without a token. */
export function endedLease({ workflow_id, lease }: WorkState, at: string): LeaseRow | undefined {
  const { owner_id, fencing_token } = lease;
  if (fencing_token === 0) return undefined;
  return {
    workflow_id,
    owner_id: owner_id ?? "released",
    acquired_at: at,
    lease_expires_at: at,
    fencing_token,
    heartbeat_at: at,
  };
}
