/** Foreign values in a report: on one line, and as wide as a column. */
import { visible } from "../base/visible.ts";
import { textWidth } from "../base/width.ts";
import { toJson } from "../transcript/json/json.ts";

export { visible, textWidth };

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

/** Truncates or pads a text to exactly `columns` terminal columns. */
export function fitted(text: string, columns: number, side: "left" | "right" = "left"): string {
  const width = textWidth(text);
  if (width <= columns)
    return side === "left" ? text + " ".repeat(columns - width) : " ".repeat(columns - width) + text;
  let kept = "";
  for (const character of text) {
    if (textWidth(kept + character) > columns - 1) break;
    kept += character;
  }
  return fitted(`${kept}…`, columns, side);
}
