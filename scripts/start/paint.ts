import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** The few looks that the report uses. */
export type Style = "good" | "bad" | "warn" | "dim" | "head";

/** Puts a look on a text. */
export type Paint = (style: Style | undefined, text: string) => string;

const FORMATS: Readonly<Record<Style, Format>> = { good: "green", bad: ["red", "bold"], warn: "yellow", dim: "dim", head: "bold" };

/** Colours for a stream that is a terminal; NO_COLOR and FORCE_COLOR are honoured. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => (style === undefined ? text : styleText(FORMATS[style], text, { stream }));
}

/** No colours at all. */
export const plain: Paint = (_style, text) => text;
