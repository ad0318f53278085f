import type { Author } from "../base/author.ts";
import type { Command } from "../decide/decision.ts";
import { type FinishedWork, NOTHING_FINISHED } from "../decide/finished.ts";
import { stateChecksum } from "./checksum.ts";
import { computeDelta } from "./delta.ts";
import { eventRow, type LedgerEvent, makePayload, SCHEMA_VERSION } from "./events.ts";
import type { Position } from "./position.ts";
import type { EventRow } from "./store.ts";

/** What an event needs besides its command. */
export interface EventContext {
  readonly event_id: string;
  readonly at: string;
  readonly author: Author;
  readonly producer_version: string;
  /** Checksum of the content of a command with a command_id. */
  readonly command?: string | undefined;
  readonly finished?: FinishedWork;
  /** The store's time, in milliseconds since 1970; that of the event by default. */
  readonly clock?: number | undefined;
}

/** Returns the event that a command writes behind a position, and the position behind it. */
export function nextEvent(
  before: Position,
  command: Command,
  {
    event_id,
    at,
    author,
    producer_version,
    command: content,
    finished = NOTHING_FINISHED,
    clock = Date.parse(at),
  }: EventContext,
): { readonly event: LedgerEvent; readonly row: EventRow; readonly position: Position } {
  const event_seq = before.event_seq + 1;
  const decision = command(before.state, { seq: event_seq, at, author, finished, clock });
  const payload = makePayload(decision, computeDelta(before.state, decision.state), {
    event_id,
    workflow_id: before.state.workflow_id,
    event_seq,
    timestamp: at,
    schema_version: SCHEMA_VERSION,
    producer_version,
    author,
    previous: before.checksum,
    ...(content === undefined ? {} : { command: content }),
    state_checksum: stateChecksum(decision.state),
  });
  const row = eventRow(payload);
  const { checksum } = row;
  return { event: { ...payload, checksum }, row, position: { state: decision.state, event_seq, checksum } };
}
