import { JournalError } from "../../journal/errors.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Layer0Config } from "./config.ts";
import { reasonOf } from "./errors.ts";
import type { Emit } from "./events.ts";
import { HashChain } from "./hash-chain.ts";
import { isMisfortune } from "./journal-failure.ts";
import { beginsWith, MAX_UNDER_WAY, Memories, type Beginning, type Place, type SessionMemory } from "./memory.ts";
import type { Session } from "./session.ts";

/** What the operations of one SessionIntegrity share. */
export class Core {
  readonly journal: Journal;
  readonly config: Layer0Config;
  readonly emit: Emit;
  /**
   * Cycles that this process is carrying out, with their session; whatever else is open in the journal was cut off by a
   * crash.
   */
  readonly live = new Map<number, string>();
  readonly #memories = new Memories();
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

  /** What is remembered of the session. */
  memory({ id }: Session): SessionMemory {
    return this.#memories.of(id);
  }

  /** An operation begins at a checkpoint. */
  began(session: Session, place: Beginning & { readonly id: string }): void {
    const { underWay } = this.memory(session);
    underWay.push(place);
    if (underWay.length > MAX_UNDER_WAY) underWay.shift();
  }

  /** The operation behind a checkpoint has ended, in whatever way. */
  ended(session: Session, checkpointId: string | undefined): void {
    const memory = this.memory(session);
    memory.underWay = memory.underWay.filter(({ id }) => id !== checkpointId);
  }

  /**
   * Where the youngest operation of this process began that has not ended; undefined when there is none, or the session
   * was taken elsewhere since.
   */
  underWay(session: Session): Place | undefined {
    const chain = this.chain(session);
    const place = this.memory(session).underWay.findLast((beginning) => beginsWith(chain, session.messages, beginning));
    return place && { id: place.id, messageIndex: place.end };
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
    this.#queues.set(
      session,
      result.then(
        () => {},
        () => {},
      ),
    );
    return result;
  }

  /**
   * Something of the journal's that can be done without: what went wrong is one of the `warnings`, and the value is
   * undefined. With `requireJournal` it rejects with the JournalError.
   */
  async degrade<T>(what: string, warnings: string[], work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (this.config.requireJournal || !isMisfortune(error)) throw error;
      this.emit("l0:journal:failed", () => ({}), { kind: error.code });
      warnings.push(`${what}: the journal cannot be used, and it goes on without: ${reasonOf(error)}`);
      return undefined;
    }
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
