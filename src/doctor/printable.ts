import { visible } from "../base/visible.ts";
import { toJson } from "../transcript/json/json.ts";

export { visible };

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Longer than any id or key that OpenClaw creates, or than a file's name: such a name is shown whole. */
export const WHOLE = 255;

/** Characters of an identifier that are shown: enough for a person to compare. */
const ID_BEGINNING = 9;
const ID_END = 4;

/**
 * Returns any value as one line of at most `length` characters, counted before invisible characters are written out.
 * Never throws.
 */
export function printable(value: unknown, length = 60): string {
  const text = (typeof value === "string" ? value : toJson(value)).replaceAll(/[\r\n\t]+/g, " ");
  return visible(text.length > length ? `${text.slice(0, length)}…`.toWellFormed() : text);
}

/** Shortens an identifier to its beginning and end: `toolu_01F…vwd5`. */
export function shortened(id: string): string {
  if (id.length <= ID_BEGINNING + ID_END + 2) return visible(id);
  return visible(`${id.slice(0, ID_BEGINNING)}…${id.slice(-ID_END)}`.toWellFormed());
}

/** Returns how many terminal columns a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Truncates or pads a text to exactly `columns` terminal columns. */
export function fitted(text: string, columns: number, side: "left" | "right" = "left"): string {
  const width = widthOf(text);
  if (width <= columns)
    return side === "left" ? text + " ".repeat(columns - width) : " ".repeat(columns - width) + text;
  let kept = "";
  for (const character of text) {
    if (widthOf(kept + character) > columns - 1) break;
    kept += character;
  }
  return fitted(`${kept}…`, columns, side);
}
