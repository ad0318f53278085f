import { setTimeout as sleep } from "node:timers/promises";

/** What has happened, by name, with the time of the first time. */
export class Progress {
  readonly #times = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Notes that something has happened. */
  mark(name: string): void {
    if (this.#times.has(name)) return;
    this.#times.set(name, Date.now());
    for (const resolve of this.#waiting.get(name) ?? []) resolve();
    this.#waiting.delete(name);
  }

  /** When it happened; undefined if it has not. */
  at(name: string): number | undefined {
    return this.#times.get(name);
  }

  /** Waits until it happens, then `delayMs` more. */
  async reached(name: string, delayMs: number): Promise<void> {
    if (!this.#times.has(name)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), resolve]);
      await promise;
    }
    if (delayMs > 0) await sleep(delayMs);
  }
}
