/** What a run has measured, as results/proof.json keeps it. */
export interface Proof {
  date: string;
  commit: string;
  node: string;
  command: string;
  seed: string;
  minutes: number;
  /** Each part that was run: how much of it, and the minutes that it took; or why it has no figures. */
  parts: { name: string; size: string; minutes: number; failed?: string }[];
  /** By release, or `EVERYWHERE`, then by the figure's name. */
  figures: Record<string, Partial<Record<FigureName, Figure>>>;
  /** By release: what the gateways have used over time. */
  costs: Record<string, { stock: Cost[]; patched: Cost[] }>;
}

/** What was counted of stock and of patched; the less the better. */
export interface Figure {
  /** Absent where only the patch can do it, or stock was not run. */
  stock?: number;
  patched: number;
  /** Among how many, of patched. */
  of?: number;
  /** Among how many, of stock. */
  stockOf?: number;
}

/** What a gateway has used around a moment. */
export interface Cost {
  minute: number;
  megabytes: number;
  cpuMsAMessage: number;
  /** Median; absent where no message without anything beside it was answered then. */
  firstWordMs?: number;
}

/** Where figures stand that are of no single release. */
export const EVERYWHERE = "all";

/** `zero`: the patched one must have none. `cost`: it is held to its own former cost beside stock. `count`: neither. */
export type FigureKind = "zero" | "cost" | "count";

/** Every figure, in the order in which a page has them. */
export const FIGURES = {
  "corrupt sessions bricked": "zero",
  "corrupt sessions answered with content missing": "zero",
  "conversations dead after a live fault": "zero",
  "half a call executed": "zero",
  "recorded requests changed": "zero",
  "hidden rules: claims that do not hold": "zero",
  "conversations dead": "zero",
  "messages lost": "zero",
  "results lost": "zero",
  "pictures lost": "zero",
  "outcomes told wrongly": "zero",
  "messages without a word": "zero",
  "refused requests of ours": "zero",
  resets: "zero",
  "gateway ended": "zero",
  "incidents of the guard": "zero",
  messages: "count",
  requests: "count",
  "extra requests of plain messages": "cost",
  "CPU, ms a message": "cost",
  "memory, MB at most": "cost",
  "first word, ms": "cost",
} as const satisfies Record<string, FigureKind>;

export type FigureName = keyof typeof FIGURES;
