/**
 * The form in which the payload of an event is stored: without what its columns, its author, its data and the event
 * before say already, about a third of the size. Readers get the whole payload back, whose checksum covers all of it.
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
  /** All other members of the value that differ from the data. */
  readonly "+"?: Fields;
}

/** Fields of the payload that the short form has in another form, or does not need. */
const LEFT_OUT: ReadonlySet<string> = new Set([...PAYLOAD_COLUMNS, "state_checksum"]);
/** Stands for the operation that sets the time of the last change to the event's time. */
const WORKED_AT = "worked_at";
/** Checksums in the data, and what they are of. */
const CHECKSUMS: readonly (readonly [name: string, toText: (data: Fields) => string | undefined])[] = [
  [
    "input_checksum",
    ({ input_text, input_length }) => (input_length === undefined ? readOptionalText(input_text) : undefined),
  ],
  ["result_checksum", ({ result_ref }) => readOptionalText(result_ref)?.match(/^json:(.*)$/s)?.[1]],
];

/**
 * Returns the text to store for an event, and the checksum that its payload names of the event before (null where it
 * names none, as the first event). The text is the short form, which leaves that checksum out, or the payload itself
 * where the short form does not lead back to it.
 */
export function toStore(event: EventRow): { readonly payload: string; readonly previous: string | null } {
  const payload = parseFields(event.payload);
  const previous = readOptionalText(payload?.["previous"]) ?? null;
  const asItIs = { payload: event.payload, previous };
  if (!payload || PAYLOAD_COLUMNS.some((name) => payload[name] !== event[name])) return asItIs;
  const { previous: _, ...short } = shortenPayload(payload);
  const isWhole = textOfShort(short, event, previous) === event.payload;
  return isWhole ? { payload: JSON.stringify(short), previous } : asItIs;
}

/**
 * Returns the payload of a row that was read, as canonical text; a text that cannot be read is returned unchanged.
 * `previous_checksum` is that of the event before.
 */
export function wholePayload(row: EventRow, previous_checksum: string | null): string {
  const stored = parseFields(row.payload);
  if (!stored || PAYLOAD_COLUMNS.some((name) => Object.hasOwn(stored, name))) return row.payload;
  return textOfShort(stored, row, previous_checksum) ?? row.payload;
}

/** Returns the whole payload as canonical text; undefined for what is no short form. */
function textOfShort(stored: Fields, row: EventRow, previous_checksum: string | null): string | undefined {
  try {
    return canonicalText(restorePayload(stored, row, previous_checksum));
  } catch {
    return undefined;
  }
}

function shortenPayload(payload: Fields): Fields {
  const { timestamp, author, state_checksum, delta } = payload;
  const data = fields(payload["data"]);
  const rest = Object.fromEntries(Object.entries(payload).filter(([name]) => !LEFT_OUT.has(name)));
  return {
    ...rest,
    ...(author !== undefined && { author: shortAuthor(author) }),
    ...(state_checksum !== undefined && shortState(state_checksum)),
    ...(data && { data: withoutChecksums(data) }),
    ...(Array.isArray(delta) && {
      delta: delta.map((operation: Json) => shortOperation(operation, data, { timestamp, author })),
    }),
  };
}

/** Returns the short form of an author: one without a name is its entry alone. */
function shortAuthor(author: Json): Json {
  const { entry, name, ...more } = fields(author) ?? {};
  return typeof entry === "string" && name === null && Object.keys(more).length === 0 ? entry : author;
}

function wholeAuthor(author: Json): Json {
  return typeof author === "string" ? { entry: author, name: null } : author;
}

/** The checksum of the state, in two thirds of its digits. */
function shortState(checksum: Json): Fields {
  const isSha256 = typeof checksum === "string" && /^[0-9a-f]{64}$/.test(checksum);
  return isSha256 ? { state: Buffer.from(checksum, "hex").toString("base64url") } : { state_checksum: checksum };
}

/** Throws for a text with other spare bits than {@link shortState} writes: a changed byte is then found. */
function wholeState(state: string): string {
  const bytes = Buffer.from(state, "base64url");
  if (bytes.toString("base64url") !== state) throw new Error("not the checksum of a state");
  return bytes.toString("hex");
}

/**
 * Returns the short form of an operation: its path (remove); its path and value (replace), or {@link WORKED_AT}; for an
 * addition, how its value differs from the event's data ({@link OfData}), where that is shorter. Others stay whole.
 */
