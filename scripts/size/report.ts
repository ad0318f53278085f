import { markdownTable } from "../fuzz/table.ts";
import type { Grown, Turn } from "./conversation.ts";
import type { Found } from "./histories.ts";

const number = new Intl.NumberFormat("en-US");

function percent(part: number, all: number): string {
  return all === 0 ? "none" : `${((part / all) * 100).toFixed(1)} %`;
}

/** The page results/size.md. */
export function reportOf(command: string, found: Found | undefined, grown: readonly Grown[]): string {
  return `# Histories that are larger than the model takes

${new Date().toISOString().slice(0, 10)}, \`${command}\`, Node ${process.version}.
${found ? `\n${fitPart(found)}` : ""}${grown.length > 0 ? `\n${growthPart(grown)}` : ""}`;
}

function fitPart(found: Found): string {
  const faults = [...found.faults].map(
    ([what, nths]) => `- ${what}: ${nths.length}, first ${nths.slice(0, 5).join(", ")}`,
  );
  return `## Random histories, random budgets

Each history is made to fit a budget in characters, bytes, both, or messages (\`fit\`, src/recovery/size/fit.ts). It has to fit, be
valid, hold no half of a character, be the same when it is fitted again, and hold the newest question whole where that fits
beside 12,000 characters. Every two-hundredth is followed from request to request while it grows.

${markdownTable([
  ["what", "number"],
  ["histories", number.format(found.histories)],
  ["larger than their budget", number.format(found.fitted)],
  ["whose newest question has to be whole", number.format(found.questions)],
  [
    "of which anything did not hold",
    number.format([...found.faults.values()].reduce((all, { length }) => all + length, 0)),
  ],
  ["requests above the budget that were followed", number.format(found.requests)],
  ["that begin with the whole request before", percent(found.whole, found.requests)],
  ["bytes of a request that begin the next one as well", percent(found.common, found.bytes)],
])}
${faults.length > 0 ? `\n${faults.join("\n")}\n` : ""}`;
}

function sum(turns: readonly Turn[], of: (turn: Turn) => number): number {
  return turns.reduce((total, turn) => total + of(turn), 0);
}

function growthPart(grown: readonly Grown[]): string {
  const rows = grown.map(({ release, variant, summariser, turns }) => [
    `${release}, ${variant}`,
    summariser,
    `${turns.filter(({ isAnswered }) => isAnswered).length} of ${turns.length}`,
    String(sum(turns, ({ requests }) => requests)),
    String(sum(turns, ({ summaries }) => summaries)),
    String(sum(turns, ({ refused }) => refused)),
    `${turns[Math.min(4, turns.length - 1)]?.megabytes} / ${turns[turns.length >> 1]?.megabytes} / ${turns.at(-1)?.megabytes}`,
    (sum(turns, ({ ms }) => ms) / turns.length / 1000).toFixed(1),
  ]);
  const failures = grown.flatMap(({ release, variant, summariser, firstFailure }) =>
    firstFailure === undefined ? [] : [`- ${release}, ${variant}, summariser ${summariser}, ${firstFailure}`],
  );
  return `## A conversation that grows

Each message adds 20,000 tokens; the provider takes 32,000, as its model declares. The real OpenClaw; memory is that
of its process behind the fifth turn, the middle one and the last one.

${markdownTable([
  ["OpenClaw", "summariser", "answered", "requests of turns", "for summaries", "refused", "memory, MB", "s a turn"],
  ...rows,
])}
${failures.length > 0 ? `\n${failures.join("\n")}\n` : ""}`;
}
