import type { Figures, Group } from "./figures.ts";
import { box, svg, text, THEMES, type Theme, type ThemeName } from "./svg.ts";

const MARGIN = 16;
const LABEL = 124;
const FIGURES = 228;
const BAR_HEIGHT = 24;
const TITLE = 42;
const LEGEND = 34;
const LINE = 22;

/** How wide the picture is, and whether a bar has a line of its own, below its words. */
interface Form {
  readonly width: number;
  readonly isNarrow: boolean;
}

/**
 * A bar for each OpenClaw: how many corrupt sessions got no answer, one with content missing, and a whole one.
 * `isNarrow`: for a phone, where letters stay as large.
 */
export function chart(groups: readonly Group[], name: ThemeName, isNarrow = false): string {
  const theme = THEMES[name];
  const form = { width: isNarrow ? 408 : 800, isNarrow };
  const parts: string[] = [...legend(theme, form)];
  let y = LEGEND + 6 + (isNarrow ? 2 * LINE : 0);
  for (const { title, bars } of groups) {
    y += TITLE;
    // A title says the release first, then of what the bars are.
    const titles = isNarrow ? title.split(/(?<=:) /) : [title];
    for (const [nth, line] of titles.entries()) {
      if (nth > 0) y += LINE;
      parts.push(text(MARGIN, y - 12, line, { size: isNarrow ? 16 : 18, fill: theme.text, bold: true }));
    }
    for (const bar of bars) {
      parts.push(...drawBar(bar, y, theme, form));
      y += BAR_HEIGHT + 10 + (isNarrow ? LINE : 0);
    }
  }
  return svg({ width: form.width, height: y + 12, theme, title: spoken(groups) }, parts);
}

function legend(theme: Theme, { isNarrow }: Form): string[] {
  const entries = [
    ["badArea", "no answer", 140],
    ["warn", "answered, content missing", 282],
    ["goodArea", "answered, whole", 0],
  ] as const;
  let x = MARGIN;
  return entries.flatMap(([look, words, width], nth) => {
    const at = isNarrow ? MARGIN : x;
    const y = LEGEND + (isNarrow ? nth * LINE : 0);
    x += width;
    return [
      box({ x: at, y: y - 18, width: 16, height: 16 }, theme[look], ' rx="3"'),
      text(at + 24, y - 4, words, { size: isNarrow ? 16 : 17, fill: theme.dim }),
    ];
  });
}

function drawBar(bar: Figures, top: number, theme: Theme, { width, isNarrow }: Form): string[] {
  const { label, runs, bricked, partly } = bar;
  const x = isNarrow ? MARGIN : MARGIN + LABEL;
  const y = isNarrow ? top + LINE : top;
  const track = width - x - MARGIN - (isNarrow ? 0 : FIGURES);
  const widths = [bricked, partly, runs - bricked - partly].map((many) => round((many / runs) * track));
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
  const baseline = top + 18 - (isNarrow ? 2 : 0);
  const size = isNarrow ? 16 : 17;
  return [
    text(MARGIN, baseline, label, { size, fill: theme.text }),
    ...segments.filter((_, nth) => widths[nth]! > 0),
    text(width - MARGIN, baseline, `no answer: ${bricked} of ${runs}`, {
      size,
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
        `${title}: ${bars.map(({ label, runs, bricked, partly }) => `${label} ${bricked} of ${runs} without an answer, ${partly} answered with content missing`).join("; ")}`,
    )
    .join(". ");
}
