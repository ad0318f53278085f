import { styleText } from "node:util";
import { visible } from "../../../src/base/visible.ts";

type Format = Parameters<typeof styleText>[0];

/** The few looks that the report uses. */
export type Style = "good" | "bad" | "warn" | "dim" | "head";

/** Puts a look on a text. */
export type Paint = (style: Style | undefined, text: string) => string;

const FORMATS: Readonly<Record<Style, Format>> = {
  good: "green",
  bad: ["red", "bold"],
  warn: "yellow",
  dim: "dim",
  head: "bold",
};

/** Colours for a stream that is a terminal; NO_COLOR and FORCE_COLOR are honoured. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => (style === undefined ? text : styleText(FORMATS[style], text, { stream }));
}

/** What {@link paintFor} puts around a text. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /(\u001b\[\d+m)/;

/**
 * A line as it goes to a terminal: nothing in it acts but the looks. What others wrote has been through {@link visible}
 * before it was painted.
 */
export function shown(line: string): string {
  return line
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : visible(part)))
    .join("");
}

/** No colours at all. */
export const plain: Paint = (_style, text) => text;
