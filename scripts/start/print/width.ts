/** How many columns text takes on a terminal, and how it is cut and wrapped by that. */
import { stripVTControlCharacters } from "node:util";

const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
const INVISIBLE = /^[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Control}]*$/u;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Columns that a text takes; colours take none. */
export function textWidth(text: string): number {
  // Most text is ASCII, for which the segmenter would be slow.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return splitCharacters(stripVTControlCharacters(text)).reduce((sum, character) => sum + characterWidth(character), 0);
}

/** The text in at most `width` columns, with an ellipsis where it was cut. */
export function cut(text: string, width: number): string {
  return textWidth(text) <= width ? text : `${take(text, width - 1)}…`;
}

/** The text filled up with spaces to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

/** The text in lines of at most `width` columns, broken at spaces where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (textWidth(line) > width) {
      const head = take(line, width) || splitCharacters(line)[0]!;
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}

function take(text: string, width: number): string {
  let taken = "";
  let used = 0;
  for (const character of splitCharacters(text)) {
    used += characterWidth(character);
    if (used > width) break;
    taken += character;
  }
  return taken;
}

function splitCharacters(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function characterWidth(character: string): number {
  if (INVISIBLE.test(character)) return 0;
  return WIDE.test(character) || EMOJI.test(character) ? 2 : 1;
}
