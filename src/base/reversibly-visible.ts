import { IS_UNSEEN, belongsToVisible, UNSEEN } from "./visible.ts";

/** What {@link reversiblyVisible} writes. Where a text has such a place already, its backslash becomes `\u{5c}`. */
const WRITTEN = /\\u\{([\da-f]{1,6})\}/g;
const BACKSLASH = String.raw`\u{5c}`;
/** Ends of lines and tabs are seen. */
const UNSEEN_OR_WRITTEN = new RegExp(String.raw`(?![\t\n\r])${UNSEEN.source}|\\(?=u\{([\da-f]{1,6})\})`, "gu");

/**
 * Makes a foreign text of several lines safe to quote: invisible characters, and characters that act on the text around
 * them, are written as `\u{200b}`; line feeds, carriage returns and tabs stay. {@link fromReversiblyVisible} returns
 * exactly the same text.
 */
export function reversiblyVisible(text: string): string {
  return text.replaceAll(UNSEEN_OR_WRITTEN, (character, code: string | undefined, at: number) => {
    if (character === "\\") return isWritten(code!) ? BACKSLASH : character;
    return belongsToVisible(character, at, text) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** The inverse of {@link reversiblyVisible}. */
export function fromReversiblyVisible(text: string): string {
  return text.replaceAll(WRITTEN, (written, code: string) =>
    isWritten(code) ? String.fromCodePoint(Number.parseInt(code, 16)) : written,
  );
}

/** Whether {@link reversiblyVisible} writes a character with this code point: only such places are read back. */
function isWritten(code: string): boolean {
  const point = Number.parseInt(code, 16);
  return point === 0x5c || (point <= 0x10ffff && IS_UNSEEN.test(String.fromCodePoint(point)));
}
