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
  if (Array.isArray(value)) return `[${value.map((item) => serialize(item) ?? "null").join(",")}]`;
  const record = value as Record<string, unknown>;
  const fields: string[] = [];
  for (const key of Object.keys(record).toSorted()) {
    const text = serialize(record[key]);
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${fields.join(",")}}`;
}
