/** A random source that is nothing but a list of numbers, so that fast-check can shrink it. */
export class Draw {
  #at = 0;
  readonly #numbers: readonly number[];
  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }
  /** A whole number from 0 to `below` - 1. */
  next(below: number): number {
    if (below <= 1) return 0;
    const number = this.#numbers[this.#at++ % this.#numbers.length] ?? 0;
    return Math.abs(number + this.#at * 7919) % below;
  }
  pick<T>(items: readonly T[]): T {
    return items[this.next(items.length)]!;
  }
}
