/**
 * Quotes foreign text inside text that this project writes for a model. Each line of a quotation begins with {@link
 * QUOTE_MARK}, so quoted text cannot end its own quotation: a line without the mark is this project's own.
 */
import { fromReversiblyVisible, reversiblyVisible } from "./reversibly-visible.ts";
import { visibleJson } from "./visible.ts";

/** The beginning of each line of a quotation. */
export const QUOTE_MARK = "> ";

/** Everything that some reader treats as a line end. */
const LINE_END = String.raw`\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]`;
const LINE_ENDS = new RegExp(LINE_END, "g");
const QUOTED_LINE_ENDS = new RegExp(`(${LINE_END})${QUOTE_MARK}`, "g");

/** Names that need no quotation marks. */
const PLAIN_NAME = /^[\w./@+-](?:[\w.:/@+-]{0,78}[\w./@+-])?$/;

/** Splits a text at everything that some reader treats as a line end. */
export function splitLines(text: string): string[] {
  return text.split(LINE_ENDS);
}

/**
 * Quotes a text line by line, with invisible characters in it shown as `\u{200b}`. {@link unquoted} returns exactly the
 * same text.
 */
export function quoted(text: string): string {
  return `${QUOTE_MARK}${reversiblyVisible(text).replaceAll(LINE_ENDS, `$&${QUOTE_MARK}`)}`;
}

/** The inverse of {@link quoted}. */
export function unquoted(quotation: string): string {
  const first = quotation.startsWith(QUOTE_MARK) ? quotation.slice(QUOTE_MARK.length) : quotation;
  return fromReversiblyVisible(first.replaceAll(QUOTED_LINE_ENDS, "$1"));
}

/** A heading of this project with the quoted foreign text below it. */
export function section(heading: string, text: string): string {
  return `${heading}\n${quoted(text)}`;
}

/** The text as a JSON string on one line, cut after `limit` characters. */
export function quotedInline(text: string, limit = Infinity): string {
  return jsonInline((text.length > limit ? `${text.slice(0, limit)}…` : text).toWellFormed());
}

/** A value with foreign texts as JSON on one line, in which invisible characters are shown as JSON's escapes. */
export function jsonInline(value: unknown): string {
  return visibleJson(JSON.stringify(value));
}

/**
 * A foreign name (of a tool, an id): unchanged where it is plain, otherwise {@link quotedInline} of its first 80
 * characters.
 */
export function nameInline(name: string): string {
  return PLAIN_NAME.test(name) ? name : quotedInline(name, 80);
}

/**
 * Any foreign value on one line: {@link quotedInline} of the first 80 characters of a text; only the kind of a list or
 * an object, however deep it is.
 */
export function valueInline(value: unknown): string {
  if (typeof value === "string") return quotedInline(value, 80);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
