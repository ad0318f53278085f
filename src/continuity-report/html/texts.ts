import { splitLines } from "../../base/quoted.ts";
import { formatTime } from "../../base/time.ts";
import { type Author, authorText } from "../../continuity/index.ts";
import { html, type Markup } from "../../doctor/html/markup.ts";

/** Characters of a recorded text that the page shows. */
const LONGEST = 2000;

/** Renders a recorded text, with its lines, so that its direction of writing ends with it. A longer one is cut. */
export function recorded(text: string): Markup {
  const shown = text.slice(0, LONGEST).toWellFormed();
  const lines = splitLines(shown).map((line, at) => html`${at > 0 && html`<br>`}${line}`);
  return html`<bdi>${lines}${text.length > LONGEST && html`… <small>(${text.length.toLocaleString("en")} characters)</small>`}</bdi>`;
}

/** Renders a time of the ledger. */
export function when(iso: string): Markup {
  return html`<time datetime="${iso}">${formatTime(iso)}</time>`;
}

/** Renders who wrote a text; the name at the command line is the user's own. */
export function by(author: Author): Markup {
  const name = author.entry === "cli" && author.name !== null ? ` ("${author.name}")` : "";
  return html`<bdi>${authorText(author)}${name}</bdi>`;
}
