import type { Recording, Side } from "./recording.ts";
import { box, svg, text, THEMES, type TextStyle, type Theme, type ThemeName } from "./svg.ts";

const GAP = 16;
const MARGIN = 16;
const PANE = 376;
const BAR = 38;
const SIZE = 16;
const LINE = 23;
// What a monospaced letter takes at that size, with room for wider fonts.
const COLUMNS = Math.floor((PANE - 2 * MARGIN) / (SIZE * 0.615));
const VERDICT = 54;

interface Line {
  words: string;
  look: "text" | "dim" | "bad" | "good";
}

/**
 * Both OpenClaws with the same session: what a person wrote, and what came back. Beside each other, or for a phone
 * (`isNarrow`) one above the other, so that letters stay as large there.
 */
export function panes(recording: Recording, name: ThemeName, isNarrow = false): string {
  const theme = THEMES[name];
  const left = paneLines(recording.stock);
  const right = paneLines(recording.patched);
  if (recording.healed.length > 0)
    right.push({ words: "", look: "dim" }, ...wrapped(`healed: ${healedText(recording)}`, "dim"));
  const head = [
    ...headLines("A content filter cut off an answer inside a tool call.", isNarrow, {
      size: 21,
      fill: theme.text,
      bold: true,
    }),
    ...headLines("The session of the incident of 5 February 2026, and two more messages:", isNarrow, {
      size: 18,
      fill: theme.dim,
    }),
  ];
  const top = 28 + head.length * 28;
  const both = paneHeight(Math.max(left.length, right.length));
  const [first, second] = isNarrow ? [paneHeight(left.length), paneHeight(right.length)] : [both, both];
  const sides = [
    { x: MARGIN, y: top, height: first, title: `OpenClaw ${recording.release}`, lines: left, side: recording.stock },
    {
      x: isNarrow ? MARGIN : MARGIN + PANE + GAP,
      y: isNarrow ? top + first + VERDICT : top,
      height: second,
      title: "with openclaw-integrity",
      lines: right,
      side: recording.patched,
    },
  ];
  return svg(
    {
      width: 2 * MARGIN + (isNarrow ? PANE : 2 * PANE + GAP),
      height: sides[1]!.y + second + VERDICT,
      theme,
      title: `A corrupt session in OpenClaw ${recording.release}: no answer without the patch, one with it`,
    },
    [
      ...head.map(({ words, style }, nth) => text(MARGIN, 32 + nth * 28, words, style)),
      ...sides.flatMap(({ side, ...at }) => [
        ...pane(at, theme),
        text(at.x, at.y + at.height + 34, describeVerdict(side), {
          size: 18,
          fill: isAnswered(side) ? theme.good : theme.bad,
          bold: true,
        }),
      ]),
    ],
  );
}

function headLines(words: string, isNarrow: boolean, style: TextStyle): { words: string; style: TextStyle }[] {
  const lines = isNarrow ? wrapped(words, "text").map((line) => line.words) : [words];
  return lines.map((line) => ({ words: line, style: isNarrow ? { ...style, size: 17 } : style }));
}

function isAnswered({ answers }: Side): boolean {
  return answers.every((answer) => answer !== null);
}

function describeVerdict(side: Side): string {
  if (isAnswered(side)) return side.isWhole ? "✓ answered, with the whole history" : "answered, content missing";
  return side.answers.every((answer) => answer === null) ? "✗ no message gets an answer" : "✗ one message of two";
}

function pane(at: { x: number; y: number; height: number; title: string; lines: Line[] }, theme: Theme): string[] {
  const { x, y, height, title, lines } = at;
  const dots = [0, 1, 2].map(
    (nth) => `<circle cx="${x + 18 + nth * 16}" cy="${y + BAR / 2}" r="5" fill="${theme.edge}"/>`,
  );
  return [
    box({ x, y, width: PANE, height }, theme.pane, ` rx="8" stroke="${theme.edge}"`),
    ...dots,
    text(x + 72, y + 25, title, { size: 16, fill: theme.text, bold: true }),
    `<path d="M${x} ${y + BAR}h${PANE}" stroke="${theme.edge}"/>`,
    ...lines.map(({ words, look }, nth) =>
      words === ""
        ? ""
        : text(x + MARGIN, y + BAR + 26 + nth * LINE, words, { size: SIZE, fill: theme[look], mono: true }),
    ),
  ].filter(Boolean);
}

function paneLines({ answers, refused }: Side): Line[] {
  return answers.flatMap((answer, nth): Line[] => {
    const isAgain = nth > 0 && answers[0] === null;
    const words = isAgain
      ? `${refused?.status ?? ""} the same again`
      : `${refused?.status ?? ""} ${refused?.error ?? "no answer"}`;
    return [
      ...(nth === 0 ? [] : [{ words: "", look: "dim" } as const]),
      { words: `> ${nth === 0 ? "first" : "second"} message`, look: "dim" },
      ...wrapped(answer ?? words.trim(), answer === null ? "bad" : "good"),
    ];
  });
}

function healedText({ healed }: Recording): string {
  return healed
    .map(({ kind, count }) => `${count > 1 ? `${count}× ` : ""}${kind.replace("_tool_", " ").replaceAll("_", " ")}`)
    .join(", ");
}

/** Breaks at spaces, and where a word alone is too long. */
function wrapped(words: string, look: Line["look"]): Line[] {
  const lines: string[] = [""];
  for (const word of words.split(/\s+/)) {
    let rest = word;
    while (rest !== "") {
      const last = lines.at(-1)!;
      const joined = last === "" ? rest : `${last} ${rest}`;
      if (joined.length <= COLUMNS) {
        lines[lines.length - 1] = joined;
        rest = "";
      } else if (last !== "") lines.push("");
      else {
        lines[lines.length - 1] = rest.slice(0, COLUMNS);
        rest = rest.slice(COLUMNS);
        lines.push("");
      }
    }
  }
  return lines.filter((line) => line !== "").map((line) => ({ words: line, look }));
}

/** How high a pane of so many rows is. */
function paneHeight(rows: number): number {
  return BAR + rows * LINE + 22;
}
