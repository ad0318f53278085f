/** Texts in the place of calls and results, and the text of stored content. */
import { nameInline, quotedInline } from "../../base/quoted.ts";
import { isDeeperThan, isPlainTree, MAX_DEPTH } from "./depth.ts";
import { deepText, firstPresent, isBlank, isObject, toJson, wordSet } from "./json.ts";
import { opaqueText } from "./opaque.ts";

/** OpenClaw's text for a missing result (2026.1 to 2026.9). */
export const MISSING_RESULT_TEXT =
  "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.";

/** Result of a call whose result was never recorded: neither "failed" nor "did not run" would be true. */
export const UNKNOWN_OUTCOME =
  "[No result of this tool call was recorded. Its outcome is unknown: it may have run. Check before repeating it.]";

/** Result of a call that began and did not return, by the journal. */
export const INTERRUPTED_CALL =
  "[This tool call was interrupted while it was being carried out. Its outcome is unknown: it may have run, in " +
  "part or to its end. Check before repeating it.]";

/** Result of a call that never began, by the journal. */
export const NOT_STARTED_CALL = "[This tool call was not started: the run ended before it. Nothing of it was done.]";

/** Tool name of the call that `reconstruct` inserts before a result whose own call is lost. */
export const RECONSTRUCTED_TOOL = "unknown_tool";

/** Returns the text in place of a call that was cut off while the model was writing it. */
export function interruptedCallText(name: string): string {
  return `[A call of the tool ${nameInline(name)} was cut off before it was complete.]`;
}

/** How many characters of a call's input are quoted in a text on the call. */
export const QUOTED_INPUT = 500;
const MAX_RESULT = 200;

/** A call whose only result may be one that OpenClaw invented. */
export interface DoubtfulCall {
  name: string;
  /** Undefined for a call that was cut off while the model was writing it. */
  input: unknown;
  /** The text of its recorded result; undefined where that text only states that there is no result. */
  recorded: string | undefined;
}

/**
 * Returns the text in place of a call and its doubtful result, with both quoted, so that nothing is lost in case a tool
 * has returned the result.
 */
export function doubtfulCallText({ name, input, recorded }: DoubtfulCall): string {
  const called =
    input === undefined
      ? "was cut off before it was complete"
      : `with ${quotedInline(toJson(input), QUOTED_INPUT)} did not end as it should`;
  const result =
    recorded === undefined
      ? "No result of it is recorded."
      : `Recorded as its result: ${quotedInline(recorded, MAX_RESULT)}.`;
  const advice = input === undefined && recorded === undefined ? "" : " It may have run; check before repeating it.";
  return `[A call of the tool ${nameInline(name)} ${called}. ${result}${advice}]`;
}

/** Fields of a block that are not needed when its text is kept. */
const BARE_FIELDS = wordSet("type text output_text refusal thinking annotations cache_control citations");

const RUN = /"[A-Za-z0-9+/_=-]+"/g;
const LONG_RUN = 2000;

/**
 * Replaces a long run of mixed letters and digits, which is an encoded file and would only fill the model's context.
 */
function withoutFile(run: string): string {
  return run.length > LONG_RUN + 1 && /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)
    ? `"[${run.length - 2} characters of encoded data left out]"`
    : run;
}

/**
 * Returns the readable text of any value in place of a block: its text where it has no other content, otherwise its
 * JSON. Left out, with a remark, are only the bytes of encoded files, and the rest of a very long value that nests too
 * deeply.
 */
export function readText(value: unknown): string {
  if (isPlainTree(value)) return shallowText(value);
  return isDeeperThan(value, MAX_DEPTH) ? deepText(value) : toJson(value);
}

function shallowText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) {
    return value
      .map(shallowText)
      .filter((text) => !isBlank(text))
      .join("\n");
  }
  if (value instanceof Date) return toJson(value).replaceAll('"', "");
  const opaque = isObject(value) ? opaqueText(value) : undefined;
  if (opaque !== undefined) return opaque;
  if (isObject(value) && Object.keys(value).every((key) => BARE_FIELDS.has(key))) {
    const text = firstPresent(value, ["text", "output_text", "refusal", "thinking"]);
    if (typeof text === "string") return text;
    // A block that has a type and no content has no text.
    if (text === undefined) return "";
  }
  return toJson(value).replace(RUN, withoutFile);
}

/**
 * Returns the text of a result's content: a string unchanged, or the joined texts of a list of text blocks. The JSON of
 * the whole list when a block in it is no text, and {@link readText} any other value.
 */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : readText(content);
  let text = "";
  for (const block of content) {
    if (isObject(block) && typeof block.text === "string") text += block.text;
    else return toJson(content);
  }
  return text;
}

/** Returns the texts of blocks, each on lines of its own; what is no text is passed over. */
export function joinTexts(blocks: readonly unknown[]): string {
  return blocks.flatMap((block) => (isObject(block) && typeof block.text === "string" ? [block.text] : [])).join("\n");
}
