export { isWellFormed, wellFormed } from "./well-formed.ts";
/** A JSON object of unknown shape, as the store may hold it. */
export type JsonObject = Record<string, unknown>;
/** True for an object that is neither null nor an array. */
export declare function isObject(value: unknown): value is JsonObject;
/** True for an empty string or one of white space only. Stops at the first other character. */
export declare function isBlank(text: string): boolean;
/** Returns the first value of `keys` in `object` that is neither undefined nor null. */
export declare function firstPresent(object: JsonObject, keys: readonly string[]): unknown;
/**
 * Returns a string unchanged, a bigint as its digits, and any other value as JSON. Never throws; `String(value)` can, by the value's own
 * `toString`.
 */
export declare function wordOf(value: unknown): string;
/**
 * Returns the JSON text of any value of any depth; the empty string for `undefined`. Deterministic. Values that JSON
 * cannot express become texts: a value that contains itself, a property that cannot be read, a bigint (its digits).
 * Never throws.
 */
export declare function toJson(value: unknown): string;
/**
 * Returns a value that nests too deeply as text: its JSON, shortened to the beginning where that is very long.
 */
export declare function deepText(value: unknown): string;
/**
 * Returns tool arguments as the object that every API requires: the value itself when it is an object that is not too
 * deep, otherwise one parsed from a JSON string, or a wrapper around the value.
 */
export declare function toArguments(value: unknown): JsonObject;
