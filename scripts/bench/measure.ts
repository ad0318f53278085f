/** Two ways to do something, in ms per call. */
export interface Measured {
  name: string;
  messages: number;
  /** The function under test. */
  ms: number;
  /** The bare loop over the same blocks. */
  bareMs: number;
  /** Median of the ratios of neighbouring runs, which a slow moment of the machine hits alike. */
  ratio: number;
  /** Bytes that a call leaves on the heap. */
  bytes: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
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

const ROUNDS = 31;
const ROUND_MS = 8;

/** Times `run` against `bare`, turn and turn about in one process, after both are warm. */
export function compare(name: string, messages: number, run: () => unknown, bare: () => unknown): Measured {
  const calls = callsFor(run, ROUND_MS);
  const bareCalls = callsFor(bare, ROUND_MS);
  const rounds = Array.from({ length: ROUNDS }, () => ({ ms: time(run, calls), bareMs: time(bare, bareCalls) }));
  return {
    name,
    messages,
    ms: median(rounds.map(({ ms }) => ms)),
    bareMs: median(rounds.map(({ bareMs }) => bareMs)),
    ratio: median(rounds.map(({ ms, bareMs }) => ms / bareMs)),
    bytes: bytesPerCall(run),
  };
}
