import { firstPresent, isBlank, isObject, toJson } from "./json.ts";

/** Texts that OpenClaw and its agent core invent for a result that is not there (versions 2026.1 to 2026.9). */
export const MISSING_RESULT_TEXT =
  "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.";
const SYNTHETIC_RESULT_TEXTS = new Set([MISSING_RESULT_TEXT, "No result provided", "aborted"]);

/** What we say for a call whose result was never recorded: neither "failed" nor "did not run" would be true. */
export const UNKNOWN_OUTCOME =
  "[No result of this tool call was recorded. Its outcome is unknown: it may have run. Check before repeating it.]";

/** What we say for a call that the journal saw begin and not come back. */
export const INTERRUPTED_CALL =
  "[This tool call was interrupted while it was being carried out. Its outcome is unknown: it may have run, in part or to its end. Check before repeating it.]";

/** What we say for a call that the journal saw made and never begun. */
export const NOT_STARTED_CALL = "[This tool call was not started: the run ended before it. Nothing of it was done.]";

const OWN_RESULT_TEXTS = new Set([UNKNOWN_OUTCOME, INTERRUPTED_CALL, NOT_STARTED_CALL]);

/** The call that `reconstruct` puts before a result whose own call is gone. */
export const RECONSTRUCTED_TOOL = "unknown_tool";

/** Said in place of a call that was cut off while the model was still writing it. */
export function interruptedCallText(name: string): string {
  return `[A call of the tool ${name} was cut off before it was complete.]`;
}

/** Fields that say nothing a reader would miss once the text beside them is kept. */
const BARE_FIELDS = new Set(["type", "text", "output_text", "refusal", "thinking", "annotations", "cache_control", "citations"]);

/** A long run of mixed letters and digits is an encoded file; as text it would only fill the model's context. */
const ENCODED_FILE = /"(?=[^"]*[a-z])(?=[^"]*[A-Z])(?=[^"]*\d)[A-Za-z0-9+/_=-]{2000,}"/g;

/**
 * The readable text of any JSON value in the place of a block: its text where it has nothing else to say, otherwise its JSON.
 * Only the bytes of encoded files are left out, and that is said.
 */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) {
    return value
      .map(textOf)
      .filter((text) => !isBlank(text))
      .join("\n");
  }
  if (isObject(value) && Object.keys(value).every((key) => BARE_FIELDS.has(key))) {
    const text = firstPresent(value, ["text", "output_text", "refusal", "thinking"]);
    if (typeof text === "string") return text;
    // A block of a type and nothing else has nothing to say.
    if (text === undefined) return "";
  }
  return toJson(value).replace(ENCODED_FILE, (data) => `"[${data.length - 2} characters of encoded data left out]"`);
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

/** True when a result is one that OpenClaw or this project invented because the real one was missing. */
export function isSyntheticResult(content: unknown, isError: boolean): boolean {
  const said = plainText(content).trim();
  return OWN_RESULT_TEXTS.has(said) || (isError && SYNTHETIC_RESULT_TEXTS.has(said));
}
