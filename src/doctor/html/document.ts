import { type Content, hashSource, html, type Markup } from "./markup.ts";

/** What a page shows, and what it is allowed to use. */
interface Document {
  readonly title: string;
  readonly style: Markup;
  readonly script?: Markup;
  /** What stands in `main`, with a line feed at its end. */
  readonly content: Content;
}

/**
 * Returns one self-contained page: no network, no font. Its content security policy permits the style sheet and the
 * script by their hashes and nothing else.
 */
export function renderDocument({ title, style, script, content }: Document): string {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${hashSource(style)};${script && html` script-src ${hashSource(script)};`} base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${content}</main>
${
  script &&
  html`<script>${script}</script>
`
}</body>
</html>
`.text;
}
