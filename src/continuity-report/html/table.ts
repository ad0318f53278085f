import { type Content, html, type Markup } from "../../doctor/html/markup.ts";

/** A column: its heading, and the class of its cells. */
export interface Column {
  readonly heading: string;
  /** `grow` takes the room that is left, `some` has room for a few words in a line, `nowrap` stays on its line. */
  readonly as: "grow" | "some" | "nowrap";
}

/** A longer table is folded, with the number of its rows. */
const MAX_OPEN = 50;

/**
 * Renders a table under a heading, or nothing without rows. The first cell of a row is its heading. A narrow screen
 * scrolls the table and not the page, by keys too.
 */
export function table(
  {
    id,
    heading,
    note,
    level = 3,
  }: { readonly id: string; readonly heading: string; readonly note?: Content; readonly level?: 2 | 3 },
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
): Markup | false {
  if (rows.length === 0) return false;
  const title = html`<h${level} id="${id}">${heading} <span class="count">${rows.length.toLocaleString("en")}</span></h${level}>`;
  const body = html`<div class="wide" role="region" tabindex="0" aria-labelledby="${id}"><table aria-labelledby="${id}">
<thead><tr>${columns.map(({ heading: name, as }) => html`<th scope="col" class="${as}">${name}</th>`)}</tr></thead>
<tbody>
${rows.map((cells) => html`<tr>${cells.map((cell, at) => renderCell(cell, at, columns[at]!.as))}</tr>\n`)}</tbody></table></div>`;
  if (rows.length <= MAX_OPEN) return html`${title}${note}${body}\n`;
  return html`<details class="group"><summary>${title}</summary>${note}${body}</details>\n`;
}

function renderCell(cell: Content, at: number, as: Column["as"]): Markup {
  return at === 0 ? html`<th scope="row" class="${as}">${cell}</th>` : html`<td class="${as}">${cell}</td>`;
}
