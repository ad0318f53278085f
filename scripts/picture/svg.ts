/** The two sets of colours; a page shows the one that fits its own. */
export const THEMES = {
  light: {
    back: "#ffffff",
    pane: "#f6f8fa",
    edge: "#d1d9e0",
    text: "#1f2328",
    dim: "#59636e",
    bad: "#c4192a",
    warn: "#d4a72c",
    good: "#1a7f37",
    // Areas are calmer than letters.
    badArea: "#cf222e",
    goodArea: "#2da44e",
  },
  dark: {
    back: "#0d1117",
    pane: "#161b22",
    edge: "#3d444d",
    text: "#e6edf3",
    dim: "#9198a1",
    bad: "#ff7b72",
    warn: "#d29922",
    good: "#56d364",
    badArea: "#da3633",
    goodArea: "#2ea043",
  },
} as const;

export type ThemeName = keyof typeof THEMES;
export type Theme = (typeof THEMES)[ThemeName];

// Nothing is embedded: each of these is on some system.
const MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";
const SANS = "-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif";

/** Text as it may stand in XML, in an element or an attribute; characters that XML cannot hold are left out. */
export function escapeXml(foreign: string): string {
  return foreign
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** How a line of text looks. */
export interface TextStyle {
  size: number;
  fill: string;
  mono?: boolean;
  bold?: boolean;
  end?: boolean;
}

/** A line of text, at its baseline. */
export function text(x: number, y: number, words: string, { size, fill, mono, bold, end }: TextStyle): string {
  const more = `${mono ? ' class="m"' : ""}${bold ? ' font-weight="600"' : ""}${end ? ' text-anchor="end"' : ""}`;
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}"${more}>${escapeXml(words)}</text>`;
}

/** A rectangle, with rounded corners if it is to have some. */
export function box(at: { x: number; y: number; width: number; height: number }, fill: string, more = ""): string {
  return `<rect x="${at.x}" y="${at.y}" width="${at.width}" height="${at.height}" fill="${fill}"${more}/>`;
}

/** The whole picture; `title` is what is read to those who do not see it. */
export function svg(options: { width: number; height: number; title: string; theme: Theme }, parts: string[]): string {
  const { width, height, title, theme } = options;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}" font-family="${SANS}">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>.m{font-family:${MONO};white-space:pre}</style>`,
    box({ x: 0, y: 0, width, height }, theme.back, ' rx="8"'),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}
