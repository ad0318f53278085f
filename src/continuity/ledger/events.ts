/** The rows of the ledger: an event with its delta and checksums, written and checked. */
import type { Author } from "../base/author.ts";
import type { Decision, EventType } from "../decide/decision.ts";
import type { Delta } from "./delta.ts";
import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { canonicalText, sha256 } from "../base/json.ts";
import { eventFault } from "../base/shapes.ts";
import type { EventRow } from "./store.ts";

/** Version of the payload's format. */
export const SCHEMA_VERSION = "1";

/**
 * The payload of an event: what happened, the delta from the state before, and the checksum of the state after. It
 * repeats the columns and the checksum of the previous event, so that the checksum of the canonical payload covers all
 * of them: a changed, missing or moved event is noticed.
 */
export interface EventPayload {
  readonly event_id: string;
  readonly workflow_id: string;
  readonly event_seq: number;
  readonly event_type: EventType;
  readonly timestamp: string;
  readonly schema_version: string;
  readonly producer_version: string;
  /** Author of the command. */
  readonly author: Author;
  /** Checksum of the previous event; null for the first. */
  readonly previous: string | null;
  /**
   * Checksum of the command; tells a second delivery from another command with the same id. Missing in events of
   * commands without an id.
   */
  readonly command?: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly delta: Delta;
  readonly state_checksum: string;
}

/** An event that was read and checked. */
export interface LedgerEvent extends EventPayload {
  readonly checksum: string;
}

/** Returns the row of an event. */
export function eventRow(payload: EventPayload): EventRow {
  const text = canonicalText(payload);
  return { ...pickColumns(payload), payload: text, checksum: sha256(text) };
}

/** Builds a payload; the decision's data becomes the event's data. */
export function makePayload(
  decision: Decision,
  delta: Delta,
  rest: Omit<EventPayload, "event_type" | "data" | "delta">,
): EventPayload {
  return { ...rest, event_type: decision.type, data: decision.data as EventPayload["data"], delta };
}

/**
 * Reads and checks an event: the checksum of its payload, every column against the payload, and its position after the
 * previous event. Throws `damaged` with the event's position, what was expected and what was found, and `newer` for an
 * unknown schema version.
 */
export function readEvent(
  row: EventRow,
  after: { readonly event_seq: number; readonly checksum: string | null },
): LedgerEvent {
  const refuse = (expected: string, found: string): never => {
    throw damagedEvent(row, expected, found);
  };
  // First: the payload of an event whose predecessor is missing cannot be made whole.
  if (row.event_seq !== after.event_seq + 1)
    refuse(`position ${after.event_seq + 1}`, `${row.event_seq}: events are missing or duplicated`);
  const { payload, checksum } = parsed(row);
  if (checksum !== row.checksum) refuse(`a payload with checksum ${row.checksum}`, checksum);
  if (payload.schema_version !== SCHEMA_VERSION) {
    throw continuityError("newer", {
      expected: `events of schema version ${SCHEMA_VERSION}`,
      found: `schema version ${payload.schema_version} at position ${row.event_seq}`,
      todo: "Use the newer openclaw-integrity that wrote the event. Nothing was changed.",
    });
  }
  const fault = eventFault(payload);
  if (fault !== undefined) refuse("a payload with values of the kinds that are written", `another kind of ${fault}`);
  for (const [name, value] of Object.entries(pickColumns(payload))) {
    const found = row[name as keyof EventRow];
    if (found !== value) refuse(`${name} ${value}, as in its payload`, String(found));
  }
  if (payload.previous !== after.checksum)
    refuse(
      `it to follow the event with checksum ${after.checksum ?? "none"}`,
      `it follows ${payload.previous ?? "none"}`,
    );
  return { ...payload, checksum };
}

/** Reads an event without its predecessor, and checks everything else. Throws as {@link readEvent}. */
export function readLoneEvent(row: EventRow): LedgerEvent {
  return readEvent(row, { event_seq: row.event_seq - 1, checksum: parsed(row).payload.previous });
}

/** Throws `damaged` also for half a surrogate pair, which JSON.parse accepts and the canonical form does not. */
function parsed(row: EventRow): { readonly payload: EventPayload; readonly checksum: string } {
  try {
    const payload = JSON.parse(row.payload) as EventPayload;
    // A store with text columns returns the canonical text as it was written; JSONB returns another text of the same
    // value.
    const asRead = sha256(row.payload);
    return { payload, checksum: asRead === row.checksum ? asRead : sha256(canonicalText(payload)) };
  } catch {
    throw damagedEvent(row, "a payload that is JSON", `${row.payload.length} characters that are not JSON`);
  }
}

/** What a row repeats of its payload. */
export const PAYLOAD_COLUMNS = [
  "event_id",
  "workflow_id",
  "event_seq",
  "event_type",
  "timestamp",
  "schema_version",
  "producer_version",
] as const satisfies readonly (keyof EventPayload & keyof EventRow)[];

function pickColumns(payload: EventPayload): Pick<EventPayload, (typeof PAYLOAD_COLUMNS)[number]> {
  return Object.fromEntries(PAYLOAD_COLUMNS.map((name) => [name, payload[name]])) as ReturnType<typeof pickColumns>;
}

function damagedEvent(row: EventRow, expected: string, found: string): Error {
  return continuityError("damaged", {
    expected:
      `event ${row.event_seq} (${row.event_id}) of workflow ${row.workflow_id} to be as it was ` +
      `written: ${expected}`,
    found,
    todo: `The ledger was changed from outside. ${fromBackup()} Nothing was executed.`,
  });
}
