/**
 * The form in which the payload of an event is stored: without what its columns, its author and its data say already, about
 * half the size. Readers get the whole payload back, whose checksum covers all of it.
 */
import { canonicalText, type Json, sha256 } from "../../base/json.ts";
import { PAYLOAD_COLUMNS } from "../../ledger/events.ts";
import type { EventRow } from "../../ledger/store.ts";

type Fields = { readonly [name: string]: Json };
/** An operation of a delta whose value is a copy of the event's data with changes. */
interface OfData {
  /** Names in the data that the value lacks. */
  readonly "-"?: readonly string[];
  /** Names whose value is the event's author. */
  readonly by?: readonly string[];
  /** Names whose value is the event's time. */
  readonly at?: readonly string[];
  /** Other values that are not in the data. */
  readonly "+"?: Fields;
}

/** Stands for the operation that sets the time of the last change to the event's time. */
const WORKED_AT = "worked_at";
/** Checksums in the data, and what they are of. */
const CHECKSUMS: readonly (readonly [name: string, of: (data: Fields) => string | undefined])[] = [
  ["input_checksum", ({ input_text, input_length }) => (input_length === undefined ? textOf(input_text) : undefined)],
  ["result_checksum", ({ result_ref }) => textOf(result_ref)?.match(/^json:(.*)$/s)?.[1]],
];

/** Returns the text to store for an event: the short form, or the payload itself where that does not lead back to it. */
export function storedPayload(event: EventRow): string {
  const payload = fieldsOf(event.payload);
  if (!payload || PAYLOAD_COLUMNS.some((name) => payload[name] !== event[name])) return event.payload;
  const text = canonicalText(shortOf(payload));
  return wholePayload({ ...event, payload: text }) === event.payload ? text : event.payload;
}

/** Returns the payload of a row that was read, as canonical text; a text that cannot be read is returned unchanged. */
export function wholePayload(row: EventRow): string {
  const stored = fieldsOf(row.payload);
  if (!stored || PAYLOAD_COLUMNS.some((name) => Object.hasOwn(stored, name))) return row.payload;
  try {
    return canonicalText(wholeOf(stored, row));
  } catch {
    return row.payload;
  }
}

function shortOf(payload: Fields): Fields {
  const { timestamp, author } = payload;
  const rest = Object.fromEntries(
    Object.entries(payload).filter(([name]) => !PAYLOAD_COLUMNS.some((one) => one === name)),
  );
  const data = fields(payload["data"]);
  const delta = payload["delta"];
  if (!data || !Array.isArray(delta)) return rest;
  return {
    ...rest,
    data: withoutChecksums(data),
    delta: delta.map((operation: Json): Json => {
      const { op, path, value, ...others } = fields(operation) ?? {};
      if (op === "replace" && path === `/${WORKED_AT}` && value === timestamp) return WORKED_AT;
      const added = fields(value);
      if (op !== "add" || !added || Object.keys(others).length > 0) return operation;
      const of = ofData(added, data, { timestamp, author });
      if (path === undefined) return operation;
      const short = { of, path };
      return canonicalText(short).length < canonicalText(operation).length ? short : operation;
    }),
  };
}

function ofData(
  value: Fields,
  data: Fields,
  { timestamp, author = null }: { readonly timestamp: Json | undefined; readonly author: Json | undefined },
): Fields {
  const by = canonicalText(author);
  const other = Object.entries(value).filter(
    ([name, member]) => !Object.hasOwn(data, name) || canonicalText(member) !== canonicalText(data[name]),
  );
  const named = (isIt: (member: Json) => boolean): string[] =>
    other.filter(([, member]) => isIt(member)).map(([name]) => name);
  const [ofAuthor, ofTime] = [named((member) => canonicalText(member) === by), named((member) => member === timestamp)];
  const added = other.filter(([name]) => !ofAuthor.includes(name) && !ofTime.includes(name));
  const lacks = Object.keys(data).filter((name) => !Object.hasOwn(value, name));
  return {
    ...(lacks.length > 0 && { "-": lacks }),
    ...(ofAuthor.length > 0 && { by: ofAuthor }),
    ...(ofTime.length > 0 && { at: ofTime }),
    ...(added.length > 0 && { "+": Object.fromEntries(added) }),
  };
}

function wholeOf(stored: Fields, row: EventRow): object {
  const data = fields(stored["data"]);
  const columns = Object.fromEntries(PAYLOAD_COLUMNS.map((name) => [name, row[name]]));
  if (!data || !Array.isArray(stored["delta"])) return { ...stored, ...columns };
  const whole = withChecksums(data);
  const { author = null } = stored;
  return {
    ...stored,
    ...columns,
    data: whole,
    delta: stored["delta"].map((operation: Json): Json => {
      if (operation === WORKED_AT) return { op: "replace", path: `/${WORKED_AT}`, value: row.timestamp };
      const { of, path } = fields(operation) ?? {};
      if (of === undefined || path === undefined) return operation;
      const { "-": lacks = [], by = [], at = [], "+": more = {} } = of as OfData;
      const kept = Object.entries(whole).filter(([name]) => !lacks.includes(name));
      const added = [...by.map((name) => [name, author] as const), ...at.map((name) => [name, row.timestamp] as const)];
      return { op: "add", path, value: Object.fromEntries([...kept, ...added, ...Object.entries(more)]) };
    }),
  };
}

function withoutChecksums(data: Fields): Fields {
  const left = CHECKSUMS.filter(([name, of]) => {
    const text = of(data);
    return text !== undefined && data[name] === sha256(text);
  }).map(([name]) => name);
  return Object.fromEntries(Object.entries(data).filter(([name]) => !left.includes(name)));
}

function withChecksums(data: Fields): Fields {
  const missing = CHECKSUMS.flatMap(([name, of]) => {
    const text = Object.hasOwn(data, name) ? undefined : of(data);
    return text === undefined ? [] : [[name, sha256(text)] as const];
  });
  return { ...data, ...Object.fromEntries(missing) };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function fields(value: Json | undefined): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function fieldsOf(text: string): Fields | undefined {
  try {
    return fields(JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}
