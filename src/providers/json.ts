import type { JsonObject } from "./types.ts";

/** True for a JSON object (not null, not a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON name of a value's type, as error texts spell it. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "object":
      return "an object";
    case "number":
      return Number.isInteger(value) ? "an integer" : "a decimal";
    case "boolean":
      return "a boolean";
    case "undefined":
      return "nothing";
    default:
      return "a string";
  }
}

/** A value as text for an error message; never throws, whatever its toString is. */
export function shown(value: unknown): string {
  return typeof value === "object" ? typeName(value) : String(value);
}

/** Non-empty standard base64 with right padding. */
export function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Base64 as providers sign thinking: the standard alphabet, padding optional. */
export function isSignature(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.replace(/={1,2}$/, "").length % 4 !== 1;
}

/** Non-empty base64 in either alphabet, padding optional, as protobuf's JSON mapping reads bytes. */
export function isBase64Bytes(text: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && text.replace(/={1,2}$/, "").length % 4 !== 1;
}

/** The deepest nesting accepted: beyond it every provider's parser gives up (protobuf already at 100). */
export const MAX_DEPTH = 512;

/**
 * What no provider's JSON parser takes, whatever the schema: a lone surrogate in a string or endless nesting.
 * Walks with its own stack, so that the depth of the input cannot overflow ours.
 */
export function unparsable(body: unknown): "surrogate" | "depth" | undefined {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return "depth";
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === "string") {
        if (!value.isWellFormed()) return "surrogate";
      } else if (Array.isArray(value)) {
        for (const item of value) next.push(item);
      } else if (isObject(value)) {
        for (const key of Object.keys(value)) {
          if (!key.isWellFormed()) return "surrogate";
          next.push(value[key]);
        }
      }
    }
    level = next;
  }
  return undefined;
}
