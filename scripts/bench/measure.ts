/** Two ways to do something, in ms per call. */
export interface Measured {
  name: string;
  messages: number;
  /** The function under test. */
  ms: number;
  /** The bare loop over the same blocks. */
  bareMs: number;
  /** Times of the bare loop. */
  ratio: number;
  /** Times of JSON.stringify of the same list. */
  jsonRatio: number;
  /** Bytes that a call leaves on the heap. */
  bytes: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value below which this part of the values lies. */
function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)]!;
}

/** Keeps results in use, so that no call is optimised away: none of them gives undefined. */
function use(value: unknown): void {
  if (value === undefined) throw new Error("A measured call gave nothing");
}

function time(run: () => unknown, calls: number): number {
  const started = performance.now();
  for (let call = 0; call < calls; call++) use(run());
  return (performance.now() - started) / calls;
}

/** Calls that together take about `ms`. */
function callsFor(run: () => unknown, ms: number): number {
  let calls = 1;
  while (time(run, calls) * calls < ms / 4 && calls < 1 << 22) calls *= 2;
  return Math.max(1, Math.round(ms / Math.max(time(run, calls), 1e-6)));
}

/**
 * What a call allocates, by the growth of the heap between two collections that did not happen; 0 when it cannot be
 * told.
 */
function bytesPerCall(run: () => unknown): number {
  const { gc } = globalThis;
  if (!gc) return Number.NaN;
  const samples = Array.from({ length: 9 }, () => {
    const calls = 8;
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let call = 0; call < calls; call++) use(run());
    return (process.memoryUsage().heapUsed - before) / calls;
  });
  return Math.max(0, median(samples));
}

const MAX_ROUNDS = 121;
/** Long calls need fewer rounds: they are told apart by less. */
const MIN_ROUNDS = 15;
const TOTAL_MS = 1500;
/** Short enough that most rounds pass without another process taking the core. */
const ROUND_MS = 1;
/** Rounds in which another process took the core, or memory was collected, are slower than this part of them. */
const UNDISTURBED = 0.15;

/** Functions that a measured one is compared with. */
export interface Yardsticks {
  readonly bare: () => unknown;
  readonly json: () => unknown;
}

/** Returns the time of a call that nothing disturbed, of several. */
export function undisturbed(times: readonly number[]): number {
  return quantile(times, UNDISTURBED);
}

/**
 * Times `run` against the yardsticks, turn and turn about in one process, after all are warm. Each time is that of
 * rounds which nothing disturbed, so that the ratios are the same on a loaded machine.
 */
export function compare(name: string, messages: number, run: () => unknown, { bare, json }: Yardsticks): Measured {
  const ways = [run, bare, json].map((way) => ({ way, calls: callsFor(way, ROUND_MS), times: [] as number[] }));
  const since = performance.now();
  const isEnough = (round: number): boolean =>
    round >= MAX_ROUNDS || (round >= MIN_ROUNDS && performance.now() - since > TOTAL_MS);
  for (let round = 0; !isEnough(round); round++) for (const { way, calls, times } of ways) times.push(time(way, calls));
  const [ms, bareMs, jsonMs] = ways.map(({ times }) => undisturbed(times)) as [number, number, number];
  return { name, messages, ms, bareMs, ratio: ms / bareMs, jsonRatio: ms / jsonMs, bytes: bytesPerCall(run) };
}

/**
 * Measures ways in turn, each round in another order: who comes later finds the machine as the ones before left it.
 * Returns what each way measured in the rounds after `warmUp` of them.
 */
export async function inTurn<Value>(
  ways: readonly (() => Promise<Value>)[],
  rounds: number,
  warmUp: number,
): Promise<Value[][]> {
  const found = ways.map((): Value[] => []);
  for (let round = -warmUp; round < rounds; round++) {
    for (let step = 0; step < ways.length; step++) {
      const at = (step + round + warmUp) % ways.length;
      const value = await ways[at]!();
      if (round >= 0) found[at]!.push(value);
    }
  }
  return found;
}

/** Two measurements of one round. */
export interface Pair {
  readonly base: number;
  readonly other: number;
}

/** A ratio and the interval that holds the true one with 95 % confidence. */
export interface Ratio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** How often the pairs are drawn anew for an interval. */
const RESAMPLES = 2000;

/** How much more the other one of a pair is. */
export interface Difference {
  /** The median of the first ones. */
  readonly base: number;
  /** The median difference of the pairs, and the interval that holds the true one with 95 % confidence. */
  readonly more: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the median ratio of pairs and the interval that holds the true one with 95 % confidence, by drawing the pairs
 * anew (percentile bootstrap). The same pairs give the same interval.
 */
export function estimateRatio(pairs: readonly Pair[]): Ratio {
  const { middle, low, high } = drawn(pairs.map(({ base, other }) => other / base));
  return { ratio: middle, low, high };
}

/** A ratio with its interval, in words. */
export function ratioWords({ ratio, low, high }: Ratio): string {
  return `${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}

/** The same for the differences of pairs. */
export function estimateDifference(pairs: readonly Pair[]): Difference {
  const { middle, low, high } = drawn(pairs.map(({ base, other }) => other - base));
  return { base: median(pairs.map(({ base }) => base)), more: middle, low, high };
}

function drawn(values: readonly number[]): { middle: number; low: number; high: number } {
  let state = 1;
  // Park and Miller's generator.
  const next = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[Math.floor(next() * values.length)]!)),
  );
  return { middle: median(values), low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
}
