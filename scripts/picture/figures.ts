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

/** The steps that repair, by their names in results/bench-peers.md. */
const PEERS: Readonly<Record<string, string>> = {
  "this project": "ours: healingFetch",
  "OpenClaw's": "OpenClaw 2026.9.6: sanitizeSessionHistory",
  "Layer 0's": "the Layer 0 specification's repair",
  "OpenAI agents": "@openai/agents: dropOrphanToolCalls",
  pi: "@mariozechner/pi-ai: transformMessages",
  deepagents: "deepagents: createPatchToolCallsMiddleware",
};

/** Reads results/bench-peers.md: what the repairs of other projects make of the corpus, as one request of each history. */
export function readPeers(page: string): Group {
  const bars = Object.entries(PEERS).map(([label, step]) => {
    const cells = page
      .split("\n")
      .find((line) => line.startsWith(`| ${step} |`))
      ?.split("|")
      .slice(5, 9)
      .map(Number);
    if (cells?.length !== 4 || !cells.every(Number.isInteger))
      throw missing(`the row "${step}"`, "results/bench-peers.md");
    const [whole, partly, refused, thrown] = cells as [number, number, number, number];
    return { label, runs: whole + partly + refused + thrown, bricked: refused + thrown, partly };
  });
  return { title: "Each corrupt history once: the repairs of other projects", bars };
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
