import { inspect } from "node:util";
import { canonicalText, type Json } from "../base/json.ts";

/** The text that is stored for a result, and the value that it gives back. */
export interface Recordable {
  readonly content: string;
  readonly value: Json;
  /** `text` for a result that JSON cannot write, of which the stored text tells. */
  readonly form: "json" | "text";
}

/** Longer results are cut: databases take about a gigabyte, and every caller reads the whole result. */
export const LONGEST_RESULT = 64 * 1024 * 1024;
const LONGEST_TEXT = 4096;
const LONGEST_REASON = 200;

/**
 * Returns what is stored of whatever the body of a step returned, after it has acted: what JSON.stringify writes
 * (`toJSON` is called, `undefined` is left out), `null` for `undefined`, and for a value that it cannot write, or of
 * more than 64 Mi characters, a text that says so. Never throws.
 */
export function recordable(result: unknown): Recordable {
  if (result === undefined) return { content: "null", value: null, form: "json" };
  let reason = `a ${typeof result}`;
  try {
    const text = JSON.stringify(result) as string | undefined;
    if (text !== undefined && text.length <= LONGEST_RESULT) {
      const value = JSON.parse(text) as Json;
      return { content: canonicalOr(text, value), value, form: "json" };
    }
    if (text !== undefined) reason = `${text.length} characters of JSON`;
  } catch (error) {
    reason = firstLine(error);
  }
  const value = `A result that cannot be stored as JSON (${reason}). As text: ${described(result)}`.toWellFormed();
  return { content: JSON.stringify(value), value, form: "text" };
}

/** The text itself for a value without a canonical form, such as one with half a surrogate pair. */
function canonicalOr(text: string, value: Json): string {
  try {
    return canonicalText(value);
  } catch {
    return text;
  }
}

function described(result: unknown): string {
  try {
    const text = inspect(result, { customInspect: false, depth: 4, maxArrayLength: 50, maxStringLength: LONGEST_TEXT });
    return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  } catch {
    return "none";
  }
}

/** Returns the first line of whatever was thrown. Never throws. */
function firstLine(thrown: unknown): string {
  return thrownText(thrown).split("\n", 1)[0]!.slice(0, LONGEST_REASON);
}

/** Returns the message of whatever was thrown; a thrown object may have no text at all. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "an error without a text";
  }
}
