/**
 * The canonical text of a JSON value (RFC 8785): object keys sorted by their UTF-16 code units, no white space, numbers and strings as
 * `JSON.stringify` writes them. What JSON cannot hold is treated as `JSON.stringify` treats it: left out of an object, null in a list,
 * `toJSON` is called. Equal values give equal texts whatever the order of their keys. Throws a TypeError on a bigint, a RangeError on a
 * value that contains itself.
 */
export function canonicalJson(value: unknown): string {
  return serialize(value) ?? "null";
}

function serialize(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
      return value ? "true" : "false";
    case "object":
      return value === null ? "null" : ofObjectOrList(value);
    default:
      return JSON.stringify(value);
  }
}

function ofObjectOrList(value: object): string | undefined {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return serialize(toJSON.call(value));
  return Array.isArray(value) ? ofList(value) : ofObject(value as Record<string, unknown>);
}

function ofList(list: readonly unknown[]): string {
  let text = "[";
  for (let at = 0; at < list.length; at++) {
    if (at > 0) text += ",";
    text += serialize(list[at]) ?? "null";
  }
  return `${text}]`;
}

function ofObject(record: Record<string, unknown>): string {
  const keys = Object.keys(record);
  // Messages have few keys, and a stored one often has them in order already.
  if (!areSorted(keys)) keys.sort();
  let text = "";
  for (const key of keys) {
    const member = serialize(record[key]);
    if (member !== undefined) text += (text === "" ? "" : ",") + nameOf(key) + member;
  }
  return `{${text}}`;
}

function areSorted(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if (keys[at - 1]! > keys[at]!) return false;
  return true;
}

/** Short names as they are written; messages have the same few thousands of times. */
const names = new Map<string, string>();
const MOST_NAMES = 500;

function nameOf(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = `${JSON.stringify(key)}:`;
  if (names.size < MOST_NAMES && key.length < 32) names.set(key, name);
  return name;
}
