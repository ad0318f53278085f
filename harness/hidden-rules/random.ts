/** Choices that are the same for the same seed. */
export interface Random {
  /** A whole number from 0, less than `n`. */
  upTo(n: number): number;
  one<T>(list: readonly T[]): T;
  /** True in one of `n` cases. */
  oneIn(n: number): boolean;
}

/** Numbers by mulberry32. */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (n: number): number => Math.floor(next() * n);
  return {
    upTo,
    oneIn: (n) => upTo(n) === 0,
    one<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error("expected a list with something to choose from; found an empty one");
      return list[upTo(list.length)]!;
    },
  };
}
