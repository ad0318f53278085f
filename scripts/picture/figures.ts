/** How the runs of one OpenClaw ended. */
export interface Figures {
  label: string;
  runs: number;
  bricked: number;
  /** Answered, but with content missing, or only one message of two. */
  partly: number;
}

/** A group of bars, with what they were counted over. */
export interface Group {
  title: string;
  bars: Figures[];
}

const SPECIFIED = "repaired as the specification says";
const BASE = ["2026.2.3", "2026.9.6"];

/** Reads results/corpus.md and results/disk-repair.md; throws when a figure is not where it is expected. */
export function readGroups(corpus: string, diskRepair: string): Group[] {
  return [
    ...BASE.map((release) => ({
      title: `OpenClaw ${release}: each corrupt session at each provider`,
      bars: [
        { label: "unpatched", ...corpusFigures(corpus, release, "stock") },
        { label: "patched", ...corpusFigures(corpus, release, "patched") },
      ],
    })),
    ...BASE.map((release) => ({
      title: `OpenClaw ${release}, unpatched: stored sessions, and repaired ones`,
      bars: [
        { label: "stored", ...diskFigures(diskRepair, `${release}, as stored`) },
        // The Layer 0 specification's own repair, beside that of this project.
        ...(diskRepair.includes(`| ${release}, ${SPECIFIED} |`)
          ? [{ label: "simple repair", ...diskFigures(diskRepair, `${release}, ${SPECIFIED}`) }]
          : []),
        { label: "repaired", ...diskFigures(diskRepair, `${release}, repaired on the disk`) },
      ],
    })),
  ];
}

function corpusFigures(text: string, release: string, variant: string): Omit<Figures, "label"> {
  const from = text.indexOf(`OpenClaw ${release}: `);
  const line = new RegExp(`^ +${variant} +(.*)$`, "m").exec(from < 0 ? "" : text.slice(from))?.[1];
  if (line === undefined) throw missing(`the figures of ${variant} ${release}`, "results/corpus.md");
  const of = /(?:bricked|answered) (\d+) of (\d+)/.exec(line);
  if (!of) throw missing(`"… n of m" for ${variant} ${release}`, "results/corpus.md");
  const number = (pattern: RegExp): number => Number(pattern.exec(line)?.[1] ?? 0);
  return {
    runs: Number(of[2]),
    bricked: number(/bricked (\d+)/),
    partly: number(/one message of two (\d+)/) + number(/real content lost in (\d+)/),
  };
}

function diskFigures(text: string, row: string): Omit<Figures, "label"> {
  const cells = text
    .split("\n")
    .find((line) => line.startsWith(`| ${row} |`))
    ?.split("|")
    .slice(2, 6)
    .map(Number);
  if (cells?.length !== 4 || !cells.every(Number.isInteger))
    throw missing(`the row "${row}"`, "results/disk-repair.md");
  const [runs, bricked, partly] = cells as [number, number, number, number];
  return { runs, bricked, partly };
}

function missing(what: string, where: string): Error {
  return new Error(`expected ${what} in ${where}; found none. Look at what its script writes now.`);
}
