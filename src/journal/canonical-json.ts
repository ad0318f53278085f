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
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return serialize(toJSON.call(value));
  if (Array.isArray(value)) return ofList(value);
  return ofObject(value as Record<string, unknown>);
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
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${member}`;
  }
  return `{${text}}`;
}

function areSorted(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if (keys[at - 1]! > keys[at]!) return false;
  return true;
}
