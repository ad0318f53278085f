import { isObject, type JsonObject } from "./json/json.ts";
import { originOf } from "./origin.ts";
import { readResult } from "./read.ts";
import { MISSING_RESULT_TEXT, plainText } from "./json/text.ts";

/**
 * Who wrote a tool result. `invented`: this project, by its origin mark. `doubtful`: the text is one that OpenClaw puts
 * in place of a missing result, but a tool could have returned it too, so that nothing of the result may be lost.
 * `real`: a tool.
 */
export type ResultOrigin = "real" | "doubtful" | "invented";

/**
 * The field in a result's details by which OpenClaw 2026.9 marks the results that it invents. A tool can write into its
 * details too.
 */
export const SYNTHETIC_MARK = "openclawSyntheticMissingToolResult";

/** Text of OpenClaw's agent core for a call that was aborted; many tools return it too. */
const ABORTED = "aborted";

/** All texts that OpenClaw and its agent core put in place of a missing result (2026.1 to 2026.9). */
const SUBSTITUTES: ReadonlySet<string> = new Set([MISSING_RESULT_TEXT, "No result provided", ABORTED]);

/** Returns the origin of a result, which is a message of a result role or a block. */
export function originOfResult(source: JsonObject): ResultOrigin {
  if (originOf(source).result !== undefined) return "invented";
  const { details } = source;
  // In OpenClaw each result and error of a tool has details, even if empty; a result that OpenClaw invents has none.
  if (details !== undefined && !(isObject(details) && details[SYNTHETIC_MARK] === true)) return "real";
  const { content, isError } = readResult(source);
  return isError && SUBSTITUTES.has(plainText(content).trim()) ? "doubtful" : "real";
}

/**
 * True for a result that adds nothing to another one of the same call: an invented one, or OpenClaw's text that there
 * is none.
 */
export function addsNothing(source: JsonObject): boolean {
  const origin = originOfResult(source);
  return origin === "invented" || (origin === "doubtful" && plainText(readResult(source).content).trim() !== ABORTED);
}
