import { JournalError } from "../../journal/errors.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Layer0Config } from "./config.ts";
import { describeThrown } from "./errors.ts";
import type { Emit } from "./events.ts";
import { HashChain } from "./hash-chain.ts";
import { isEnvironmentFailure } from "./journal-failure.ts";
import { KnownRoutes } from "./known-routes.ts";
import {
  beginsWith,
  MAX_UNDER_WAY,
  Memories,
  type Beginning,
  type OperationStart,
  type SessionMemory,
} from "./session-memory.ts";
import type { Session } from "./session.ts";

/** State that the operations of one SessionIntegrity share. */
export class Core {
  readonly journal: Journal;
  readonly config: Layer0Config;
  readonly emit: Emit;
  /** What was learned of the routes that calls were made on. */
  readonly routes: KnownRoutes;
  /**
   * Cycles that are running in this process, each with its session id. Every other open cycle of the journal was
   * interrupted by a crash.
   */
  readonly live = new Map<number, string>();
  readonly #memories = new Memories();
  readonly #chains = new WeakMap<Session, HashChain>();
  readonly #queues = new WeakMap<Session, Promise<unknown>>();

  constructor(journal: Journal, config: Layer0Config, emit: Emit) {
    this.journal = journal;
    this.config = config;
    this.emit = emit;
    this.routes = new KnownRoutes(journal.learned);
  }

  /** Returns the hash chain of the session's history. */
  chain(session: Session): HashChain {
    let chain = this.#chains.get(session);
    if (!chain) this.#chains.set(session, (chain = new HashChain()));
    return chain;
  }

  /** Returns the in-memory state of the session. */
  memory({ id }: Session): SessionMemory {
    return this.#memories.get(id);
  }

  /** Records that an operation began at a checkpoint. */
  began(session: Session, place: Beginning & { readonly id: string }): void {
    const { underWay } = this.memory(session);
    underWay.push(place);
    if (underWay.length > MAX_UNDER_WAY) underWay.shift();
  }

  /** Records that the operation of a checkpoint has ended, successfully or not. */
  ended(session: Session, checkpointId: string | undefined): void {
    const memory = this.memory(session);
    memory.underWay = memory.underWay.filter(({ id }) => id !== checkpointId);
  }

  /**
   * Returns where the youngest unfinished operation of this process began; undefined when there is none, or the session
   * was moved to another path since.
   */
  underWay(session: Session): OperationStart | undefined {
    const chain = this.chain(session);
    const place = this.memory(session).underWay.findLast((beginning) => beginsWith(chain, session.messages, beginning));
    return place && { id: place.id, messageIndex: place.end };
  }

  /** Returns how many cycles of the session are running in this process. */
  liveIn({ id }: Session): number {
    return [...this.live.values()].filter((sessionId) => sessionId === id).length;
  }

  /** Runs changes of one session one after the other, in the order of the calls. */
  inTurn<T>(session: Session, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(session) ?? Promise.resolve();
    const result = before.then(work);
    // A failed change does not stop the next one.
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
   * Runs journal work that is optional. On failure adds a warning and returns undefined; with `requireJournal` rejects
   * with the JournalError instead.
   */
  async degrade<T>(what: string, warnings: string[], work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (this.config.requireJournal || !isEnvironmentFailure(error)) throw error;
      this.emit("l0:journal:failed", () => ({}), { kind: error.code });
      warnings.push(`${what}: the journal cannot be used; continuing without it: ${describeThrown(error)}`);
      return undefined;
    }
  }

  /**
   * Runs a write to the journal after something that cannot be undone. Never rejects; returns the warning when the
   * write failed.
   */
  async attempt(what: string, write: () => unknown): Promise<string | undefined> {
    try {
      await write();
      return undefined;
    } catch (error) {
      this.emit("l0:journal:failed", () => ({}), { kind: error instanceof JournalError ? error.code : "failed" });
      return `${what} could not be written to the journal: ${describeThrown(error)}`;
    }
  }
}
