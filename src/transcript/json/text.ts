import { nameInline, quotedInline } from "../../base/quoted.ts";
import { isDeeperThan, isPlainTree, MAX_DEPTH } from "./depth.ts";
import { deepText, firstPresent, isBlank, isObject, toJson } from "./json.ts";

/** Texts that OpenClaw and its agent core invent for a result that is not there (versions 2026.1 to 2026.9). */
export const MISSING_RESULT_TEXT =
  "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.";

/** What we say for a call whose result was never recorded: neither "failed" nor "did not run" would be true. */
export const UNKNOWN_OUTCOME =
  "[No result of this tool call was recorded. Its outcome is unknown: it may have run. Check before repeating it.]";

/** What we say for a call that the journal saw begin and not come back. */
export const INTERRUPTED_CALL =
  "[This tool call was interrupted while it was being carried out. Its outcome is unknown: it may have run, in part or to its end. Check before repeating it.]";

/** What we say for a call that the journal saw made and never begun. */
export const NOT_STARTED_CALL = "[This tool call was not started: the run ended before it. Nothing of it was done.]";

/** The call that `reconstruct` puts before a result whose own call is gone. */
export const RECONSTRUCTED_TOOL = "unknown_tool";

/** Said in place of a call that was cut off while the model was still writing it. */
export function interruptedCallText(name: string): string {
  return `[A call of the tool ${nameInline(name)} was cut off before it was complete.]`;
}

/** So many characters of what a call asked for are quoted in words about it. */
export const QUOTED_INPUT = 500;
const MAX_RESULT = 200;

/** What is said of a call in the place of the call and of a result that OpenClaw may have invented. */
export interface DoubtfulCall {
  name: string;
  /** Undefined for a call that was cut off while the model was still writing it. */
  input: unknown;
  /** What is recorded as its result; undefined where the record only says that there is none. */
  recorded: string | undefined;
}

/**
 * Said in place of a call that has only a result that OpenClaw may have invented: nothing of either is lost should the
 * result be a tool's own.
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

/** Fields that say nothing a reader would miss once the text beside them is kept. */
const BARE_FIELDS = new Set([
  "type",
  "text",
  "output_text",
  "refusal",
  "thinking",
  "annotations",
  "cache_control",
  "citations",
]);

const RUN = /"[A-Za-z0-9+/_=-]+"/g;
const LONG_RUN = 2000;

/** A long run of mixed letters and digits is an encoded file; as text it would only fill the model's context. */
function withoutFile(run: string): string {
  return run.length > LONG_RUN + 1 && /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)
    ? `"[${run.length - 2} characters of encoded data left out]"`
    : run;
}

/**
 * The readable text of any JSON value in the place of a block: its text where it has nothing else to say, otherwise its
 * JSON. Only the bytes of encoded files are left out, and of a value that nests too deeply what lies behind a long
 * beginning; both are said.
 */
export function textOf(value: unknown): string {
  if (isPlainTree(value)) return shallowText(value);
  return isDeeperThan(value, MAX_DEPTH) ? deepText(value) : toJson(value);
}

function shallowText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) {
    return value
      .map(shallowText)
      .filter((text) => !isBlank(text))
      .join("\n");
  }
  if (isObject(value) && Object.keys(value).every((key) => BARE_FIELDS.has(key))) {
    const text = firstPresent(value, ["text", "output_text", "refusal", "thinking"]);
    if (typeof text === "string") return text;
    // A block of a type and nothing else has nothing to say.
    if (text === undefined) return "";
  }
  return toJson(value).replace(RUN, withoutFile);
}

/** The plain text of a result's content: a string, or the text blocks of a list; other blocks do not count. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : textOf(content);
  let text = "";
  for (const block of content) {
    if (isObject(block) && typeof block.text === "string") text += block.text;
    else return toJson(content);
  }
  return text;
}
