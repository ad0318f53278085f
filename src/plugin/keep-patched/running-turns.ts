import { setTimeout as sleep } from "node:timers/promises";

/** A run that has not ended by then is not waited for any longer. */
const LOST_MS = 1_800_000;
const POLL_MS = 100;

/**
 * Counts what this gateway is answering: messages that have arrived, and runs of agents. Kept globally, because
 * OpenClaw loads a plugin again at each change of its configuration.
 */
export class RunningTurns {
  readonly #runs = new Map<string, number>();
  #lastEvent = Date.now();

  /** Notes that a message has arrived: its run begins within seconds, or there is none. */
  arrived(): void {
    this.#lastEvent = Date.now();
  }

  began(run: string): void {
    this.#lastEvent = Date.now();
    this.#runs.set(run, this.#lastEvent);
  }

  ended(run: string): void {
    this.#lastEvent = Date.now();
    this.#runs.delete(run);
  }

  /** Whether nobody is being answered, and nothing has happened for `quietMs`. */
  isIdle(quietMs: number, now: number = Date.now()): boolean {
    for (const [run, since] of this.#runs) if (now - since > LOST_MS) this.#runs.delete(run);
    return this.#runs.size === 0 && now - this.#lastEvent >= quietMs;
  }

  /**
   * Resolves when nothing has happened for `quietMs`, and after `patienceMs` at the first moment without a run: a busy
   * gateway is never quiet. Rejects when the signal is aborted.
   */
  async whenIdle(quietMs: number, patienceMs: number, signal: AbortSignal): Promise<void> {
    const end = Date.now() + patienceMs;
    while (!this.isIdle(Date.now() < end ? quietMs : 0)) await sleep(POLL_MS, undefined, { ref: false, signal });
  }
}

const KEY = Symbol.for("openclaw-integrity.plugin.running");

/** The turns of this process. */
export function runningTurns(): RunningTurns {
  const holder = globalThis as { [KEY]?: RunningTurns };
  return (holder[KEY] ??= new RunningTurns());
}
