import { median } from "../measure.ts";

/** Two ways to do something, turn and turn about in one process. */
export interface Pair {
  readonly name: string;
  readonly store: string;
  readonly rounds: number;
  /** Milliseconds per call: the median over the rounds. */
  readonly ms: number;
  readonly bareMs: number;
  /** Median of the ratios of neighbouring rounds, which a slow moment of the machine hits alike. */
  readonly ratio: number;
  /** The middle half of these ratios. */
  readonly spread: readonly [number, number];
}

/** One call of either. */
export type Call = () => Promise<unknown> | unknown;

const WARM_UP = 8;

/**
 * Measures rounds of calls of `run` against as many of `bare`; which of them comes first changes from round to round.
 */
export async function measurePair(
  name: string,
  store: string,
  run: Call,
  bare: Call,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<Pair> {
  const measured: { ms: number; bareMs: number }[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const before = round % 2 === 0 ? await time(bare, calls) : undefined;
    const ms = await time(run, calls);
    const bareMs = before ?? (await time(bare, calls));
    if (round >= 0) measured.push({ ms, bareMs });
  }
  return toPair(name, store, measured);
}

/** The pair of rounds that were measured elsewhere. */
export function toPair(
  name: string,
  store: string,
  measured: readonly { readonly ms: number; readonly bareMs: number }[],
): Pair {
  const ratios = measured.map(({ ms, bareMs }) => ms / bareMs).toSorted((a, b) => a - b);
  const quarter = Math.floor(ratios.length / 4);
  return {
    name,
    store,
    rounds: measured.length,
    ms: median(measured.map(({ ms }) => ms)),
    bareMs: median(measured.map(({ bareMs }) => bareMs)),
    ratio: median(ratios),
    spread: [ratios[quarter]!, ratios.at(-1 - quarter)!],
  };
}

async function time(call: Call, calls: number): Promise<number> {
  const started = performance.now();
  for (let at = 0; at < calls; at++) await call();
  return (performance.now() - started) / calls;
}
