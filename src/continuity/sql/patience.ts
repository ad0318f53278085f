/** How long a call waits for a database that is away: one deadline for all requests of the call. */
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;
/** What a request gets that begins at the end of its call's time. */
const SHORTEST_TRY_MS = 50;
const LONGEST_TRY_MS = 10_000;
/** How many tries fit into a call's time when the database takes requests and does not answer. */
const TRIES = 3;

/** How errors of the database are read. */
export interface AwayErrors {
  /** Returns whether the database was away, so that the same request may succeed later. */
  readonly isAway: (error: unknown) => boolean;
  /** Returns the error for a call whose time is over, with the last error of its tries. */
  readonly overdue: (error: unknown, waited: { readonly tries: number; readonly milliseconds: number }) => unknown;
}

/** The call that runs: when it ends, by the monotonic clock, and how long one request of it may take. */
interface Call {
  readonly until: number;
  readonly tryMs: number;
}

/** The time that calls of one store may take. */
export class Patience {
  readonly #milliseconds: number;
  readonly #errors: AwayErrors;
  readonly #call = new AsyncLocalStorage<Call>();

  constructor(milliseconds: number, errors: AwayErrors) {
    this.#milliseconds = milliseconds;
    this.#errors = errors;
  }

  /** How long a request that begins now may take. */
  get tryMs(): number {
    const { tryMs } = this.#call.getStore() ?? limitCall(this.#milliseconds);
    return Math.max(SHORTEST_TRY_MS, Math.min(tryMs, this.#leftMs));
  }

  /** Runs work whose requests have one deadline together; in work that has one already, that deadline stays. */
  together<T>(work: () => Promise<T>): Promise<T> {
    return this.#call.getStore() ? work() : this.#call.run(limitCall(this.#milliseconds), work);
  }

  /** Gives work another time than calls have. */
  within<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    return this.#call.run(limitCall(milliseconds), work);
  }

  /** Gives the requests of work less time each than requests have: their answers soon come too late. */
  trying<T>(tryMs: number, work: () => Promise<T>): Promise<T> {
    const call = this.#call.getStore() ?? limitCall(this.#milliseconds);
    return this.#call.run({ ...call, tryMs: Math.min(call.tryMs, tryMs) }, work);
  }

  /** Repeats work that fails because the database is away, until the deadline of the call. */
  async untilAnswered<T>(work: () => Promise<T>, retrying: (error: unknown) => void = () => undefined): Promise<T> {
    return this.together(async () => {
      const begin = performance.now();
      for (let tries = 0; ; tries++) {
        try {
          return await work();
        } catch (error) {
          if (!this.#errors.isAway(error)) throw error;
          if (!(await this.pause(tries)))
            throw this.#errors.overdue(error, { tries: tries + 1, milliseconds: performance.now() - begin });
          if (tries === 0) retrying(error);
        }
      }
    });
  }

  /**
   * Waits before another try. Resolves to false at once when the call's time would be over by then.
   */
  async pause(tries: number): Promise<boolean> {
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.5 + Math.random() / 2);
    if (ms >= this.#leftMs) return false;
    await sleep(ms);
    return true;
  }

  get #leftMs(): number {
    const call = this.#call.getStore();
    return call === undefined ? this.#milliseconds : call.until - performance.now();
  }
}

/** Returns the times of a call. A request has a part of them, so that a connection that hangs is replaced in time. */
function limitCall(milliseconds: number): Call {
  return { until: performance.now() + milliseconds, tryMs: Math.min(LONGEST_TRY_MS, milliseconds / TRIES) };
}
