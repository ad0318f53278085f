/** Tool results that no tool returned: OpenClaw's and this project's. */
import { isObject, type JsonObject } from "./json/json.ts";
import { readOrigin } from "./origin.ts";
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

/** A text that OpenClaw puts in place of a missing result. */
interface Substitute {
  readonly text: string;
  /** Where it is written: into the stored transcript, into the history that is loaded, or by the adapter of an API. */
  readonly places: readonly ("transcript" | "history" | "adapter")[];
  /** The first and the last release in which the text was found, of one that was looked at in each month. */
  readonly releases: readonly [string, string];
}

/** All texts that OpenClaw and its agent core put in place of a missing result. */
export const SUBSTITUTES: readonly Substitute[] = [
  { text: MISSING_RESULT_TEXT, places: ["transcript", "history"], releases: ["2026.1.30", "2026.9.6"] },
  { text: "No result provided", places: ["adapter"], releases: ["2026.2.3", "2026.9.6"] },
  // Of OpenAI's Responses API only.
  { text: ABORTED, places: ["transcript", "history", "adapter"], releases: ["2026.4.29", "2026.9.6"] },
];

const SUBSTITUTE_TEXTS: ReadonlySet<string> = new Set(SUBSTITUTES.map(({ text }) => text));

/** OpenClaw's text for a call that it no longer waits for after a stop (2026.1 to 2026.9): the tool may go on. */
const ABANDONED = "Aborted";

/**
 * True for what OpenClaw reports as the result of a call that it no longer waits for: nobody knows what it has done.
 */
export function isAbandoned({ content, details, isError }: JsonObject): boolean {
  if (isError !== true || plainText(content).trim() !== ABANDONED) return false;
  return details === undefined || (isObject(details) && Object.keys(details).length === 0);
}

/** Returns the origin of a result, which is a message of a result role or a block. */
export function originOfResult(source: JsonObject): ResultOrigin {
  if (readOrigin(source).result !== undefined) return "invented";
  const { details } = source;
  // In OpenClaw each result and error of a tool has details, even if empty; a result that OpenClaw invents has none.
  if (details !== undefined && !(isObject(details) && details[SYNTHETIC_MARK] === true)) return "real";
  const { content, isError } = readResult(source);
  return isError && SUBSTITUTE_TEXTS.has(plainText(content).trim()) ? "doubtful" : "real";
}

/**
 * True for a result that adds nothing to another one of the same call: an invented one, or OpenClaw's text that there
 * is none.
 */
export function addsNothing(source: JsonObject): boolean {
  const origin = originOfResult(source);
  return origin === "invented" || (origin === "doubtful" && plainText(readResult(source).content).trim() !== ABORTED);
}
