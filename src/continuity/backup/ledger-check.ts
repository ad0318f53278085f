import { continuityError } from "../base/errors.ts";
import { isKept } from "../ledger/base.ts";
import { stateChecksum } from "../ledger/checksum.ts";
import { applyDelta } from "../ledger/delta.ts";
import { type LedgerEvent, readEvent, readLoneEvent } from "../ledger/events.ts";
import type { Position } from "../ledger/position.ts";
import { assertPruned, KeptDigest } from "../ledger/pruned.ts";
import type { EventRow } from "../ledger/store.ts";

/** An event that was checked, and the position behind it; before the beginning of a pruned ledger its state there. */
export interface Checked {
  readonly event: LedgerEvent;
  readonly position: Position;
}

/**
 * Checks a ledger, event by event: for a pruned one first the events that were kept, then the one on which it begins;
 * from there on each event's place in the chain and the state behind it.
 */
export class LedgerCheck {
  readonly #base: Position;
  readonly #kept = new KeptDigest();
  #position: Position;
  #pruned: LedgerEvent | undefined;

  /** `base` is where the ledger begins. */
  constructor(base: Position) {
    this.#base = base;
    this.#position = base.event_seq === 0 ? base : { state: base.state, event_seq: 0, checksum: null };
  }

  get position(): Position {
    return this.#position;
  }

  /** Throws `damaged`, and `newer`. */
  next(row: EventRow): Checked {
    const checked = this.#position.event_seq < this.#base.event_seq ? this.#early(row) : this.#late(row);
    this.#position = checked.position;
    return checked;
  }

  /** Throws `damaged` unless the ledger, which was read to its end, has the beginning that it says. */
  finish(): void {
    assertPruned(this.#base, this.#pruned, this.#kept);
  }

  #early(row: EventRow): Checked {
    const [event, base] = [readLoneEvent(row), this.#base];
    const { event_seq, checksum } = event;
    const refuse = (expected: string, found: string): never =>
      refuseEvent(`${expected} in the pruned ledger of workflow ${base.state.workflow_id}`, found);
    if (!Number.isSafeInteger(event_seq) || event_seq <= this.#position.event_seq || event_seq > base.event_seq)
      refuse(
        `event ${base.event_seq}, or a kept one before it, behind event ${this.#position.event_seq}`,
        String(event_seq),
      );
    if (event_seq < base.event_seq) {
      if (!isKept(event))
        refuse(`only events of steps before event ${base.event_seq}`, `event ${event_seq} (${event.event_type})`);
      this.#kept.add(event);
      return { event, position: { state: base.state, event_seq, checksum } };
    }
    if (checksum !== base.checksum) refuse(`event ${event_seq} with checksum ${base.checksum}`, checksum);
    assertState(event, base);
    return { event, position: base };
  }

  #late(row: EventRow): Checked {
    const event = readEvent(row, this.#position);
    const state = applyDelta(this.#position.state, event.delta);
    const position = { state, event_seq: event.event_seq, checksum: event.checksum };
    assertState(event, position);
    if (event.event_type === "ledger_pruned") this.#pruned = event;
    return { event, position };
  }
}

function assertState({ event_seq, state_checksum }: LedgerEvent, { state }: Position): void {
  const found = stateChecksum(state);
  if (found === state_checksum) return;
  refuseEvent(
    `the state behind event ${event_seq} of workflow ${state.workflow_id} to have checksum ${state_checksum}`,
    found,
  );
}

function refuseEvent(expected: string, found: string): never {
  throw continuityError("damaged", {
    expected,
    found,
    todo: "The ledger was changed from outside. Nothing was written.",
  });
}
