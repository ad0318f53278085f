import { isObject, type JsonObject } from "./json/json.ts";
import { originOf } from "./origin.ts";
import { readResult } from "./read.ts";
import { MISSING_RESULT_TEXT, plainText } from "./json/text.ts";

/**
 * Whose words a tool's result holds. `invented`: ours, by our mark. `doubtful`: the words are those that OpenClaw puts
 * in the place of a missing result, and nothing that a tool could not have written says so; nothing of such a result
 * may be lost. `real`: a tool's own.
 */
export type ResultOrigin = "real" | "doubtful" | "invented";

/**
 * The field in a result's details by which OpenClaw 2026.9 marks the results that it invents. A tool can write into its
 * details too.
 */
export const SYNTHETIC_MARK = "openclawSyntheticMissingToolResult";

/** Said by OpenClaw's agent core for a call that was aborted, and by many tools too. */
const ABORTED = "aborted";

/** All that OpenClaw and its agent core say in the place of a missing result (versions 2026.1 to 2026.9). */
const SUBSTITUTES: ReadonlySet<string> = new Set([MISSING_RESULT_TEXT, "No result provided", ABORTED]);

/** The origin of a result: a message whose role is a result's, or a block of a message. */
export function originOfResult(source: JsonObject): ResultOrigin {
  if (originOf(source).result !== undefined) return "invented";
  const { details } = source;
  // OpenClaw gives every result and every error of a tool details, if only empty ones, and none to those that it
  // invents itself.
  if (details !== undefined && !(isObject(details) && details[SYNTHETIC_MARK] === true)) return "real";
  const { content, isError } = readResult(source);
  return isError && SUBSTITUTES.has(plainText(content).trim()) ? "doubtful" : "real";
}

/**
 * Whether a result adds nothing to another result of the same call: an invented one, or a sentence in which OpenClaw
 * says that there is none.
 */
export function addsNothing(source: JsonObject): boolean {
  const origin = originOfResult(source);
  return origin === "invented" || (origin === "doubtful" && plainText(readResult(source).content).trim() !== ABORTED);
}
