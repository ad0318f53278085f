/** Reads JSON of unknown shape, and writes any value as JSON. */
import { isDeeperThan, isPlainTree, MAX_DEPTH } from "./depth.ts";
import { writeJson } from "./write-json.ts";

export { isWellFormed, wellFormed } from "./well-formed.ts";

/** A JSON object of unknown shape, as the store may hold it. */
export type JsonObject = Record<string, unknown>;

/** True for an object that is neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of a JSON text; undefined where the text is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** True for a finite number above zero. */
export function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

/** True for an empty string or one of white space only. Stops at the first other character. */
export function isBlank(text: string): boolean {
  // Nearly every text begins with a letter, so the expression is seldom needed.
  const first = text.charCodeAt(0);
  return !(first > 32 && first < 127) && !/\S/.test(text);
}

/**
 * True for 1 to `max` ASCII letters, digits and characters of `others`: the ids and names that most APIs take, told in
 * a third of the time of a regular expression.
 */
export function isWord(text: unknown, max: number, others = "_-"): text is string {
  if (typeof text !== "string") return false;
  const { length } = text;
  if (length === 0 || length > max) return false;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const letter = code | 0x20;
    if (!(letter >= 0x61 && letter <= 0x7a) && !(code >= 0x30 && code <= 0x39) && !others.includes(text[at]!))
      return false;
  }
  return true;
}

/** Returns the words of a text, which has a single space between any two, as a set. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** Returns the first value of `keys` in `object` that is neither undefined nor null. */
export function firstPresent(object: JsonObject, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = object[key];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/**
 * Returns a string unchanged, a bigint as its digits, and any other value as JSON. Never throws; `String(value)` can,
 * by the value's own `toString`.
 */
export function toWord(value: unknown): string {
  return typeof value === "string" || typeof value === "bigint" ? String(value) : toJson(value);
}

/**
 * Returns the JSON text of any value of any depth; the empty string for `undefined`. Deterministic. Values that JSON
 * cannot express become texts: a value that contains itself, a property that cannot be read, a bigint (its digits).
 * Throws only as {@link writeJson}.
 */
export function toJson(value: unknown): string {
  if (value === undefined) return "";
  if (isPlainTree(value)) {
    try {
      return JSON.stringify(value) ?? "";
    } catch {
      // A part of the value throws, or is no JSON.
    }
  }
  return writeJson(value).text;
}

/** How many characters are kept of a value that nests too deeply. */
const MAX_DEEP_TEXT = 1_000_000;

/**
 * Returns a value that nests too deeply as text: its JSON, shortened to the beginning where that is very long.
 */
export function deepText(value: unknown): string {
  const { text, isWhole } = writeJson(value, MAX_DEEP_TEXT);
  return isWhole ? text : `${text.toWellFormed()}… [the rest is left out: it nests deeper than ${MAX_DEPTH} levels]`;
}

/**
 * Returns tool arguments as the object that every API requires: the value itself when it is an object that is not too
 * deep, otherwise one parsed from a JSON string, or a wrapper around the value.
 */
export function toArguments(value: unknown): JsonObject {
  if (isObject(value)) {
    if (isDeeperThan(value, MAX_DEPTH)) return { json: deepText(value) };
    // A date, for instance, is a text as JSON.
    return typeof value.toJSON === "function" ? toArguments(JSON.parse(toJson(value))) : value;
  }
  if (value === undefined || value === null || value === "") return {};
  if (typeof value === "string") {
    try {
      const parsed: unknown = JSON.parse(value);
      if (isObject(parsed)) return toArguments(parsed);
    } catch {
      // No JSON: the string is wrapped below.
    }
    return { input: value };
  }
  // The object around the value is a level too.
  return { input: isDeeperThan(value, MAX_DEPTH - 1) ? deepText(value) : value };
}
