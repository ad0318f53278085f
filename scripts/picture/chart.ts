import type { Figures, Group } from "./figures.ts";
import { box, svg, text, THEMES, type Theme, type ThemeName } from "./svg.ts";

const WIDTH = 800;
const MARGIN = 16;
const LABEL = 108;
const FIGURES = 196;
const BAR_HEIGHT = 24;
const ROW = 34;
const TITLE = 42;
const TRACK = WIDTH - 2 * MARGIN - LABEL - FIGURES;
const LEGEND = 34;

/** A bar for each OpenClaw: how many corrupt sessions were bricked, answered in part, and answered whole. */
export function chart(groups: readonly Group[], name: ThemeName): string {
  const theme = THEMES[name];
  const parts: string[] = [...legend(theme)];
  let y = LEGEND + 6;
  for (const { title, bars } of groups) {
    y += TITLE;
    parts.push(text(MARGIN, y - 12, title, { size: 18, fill: theme.text, bold: true }));
    for (const bar of bars) {
      parts.push(...drawBar(bar, y, theme));
      y += ROW;
    }
  }
  return svg({ width: WIDTH, height: y + 12, theme, title: spoken(groups) }, parts);
}

function legend(theme: Theme): string[] {
  const entries = [
    ["badArea", "bricked", 130],
    ["warn", "answered, content missing", 282],
    ["goodArea", "answered, whole", 0],
  ] as const;
  let x = MARGIN;
  return entries.flatMap(([look, words, width]) => {
    const at = x;
    x += width;
    return [
      box({ x: at, y: LEGEND - 18, width: 16, height: 16 }, theme[look], ' rx="3"'),
      text(at + 24, LEGEND - 4, words, { size: 17, fill: theme.dim }),
    ];
  });
}

function drawBar(bar: Figures, y: number, theme: Theme): string[] {
  const { label, runs, bricked, partly } = bar;
  const x = MARGIN + LABEL;
  const widths = [bricked, partly, runs - bricked - partly].map((many) => round((many / runs) * TRACK));
  const looks = ["badArea", "warn", "goodArea"] as const;
  const segments = looks.map((look, nth) =>
    box(
      {
        x: round(x + widths.slice(0, nth).reduce((sum, one) => sum + one, 0)),
        y,
        width: widths[nth]!,
        height: BAR_HEIGHT,
      },
      theme[look],
    ),
  );
  const baseline = y + 18;
  return [
    text(MARGIN, baseline, label, { size: 17, fill: theme.text }),
    ...segments.filter((_, nth) => widths[nth]! > 0),
    text(WIDTH - MARGIN, baseline, `${bricked} of ${runs} bricked`, {
      size: 17,
      fill: bricked > 0 ? theme.bad : theme.good,
      bold: true,
      end: true,
    }),
  ];
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

/** The chart in words, for those who do not see it. */
function spoken(groups: readonly Group[]): string {
  return groups
    .map(
      ({ title, bars }) =>
        `${title}: ${bars.map(({ label, runs, bricked, partly }) => `${label} ${bricked} of ${runs} bricked, ${partly} answered with content missing`).join("; ")}`,
    )
    .join(". ");
}
