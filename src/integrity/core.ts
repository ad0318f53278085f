import { JournalError } from "../journal/errors.ts";
import type { Journal } from "../journal/journal.ts";
import type { Layer0Config } from "./config.ts";
import { reasonOf } from "./errors.ts";
import type { Emit } from "./events.ts";
import { HashChain } from "./hash-chain.ts";
import type { Session } from "./session.ts";

/** What the operations of one SessionIntegrity share. */
export class Core {
  readonly journal: Journal;
  readonly config: Layer0Config;
  readonly emit: Emit;
  /** Cycles that this process is carrying out, with their session; whatever else is open in the journal was cut off by a crash. */
  readonly live = new Map<number, string>();
  /** How far the ladder of `handleError` has gone, by session, since its last success. */
  readonly rungs = new Map<string, Set<string>>();
  readonly #chains = new WeakMap<Session, HashChain>();
  readonly #queues = new WeakMap<Session, Promise<unknown>>();

  constructor(journal: Journal, config: Layer0Config, emit: Emit) {
    this.journal = journal;
    this.config = config;
    this.emit = emit;
  }

  /** The hashes of the session's history. */
  chain(session: Session): HashChain {
    let chain = this.#chains.get(session);
    if (!chain) this.#chains.set(session, (chain = new HashChain()));
    return chain;
  }

  /** How many cycles of the session this process is carrying out. */
  liveIn({ id }: Session): number {
    return [...this.live.values()].filter((sessionId) => sessionId === id).length;
  }

  /** Changes of one session one after the other, in the order they were asked for. */
  inTurn<T>(session: Session, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(session) ?? Promise.resolve();
    const result = before.then(work);
    // A change that failed does not stop the next one.
    this.#queues.set(session, result.then(() => {}, () => {}));
    return result;
  }

  /** A write of the journal that must not undo what was done already; what went wrong, if anything. */
  async attempt(what: string, write: () => unknown): Promise<string | undefined> {
    try {
      await write();
      return undefined;
    } catch (error) {
      this.emit("l0:journal:failed", () => ({}), { kind: error instanceof JournalError ? error.code : "failed" });
      return `${what} could not be written to the journal: ${reasonOf(error)}`;
    }
  }
}
