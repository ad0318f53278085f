import { EVERYWHERE, FIGURES, type Cost, type Figure, type FigureName, type Proof } from "../proof/proof.ts";
import { box, svg, text, THEMES, type Theme, type ThemeName } from "./svg.ts";

const WIDTH = 800;
const MARGIN = 16;
const LABEL = 330;
const FIGURE = 210;
const TRACK = WIDTH - 2 * MARGIN - LABEL - FIGURE;
const ROW = 26;
const BAR = 8;
const LEGEND = 34;
const PANEL = { width: 240, height: 110, gap: 24 };

const COSTS = [
  ["megabytes", "memory, MB"],
  ["cpuMsAMessage", "CPU, ms a message"],
  ["firstWordMs", "first word, ms"],
] as const satisfies readonly (readonly [keyof Cost, string])[];

/** Stock and patched side by side: bars for what went wrong, and lines for what it cost over time. */
export function proofChart(proof: Proof, name: ThemeName): string {
  const theme = THEMES[name];
  const parts = [...legend(theme)];
  let y = LEGEND + 6;
  for (const [release, named] of Object.entries(proof.figures)) {
    const rows = (Object.keys(FIGURES) as FigureName[]).flatMap((figure) =>
      FIGURES[figure] === "zero" && named[figure] !== undefined ? [[figure, named[figure]] as const] : [],
    );
    const title = release === EVERYWHERE ? "Without a release" : `OpenClaw ${release}`;
    parts.push(text(MARGIN, y + 24, title, { size: 18, fill: theme.text, bold: true }));
    y += 36;
    for (const [label, figure] of rows) {
      parts.push(...drawRow(label, figure, y, theme));
      y += ROW;
    }
    const costs = proof.costs[release];
    if (costs === undefined) continue;
    for (const [nth, [key, label]] of COSTS.entries())
      parts.push(
        ...drawPanel({ x: MARGIN + nth * (PANEL.width + PANEL.gap), y: y + 8 }, { label, key, ...costs }, theme),
      );
    y += PANEL.height + 48;
  }
  return svg({ width: WIDTH, height: y + 12, theme, title: spoken(proof) }, parts);
}

function legend(theme: Theme): string[] {
  return (["stock", "patched"] as const).flatMap((words, nth) => [
    box({ x: MARGIN + nth * 110, y: LEGEND - 18, width: 16, height: 16 }, color(words, theme), ' rx="3"'),
    text(MARGIN + nth * 110 + 24, LEGEND - 4, words, { size: 17, fill: theme.dim }),
  ]);
}

function color(variant: "stock" | "patched", theme: Theme): string {
  return variant === "stock" ? theme.badArea : theme.goodArea;
}

function drawRow(label: string, { stock, patched, of }: Figure, y: number, theme: Theme): string[] {
  const most = Math.max(1, stock ?? 0, patched);
  const bar = (count: number, nth: number, fill: string): string[] =>
    count === 0
      ? []
      : [
          box(
            {
              x: MARGIN + LABEL,
              y: y + nth * (BAR + 1),
              width: Math.max(2, round((count / most) * TRACK)),
              height: BAR,
            },
            fill,
          ),
        ];
  const among = of === undefined ? "" : ` of ${of}`;
  return [
    text(MARGIN, y + 14, label, { size: 14, fill: theme.text }),
    ...bar(stock ?? 0, 0, color("stock", theme)),
    ...bar(patched, 1, color("patched", theme)),
    text(WIDTH - MARGIN, y + 14, `${patched}${among}${stock === undefined ? "" : `, stock ${stock}`}`, {
      size: 14,
      fill: patched > 0 ? theme.bad : theme.good,
      end: true,
    }),
  ];
}

interface Panel {
  label: string;
  key: (typeof COSTS)[number][0];
  stock: readonly Cost[];
  patched: readonly Cost[];
}

function drawPanel({ x, y }: { x: number; y: number }, { label, key, ...sides }: Panel, theme: Theme): string[] {
  const all = [...sides.stock, ...sides.patched];
  const most = all.reduce((found, cost) => Math.max(found, cost[key] ?? 0), 1);
  const last = all.reduce((found, { minute }) => Math.max(found, minute), 1);
  const line = (variant: "stock" | "patched"): string => {
    const points = sides[variant].flatMap((cost) => {
      const value = cost[key];
      if (value === undefined) return [];
      return [`${round(x + (cost.minute / last) * PANEL.width)},${round(y + 20 + (1 - value / most) * PANEL.height)}`];
    });
    return `<polyline points="${points.join(" ")}" fill="none" stroke="${color(variant, theme)}" stroke-width="2"/>`;
  };
  return [
    box({ x, y: y + 20, width: PANEL.width, height: PANEL.height }, theme.pane),
    text(x, y + 14, label, { size: 14, fill: theme.dim }),
    text(x + PANEL.width, y + 14, `to ${most}, ${last} min`, { size: 13, fill: theme.dim, end: true }),
    line("stock"),
    line("patched"),
  ];
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

/** The chart in words, for those who do not see it. */
function spoken({ figures }: Proof): string {
  return Object.entries(figures)
    .map(([release, named]) => {
      const told = Object.entries(named).map(([name, { stock, patched }]) =>
        stock === undefined ? `${name} ${patched}` : `${name} ${patched}, stock ${stock}`,
      );
      return `${release}: ${told.join("; ")}`;
    })
    .join(". ");
}