function shortOperation(
  operation: Json,
  data: Fields | undefined,
  event: { readonly timestamp: Json | undefined; readonly author: Json | undefined },
): Json {
  const { op, path, value, ...others } = fields(operation) ?? {};
  if (typeof path !== "string" || !path.startsWith("/") || Object.keys(others).length > 0) return operation;
  if (op === "remove" && value === undefined) return path;
  if (value === undefined) return operation;
  if (op === "replace") return path === `/${WORKED_AT}` && value === event.timestamp ? WORKED_AT : [path, value];
  const added = fields(value);
  if (op !== "add" || !added || !data) return operation;
  const short = { of: ofData(added, data, event), path };
  return JSON.stringify(short).length < JSON.stringify(operation).length ? short : operation;
}

function ofData(
  value: Fields,
  data: Fields,
  { timestamp, author = null }: { readonly timestamp: Json | undefined; readonly author: Json | undefined },
): Fields {
  const changed = Object.entries(value).filter(([name, member]) => !isEqual(member, data[name]));
  const named = (one: Json | undefined): string[] =>
    changed.filter(([, member]) => isEqual(member, one)).map(([name]) => name);
  const [ofAuthor, ofTime] = [named(author), named(timestamp)];
  const added = changed.filter(([name]) => !ofAuthor.includes(name) && !ofTime.includes(name));
  const lacks = Object.keys(data).filter((name) => !Object.hasOwn(value, name));
  return {
    ...(lacks.length > 0 && { "-": lacks }),
    ...(ofAuthor.length > 0 && { by: ofAuthor }),
    ...(ofTime.length > 0 && { at: ofTime }),
    ...(added.length > 0 && { "+": Object.fromEntries(added) }),
  };
}

function isEqual(one: Json, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  return canonicalText(one) === canonicalText(other);
}

function restorePayload({ state, ...stored }: Fields, row: EventRow, previous_checksum: string | null): object {
  const { timestamp } = row;
  const data = fields(stored["data"]);
  const whole = data && withChecksums(data);
  const author = wholeAuthor(stored["author"] ?? null);
  const columns = Object.fromEntries(PAYLOAD_COLUMNS.map((name) => [name, row[name]]));
  const { delta } = stored;
  return {
    previous: previous_checksum,
    ...stored,
    ...columns,
    ...(Object.hasOwn(stored, "author") && { author }),
    ...(typeof state === "string" ? { state_checksum: wholeState(state) } : state !== undefined && { state }),
    ...(whole && { data: whole }),
    ...(Array.isArray(delta) && {
      delta: delta.map((operation: Json) => wholeOperation(operation, whole, { timestamp, author })),
    }),
  };
}

function wholeOperation(
  operation: Json,
  data: Fields | undefined,
  { timestamp, author }: { readonly timestamp: string; readonly author: Json },
): Json {
  if (operation === WORKED_AT) return { op: "replace", path: `/${WORKED_AT}`, value: timestamp };
  if (typeof operation === "string") return { op: "remove", path: operation };
  if (Array.isArray(operation)) return { op: "replace", path: operation[0], value: operation[1] };
  const { of, path } = fields(operation) ?? {};
  if (of === undefined || path === undefined || !data) return operation;
  const { "-": lacks = [], by = [], at = [], "+": more = {} } = of as OfData;
  const kept = Object.entries(data).filter(([name]) => !lacks.includes(name));
  const added = [...by.map((name) => [name, author] as const), ...at.map((name) => [name, timestamp] as const)];
  return { op: "add", path, value: Object.fromEntries([...kept, ...added, ...Object.entries(more)]) };
}

/** Leaves out the checksums that can be computed from the rest of the data. */
function withoutChecksums(data: Fields): Fields {
  const computable = CHECKSUMS.filter(([name, toText]) => {
    const text = toText(data);
    return text !== undefined && data[name] === sha256(text);
  }).map(([name]) => name);
  return Object.fromEntries(Object.entries(data).filter(([name]) => !computable.includes(name)));
}

function withChecksums(data: Fields): Fields {
  const missing = CHECKSUMS.flatMap(([name, toText]) => {
    const text = Object.hasOwn(data, name) ? undefined : toText(data);
    return text === undefined ? [] : [[name, sha256(text)] as const];
  });
  return { ...data, ...Object.fromEntries(missing) };
}

function readOptionalText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function fields(value: Json | undefined): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function parseFields(text: string): Fields | undefined {
  try {
    return fields(JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}
