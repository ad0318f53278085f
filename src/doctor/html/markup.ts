import { visible } from "../printable.ts";

/**
 * Text that is HTML already. Only {@link html} makes it, so that nothing from a transcript gets into a page unescaped.
 */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a page; `false` and `undefined` are nothing. */
export type Content = Markup | string | number | false | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/**
 * A piece of HTML. Whatever is put into it is escaped, for text and for attributes in double quotes; characters that
 * are not seen are written out, so that no name can turn the text around it about. Issue 6, item 4.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(strings.reduce((text, string, at) => text + textOf(values[at - 1]) + string));
}

function textOf(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (content === undefined || content === false) return "";
  if (typeof content === "object") return content.map(textOf).join("");
  return visible(String(content)).replaceAll(/[&<>"'`]/g, (character) => ENTITIES[character]!);
}
