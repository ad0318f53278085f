/**
 * The end of a ledger as it is known outside of the database, so that an older copy of the database is noticed: such a
 * copy is undamaged in itself, and steps that were done since would be done again on it.
 */

/** A position that a ledger is known to have reached, and the highest fencing token that it is known to have given. */
export interface AnchorEntry {
  readonly workflow_id: string;
  readonly event_seq: number;
  readonly checksum: string;
  readonly fencing_token: number;
}

/** Positions of ledgers, kept apart from their database. Never ahead of what is durable in the database. */
export interface Anchor {
  /** Where it is kept, for messages. */
  readonly place: string;
  /** Returns what is known of a ledger. Throws a ContinuityError when it cannot be read. */
  read(workflow_id: string): AnchorEntry | undefined;
  /** Returns what is known of all ledgers. Throws as `read` does. */
  entries(): AnchorEntry[];
  /**
   * Notes a durable position, unless a later one is known: at once, or with `soon` within a moment, together with what
   * comes until then. Never throws: the position is durable without it.
   */
  advance(entry: AnchorEntry, when: "at once" | "soon"): void;
  /** Notes a position, also an earlier one: a person has restored the ledger. Throws as `read` does. */
  reset(entry: AnchorEntry): void;
  /** Forgets a ledger, which is removed. Throws as `read` does. */
  remove(workflow_id: string): void;
  /** Notes what was to be noted soon. Never throws. */
  flush(): void;
}
