import { createHash } from "node:crypto";

/** Random choices that are the same for the same seed, on every machine. */
export interface Random {
  /** From 0 up to, not including, 1. */
  real(): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/** A source of random choices. */
export function makeRandom(seed: string): Random {
  let drawn = 0;
  const real = (): number => createHash("sha256").update(`${seed}:${drawn++}`).digest().readUInt32BE() / 2 ** 32;
  return {
    real,
    between: (from, to) => from + Math.floor(real() * (to - from + 1)),
    pick: <T>(list: readonly T[]): T => list[Math.floor(real() * list.length)] as T,
    chance: (probability) => real() < probability,
  };
}
