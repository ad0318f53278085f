import type { Author } from "../base/author.ts";
import type { Decision, EventType } from "../decide/decision.ts";
import type { Delta } from "./delta.ts";
import { continuityError } from "../base/errors.ts";
import { canonicalText, sha256 } from "../base/json.ts";
import type { EventRow } from "./store.ts";

/** Version of the payload's shape: "2" has an author, and "1" has none. */
export const SCHEMA_VERSION = "2" as const;
const READABLE: readonly string[] = ["1", SCHEMA_VERSION];

/**
 * The payload of an event: what happened, the delta it made of the state, and the checksum of the state behind it. It
 * says again what the columns say and which event came before, so that the one checksum of the canonical payload covers
 * all of it: a changed, missing or moved event shows.
 */
export interface EventPayload {
  readonly event_id: string;
  readonly workflow_id: string;
  readonly event_seq: number;
  readonly event_type: EventType;
  readonly timestamp: string;
  readonly schema_version: string;
  readonly producer_version: string;
  /** Who gave the command; missing in events of schema version 1. */
  readonly author?: Author;
  /** Checksum of the event before; null for the first. */
  readonly previous: string | null;
  /** Of the command that led to it, by which a second delivery is told from another command. */
  readonly command: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly delta: Delta;
  readonly state_checksum: string;
}

/** An event as it was read, and found to be what was written. */
export interface LedgerEvent extends EventPayload {
  readonly checksum: string;
}

/** The row of an event. */
export function eventRow(payload: EventPayload): EventRow {
  const text = canonicalText(payload);
  return { ...columnsOf(payload), payload: text, checksum: sha256(text) };
}

/** Builds a payload; the decision's data is what it says of the event. */
export function payloadOf(
  decision: Decision,
  delta: Delta,
  rest: Omit<EventPayload, "event_type" | "data" | "delta"> & { readonly author: Author },
): EventPayload {
  return { ...rest, event_type: decision.type, data: decision.data as EventPayload["data"], delta };
}

/**
 * Reads an event and checks it: the checksum of its payload, every column against the payload, and its place behind the
 * one before. Throws `damaged` with the event's position, what was expected and what was found.
 */
export function readEvent(
  row: EventRow,
  after: { readonly event_seq: number; readonly checksum: string | null },
): LedgerEvent {
  const refuse = (expected: string, found: string): never => {
    throw damagedEvent(row, expected, found);
  };
  const { payload, checksum } = parsed(row);
  if (checksum !== row.checksum) refuse(`a payload with checksum ${row.checksum}`, checksum);
  if (!READABLE.includes(payload.schema_version)) {
    throw continuityError("newer", {
      expected: `events of schema version ${READABLE.join(" or ")}`,
      found: `version ${payload.schema_version} at position ${row.event_seq}`,
      todo: "A newer openclaw-integrity wrote it: use that one. Nothing was changed.",
    });
  }
  for (const [name, value] of Object.entries(columnsOf(payload))) {
    const found = row[name as keyof EventRow];
    if (found !== value) refuse(`${name} ${value}, as its payload says`, String(found));
  }
  if (payload.event_seq !== after.event_seq + 1)
    refuse(`position ${after.event_seq + 1}`, `${payload.event_seq}: events are missing or doubled`);
  if (payload.previous !== after.checksum)
    refuse(
      `it to follow the event with checksum ${after.checksum ?? "none"}`,
      `it follows ${payload.previous ?? "none"}`,
    );
  return { ...payload, checksum };
}

/** Reads an event whose predecessor is not at hand, and checks all but that. Throws as {@link readEvent}. */
export function readLoneEvent(row: EventRow): LedgerEvent {
  return readEvent(row, { event_seq: row.event_seq - 1, checksum: parsed(row).payload.previous });
}

/** Throws `damaged` also for what JSON.parse takes and the canonical form does not: half a surrogate pair. */
function parsed(row: EventRow): { readonly payload: EventPayload; readonly checksum: string } {
  try {
    const payload = JSON.parse(row.payload) as EventPayload;
    // A store that keeps texts gives the canonical one as it was written; JSONB gives another text of the same value.
    const asRead = sha256(row.payload);
    return { payload, checksum: asRead === row.checksum ? asRead : sha256(canonicalText(payload)) };
  } catch {
    throw damagedEvent(row, "a payload that is JSON", `${row.payload.length} characters that are none`);
  }
}

function columnsOf({
  event_id,
  workflow_id,
  event_seq,
  event_type,
  timestamp,
  schema_version,
  producer_version,
}: EventPayload): Omit<EventRow, "payload" | "checksum"> {
  return { event_id, workflow_id, event_seq, event_type, timestamp, schema_version, producer_version };
}

function damagedEvent(row: EventRow, expected: string, found: string): Error {
  return continuityError("damaged", {
    expected: `event ${row.event_seq} (${row.event_id}) of workflow ${row.workflow_id} to be as it was written: ${expected}`,
    found,
    todo: "The ledger was changed from outside: restore the store from a backup. Nothing was executed.",
  });
}
