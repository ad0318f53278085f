/** A JSON object of unknown shape, as the store may hold it. */
export type JsonObject = Record<string, unknown>;

/** True for an object that is neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a string with nothing but white space in it. Stops at the first other character. */
export function isBlank(text: string): boolean {
  // Nearly every text begins with a letter, so the expression is seldom needed.
  const first = text.charCodeAt(0);
  return !(first > 32 && first < 127) && !/\S/.test(text);
}

/** The first value of `keys` in `object` that is neither undefined nor null. */
export function firstPresent(object: JsonObject, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = object[key];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Deeper JSON than this overflows the stack of JSON.stringify in some callers; no tool call is that deep. */
export const MAX_DEPTH = 200;

/** True when `value` nests deeper than `limit` containers (`limit` is small enough to recurse; nothing is allocated). */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  const object = value as JsonObject;
  for (const key in object) {
    if (isDeeperThan(object[key], limit - 1)) return true;
  }
  return false;
}

/** True when no string in the value has a lone surrogate: half a character, left by a careless cut. Allocates nothing. */
export function isWellFormed(value: unknown, limit = MAX_DEPTH): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null || limit === 0 || ArrayBuffer.isView(value)) return true;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (!isWellFormed(value[at], limit - 1)) return false;
    return true;
  }
  for (const key in value) {
    if (!key.isWellFormed() || !isWellFormed((value as JsonObject)[key], limit - 1)) return false;
  }
  return true;
}

/**
 * The value with every lone surrogate replaced, since APIs refuse such text; the value itself when there is none. Byte arrays
 * and what lies deeper than {@link MAX_DEPTH} are not looked at.
 */
export function wellFormed<T>(value: T, limit = MAX_DEPTH): T {
  if (isWellFormed(value, limit)) return value;
  if (typeof value === "string") return value.toWellFormed() as T;
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item, limit - 1)) as T;
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(entries.map(([key, child]) => [key.toWellFormed(), wellFormed(child, limit - 1)])) as T;
}

/**
 * JSON text of any value of any depth; `undefined` becomes the empty string. The same value always gives the same text.
 * Falls back to an iterative writer where JSON.stringify would overflow the stack.
 */
export function toJson(value: unknown): string {
  if (value === undefined) return "";
  if (!isDeeperThan(value, MAX_DEPTH)) return JSON.stringify(value) ?? "";
  const out: string[] = [];
  // Strings on the stack are written as they are; values are opened up.
  const stack: ({ text: string } | { value: unknown })[] = [{ value }];
  for (let item = stack.pop(); item; item = stack.pop()) {
    if ("text" in item) {
      out.push(item.text);
      continue;
    }
    if (typeof item.value !== "object" || item.value === null) {
      out.push(JSON.stringify(item.value) ?? "null");
      continue;
    }
    const isArray = Array.isArray(item.value);
    const entries = Object.entries(item.value);
    stack.push({ text: isArray ? "]" : "}" });
    for (let at = entries.length - 1; at >= 0; at--) {
      const [key, child] = entries[at]!;
      stack.push({ value: child });
      stack.push({ text: `${at > 0 ? "," : ""}${isArray ? "" : `${JSON.stringify(key)}:`}` });
    }
    stack.push({ text: isArray ? "[" : "{" });
  }
  return out.join("");
}

/**
 * The object itself when it is an object of sane depth; otherwise an object that keeps all of its content: parsed from a JSON
 * string, or wrapped. What tool arguments must be for every API.
 */
export function toArguments(value: unknown): JsonObject {
  if (isObject(value)) return isDeeperThan(value, MAX_DEPTH) ? { json: toJson(value) } : value;
  if (value === undefined || value === null || value === "") return {};
  if (typeof value === "string") {
    try {
      const parsed: unknown = JSON.parse(value);
      if (isObject(parsed)) return toArguments(parsed);
    } catch {
      // Not JSON: kept as it is below.
    }
    return { input: value };
  }
  return { input: isDeeperThan(value, MAX_DEPTH) ? toJson(value) : value };
}
