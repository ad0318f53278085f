import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { type LedgerEvent, readEvent, readLoneEvent } from "./events.ts";
import type { ContinuityStore } from "./store.ts";

const PAGE = 200;

/**
 * Iterates over the events of a ledger from its end back to its beginning. Each event is checked against the one after
 * it, the last one against the workflow's row. Throws `damaged`, and `newer`.
 */
export async function* recentEvents(store: ContinuityStore, workflow_id: string): AsyncGenerator<LedgerEvent> {
  const row = await store.workflow(workflow_id);
  let end = { seq: row?.last_event_seq ?? 0, checksum: row?.head_checksum ?? null };
  while (end.seq > 0) {
    const after = Math.max(0, end.seq - PAGE);
    const events: LedgerEvent[] = [];
    for (const one of await store.eventsAfter(workflow_id, after, end.seq - after)) {
      const before = events.at(-1);
      events.push(before === undefined ? readLoneEvent(one) : readEvent(one, before));
    }
    const last = events.at(-1);
    if (last === undefined) return;
    if (last.event_seq !== end.seq || last.checksum !== end.checksum)
      throw continuityError("damaged", {
        expected: `event ${end.seq} of workflow ${workflow_id} with checksum ${end.checksum ?? "none"}`,
        found: `event ${last.event_seq} with checksum ${last.checksum}`,
        todo: `The ledger was changed from outside. ${fromBackup()} Nothing was executed.`,
      });
    yield* events.toReversed();
    const [first] = events;
    end = { seq: first!.event_seq - 1, checksum: first!.previous };
  }
}
