import type { Author } from "../base/author.ts";
import { canonicalText, sha256 } from "../base/json.ts";
import type { Command } from "../decide/decision.ts";
import { stateChecksum } from "./checksum.ts";
import { computeDelta } from "./delta.ts";
import { eventRow, type LedgerEvent, payloadOf, SCHEMA_VERSION } from "./events.ts";
import type { Position } from "./position.ts";

/** What an event needs besides its command. */
export interface EventContext {
  readonly event_id: string;
  readonly at: string;
  readonly author: Author;
  readonly producer_version: string;
}

/** Returns the event that a command writes behind a position, and the position behind it. */
export function nextEvent(
  before: Position,
  command: Command,
  { event_id, at, author, producer_version }: EventContext,
): { readonly event: LedgerEvent; readonly position: Position } {
  const event_seq = before.event_seq + 1;
  const decision = command(before.state, { seq: event_seq, at, author });
  const payload = payloadOf(decision, computeDelta(before.state, decision.state), {
    event_id,
    workflow_id: before.state.workflow_id,
    event_seq,
    timestamp: at,
    schema_version: SCHEMA_VERSION,
    producer_version,
    author,
    previous: before.checksum,
    command: sha256(canonicalText({ [decision.type]: decision.data })),
    state_checksum: stateChecksum(decision.state),
  });
  const { checksum } = eventRow(payload);
  return { event: { ...payload, checksum }, position: { state: decision.state, event_seq, checksum } };
}
