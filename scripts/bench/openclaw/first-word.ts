/** When the words of an answer reach the client of a real gateway, unpatched and patched. */
import { join } from "node:path";
import { openGateway, type Gateway } from "../../../harness/gateway/index.ts";
import { ensurePatched } from "../../../harness/openclaw/ensure-release.ts";
import { startProvider, type StrictProvider } from "../../../harness/providers/index.ts";
import { RELEASES, type Release } from "../../../src/patching/base/releases.ts";
import { estimateDifference, median, type Difference, type Pair } from "../measure.ts";
import { makeSession } from "./turns.ts";

/** What was measured at one pace of the provider; times in ms, of the unpatched gateway and how much more the patched. */
export interface FirstWordCost {
  readonly release: Release;
  /** How long the provider waits between two events; 0 for all at once. */
  readonly paceMs: number;
  readonly events: number;
  /** Pairs of gateways, and answers of each. */
  readonly processes: number;
  readonly answers: number;
  /** From the message to the first word. */
  readonly first: Difference;
  /** The median time between two updates of the answer. */
  readonly gap: Difference;
  /** The longest time between two updates. */
  readonly pause: Difference;
  /** From the first word to the last. */
  readonly answer: Difference;
  /** Updates of an answer that the client gets, the median. */
  readonly updates: readonly [stock: number, patched: number];
}

/** How a provider sends an answer: ms between two events, and how many pieces of text. */
const PACES: readonly (readonly [paceMs: number, events: number])[] = [
  [2, 300],
  [20, 50],
  [50, 20],
  [0, 1000],
];
/** How long the session is at first. */
export const WORDS_MESSAGES = 200;
const WARM_UP = 3;
const KEY = "agent:main:words";

interface Words {
  readonly first: number;
  readonly gap: number;
  readonly pause: number;
  readonly answer: number;
  readonly updates: number;
}

/**
 * Measures both base releases: a stock and a patched gateway, which answer in turn, at each pace of the provider; again
 * and again with new gateways, since what differs from one process to another would be taken for what the patch costs.
 */
export async function measureFirstWords(processes: number, answers: number): Promise<FirstWordCost[]> {
  const costs: FirstWordCost[] = [];
  for (const { release } of RELEASES) {
    const found = PACES.map((): PairOfWords[] => []);
    for (let round = 0; round < processes; round++) {
      const gateways = await openPair(release);
      try {
        for (const [at, [paceMs, events]] of PACES.entries())
          found[at]!.push(await measureMedians(gateways, paceMs, events, answers));
      } finally {
        await gateways.close();
      }
    }
    for (const [at, [paceMs, events]] of PACES.entries()) {
      const listPairs = (field: keyof Words): Pair[] =>
        found[at]!.map(({ stock, patched }) => ({ base: stock[field], other: patched[field] }));
      const updates = listPairs("updates");
      costs.push({
        release,
        paceMs,
        events,
        processes,
        answers,
        first: estimateDifference(listPairs("first")),
        gap: estimateDifference(listPairs("gap")),
        pause: estimateDifference(listPairs("pause")),
        answer: estimateDifference(listPairs("answer")),
        updates: [median(updates.map(({ base }) => base)), median(updates.map(({ other }) => other))],
      });
    }
  }
  return costs;
}

interface GatewayPair {
  readonly provider: StrictProvider;
  readonly stock: Gateway;
  readonly patched: Gateway;
  close(): Promise<void>;
}

/** Medians of the answers of one pair of gateways. */
interface PairOfWords {
  readonly stock: Words;
  readonly patched: Words;
}

async function openPair(release: Release): Promise<GatewayPair> {
  const installed = await ensurePatched(release);
  const provider = await startProvider();
  const gateways: Gateway[] = [];
  const close = async (): Promise<void> => {
    for (const gateway of gateways) await gateway.close();
    await provider.close();
  };
  const open = async (folder: string): Promise<Gateway> => {
    const gateway = await openGateway({ root: join(folder, "..", ".."), release, providerUrl: provider.url });
    gateways.push(gateway);
    await gateway.seed(KEY, makeSession(WORDS_MESSAGES));
    await gateway.start();
    return gateway;
  };
  try {
    return { provider, stock: await open(installed.stock), patched: await open(installed.patched), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function measureMedians(
  { provider, stock, patched }: GatewayPair,
  paceMs: number,
  events: number,
  answers: number,
): Promise<PairOfWords> {
  const found: { stock: Words; patched: Words }[] = [];
  for (let round = -WARM_UP; round < answers; round++) {
    const ask = (gateway: Gateway): Promise<Words> => measureWords(gateway, provider, paceMs, events);
    // Who comes second finds the machine as the first left it, so they take turns at that too.
    const first = round % 2 === 0 ? await ask(stock) : undefined;
    const other = await ask(patched);
    const base = first ?? (await ask(stock));
    if (round >= 0) found.push({ stock: base, patched: other });
  }
  return { stock: medianWords(found.map((one) => one.stock)), patched: medianWords(found.map((one) => one.patched)) };
}

function medianWords(words: readonly Words[]): Words {
  const pickMedian = (field: keyof Words): number => median(words.map((one) => one[field]));
  return {
    first: pickMedian("first"),
    gap: pickMedian("gap"),
    pause: pickMedian("pause"),
    answer: pickMedian("answer"),
    updates: pickMedian("updates"),
  };
}

async function measureWords(
  gateway: Gateway,
  provider: StrictProvider,
  paceMs: number,
  events: number,
): Promise<Words> {
  provider.reset();
  // Words of one length, so that each event of the provider has one of them.
  provider.script({ kind: "text", text: "word ".repeat(events), pieces: events, pace: paceMs });
  const { agentTimes, error } = await gateway.send(KEY, "hello there");
  const first = agentTimes[0];
  if (first === undefined) throw new Error(`${gateway.release}: ${error ?? "no words of an answer"}`);
  const gaps = agentTimes.slice(1).map((time, index) => time - agentTimes[index]!);
  return {
    first,
    gap: gaps.length === 0 ? 0 : median(gaps),
    pause: Math.max(0, ...gaps),
    answer: agentTimes.at(-1)! - first,
    updates: agentTimes.length,
  };
}

/** The first words as rows of a table, its head first. */
export function firstWordRows(costs: readonly FirstWordCost[]): string[][] {
  return [
    [
      "release",
      "events",
      "updates seen, stock and patched",
      "first word, ms",
      "between two updates, ms",
      "longest pause, ms",
      "first to last word, ms",
    ],
    ...costs.map(({ release, paceMs, events, updates, first, gap, pause, answer }) => [
      release,
      paceMs === 0 ? `${events.toLocaleString("en-US")} at once` : `${events}, one every ${paceMs} ms`,
      updates.join(" and "),
      ...[first, gap, pause, answer].map(differenceWords),
    ]),
  ];
}

function differenceWords({ base, more, low, high }: Difference): string {
  return `${base.toFixed(1)} ${signed(more)} (${signed(low)} to ${signed(high)})`;
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
}
