/**
 * How words of others stand in a text of ours that a model reads. What is written here cannot end its own quotation: no
 * line of a quotation begins otherwise than with {@link QUOTE_MARK}, so that a line that does is ours, whatever the
 * quoted words are.
 */

/** How each line of a quotation begins. */
export const QUOTE_MARK = "> ";

/** Whatever some reader takes for the end of a line. */
const LINE_END = String.raw`\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]`;
const LINE_ENDS = new RegExp(LINE_END, "g");
const QUOTED_LINE_ENDS = new RegExp(`(${LINE_END})${QUOTE_MARK}`, "g");

/** Characters that end a line or turn the direction of writing and that JSON leaves as they are. */
const UNSEEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** What a name may be made of to stand in a line as it is. */
const PLAIN_NAME = /^[\w./@+-](?:[\w.:/@+-]{0,78}[\w./@+-])?$/;

/** The lines of a text, by whatever some reader takes for the end of a line. */
export function linesOf(text: string): string[] {
  return text.split(LINE_ENDS);
}

/** The text as a quotation of whole lines. {@link unquoted} gives back the very same text. */
export function quoted(text: string): string {
  return `${QUOTE_MARK}${text.replaceAll(LINE_ENDS, `$&${QUOTE_MARK}`)}`;
}

/** What {@link quoted} was given. */
export function unquoted(quotation: string): string {
  const first = quotation.startsWith(QUOTE_MARK) ? quotation.slice(QUOTE_MARK.length) : quotation;
  return first.replaceAll(QUOTED_LINE_ENDS, "$1");
}

/** A line of ours and the words of others below it. */
export function section(heading: string, text: string): string {
  return `${heading}\n${quoted(text)}`;
}

/**
 * The text as a JSON string, which stands within a line: one line whatever the text is, cut behind `limit` characters.
 */
export function quotedInline(text: string, limit = Infinity): string {
  const said = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return JSON.stringify(said.toWellFormed()).replaceAll(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * A name that others gave (a tool's, an id): as it is where it is plain, otherwise {@link quotedInline} of its first 80
 * characters.
 */
export function nameInline(name: string): string {
  return PLAIN_NAME.test(name) ? name : quotedInline(name, 80);
}

/**
 * A value of any kind that others gave: a text as {@link quotedInline} of its first 80 characters, a list or an object
 * by its kind only, however deep it is.
 */
export function valueInline(value: unknown): string {
  if (typeof value === "string") return quotedInline(value, 80);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
