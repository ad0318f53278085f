import { createHash } from "node:crypto";
import { visible } from "../printable.ts";

/**
 * Text that is HTML already. Only {@link html} creates instances, so no text of a transcript gets into a page
 * unescaped.
 */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Content of a template; `false` and `undefined` render as nothing. */
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
 * Template tag for HTML. Escapes every value for use in text and in double -quoted attributes. Invisible characters are
 * written out, so that no name can reverse the text around it.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(strings.reduce((text, string, at) => text + writeContent(values[at - 1]) + string));
}

function writeContent(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (content === undefined || content === false) return "";
  if (typeof content === "object") return content.map(writeContent).join("");
  return visible(String(content)).replaceAll(/[&<>"'`]/g, (character) => ENTITIES[character]!);
}

/** The source of a style sheet or script in the page's content security policy. */
export function hashSource({ text }: Markup): Markup {
  return new Markup(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
}
