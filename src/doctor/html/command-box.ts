import { html, type Markup } from "./markup.ts";

/** Renders a command to be copied. Its options stay whole: a browser breaks a line at their hyphens. */
export function commandBox(command: string): Markup {
  const words = command.split(/(?<=[ \n])/);
  return html`<code class="command">${words.map((word) => (/^--?[a-z]/.test(word) ? html`<span class="option">${word.trimEnd()}</span>${word.slice(word.trimEnd().length)}` : word))}</code>`;
}
