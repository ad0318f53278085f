/**
 * Methods of the plugin's worker thread, which reads stored sessions so that no scan blocks the gateway. The thread
 * also repairs transcript files, which needs none of OpenClaw's code; rows are repaired in the writer process, which
 * loads OpenClaw.
 */
import { describeError } from "../../base/coded-error.ts";
import {
  toConversation,
  examineLoaded,
  examine,
  isSound,
  needsRepair,
  repairStored,
  saved,
  scan,
  ScanMemory,
  type Examination,
  type RepairedSession,
  type ScannedSession,
} from "../../health/index.ts";
import { contentHash, EMPTY_HASH, journalFile, openJournal } from "../../journal/index.ts";
import { patchState, type PatchState } from "../../patching/patch-state.ts";
import { findSummary, openCatalog, StoreError, type Catalog, type SessionSummary } from "../../store/index.ts";
import { sessionIdentity } from "../../store/catalog/summary.ts";
import { type Protection, publishProtection } from "../../store/openclaw/protection.ts";
import { DeletionFollower, type DeletionSettings, type Followed, type ReportedDeletions } from "./deletion-follower.ts";
import { type StoredTimeline, withStoredTimeline } from "../../timetravel/stored.ts";
import {
  type Asked,
  askedIn,
  type Moves,
  movesIn,
  type Places,
  placesIn,
  type Preview,
  makePreview,
  type WantedPlace,
  withFiles,
} from "./timeline-reads.ts";
import type { RepairStrategy } from "../../transcript/repair.ts";

/** Result of a scan, without the sessions that have no faults. */
export interface ScanResult {
  readonly sessions: number;
  readonly read: number;
  readonly corrupt: number;
  readonly faulty: readonly ScannedSession[];
  /** Sessions and stores that could not be read, in sentences. */
  readonly problems: readonly string[];
  readonly milliseconds: number;
  readonly at: number;
}

/** One session and its examination. */
export interface Checked {
  readonly session: SessionSummary;
  readonly examination: Examination;
}

/** The methods of the worker thread. Each takes one argument and returns plain data. */
export class ScanWorker {
  readonly #directory: string;
  /** Watermarks at which a session was found to have no faults, by session. */
  readonly #sound = new Map<string, string>();
  readonly #follower: DeletionFollower;

  constructor(directory: string) {
    this.#directory = directory;
    this.#follower = new DeletionFollower(directory);
  }

  /** Scans the changed sessions, or all. The results are saved for the next scan and for the command line. */
  async scan(
    { all }: { readonly all: boolean },
    onProgress: (done: number, total: number) => void,
  ): Promise<ScanResult> {
    return this.#withCatalog(async (catalog) => {
      // Read anew for each scan, because the command line writes to the same file.
      const memory = new ScanMemory(this.#directory);
      const { sessions, problems, read, corrupt, milliseconds } = await scan(catalog, {
        ...(all ? {} : { memory }),
        onProgress,
      });
      const unlisted = this.#remember({ sessions: sessions.map(({ session }) => session), problems });
      const faulty = sessions.filter(needsRepair);
      const unread = sessions
        .filter(({ examination }) => examination === undefined)
        .map(({ session, unread: why }) => `session ${session.sessionId}: ${why}`);
      return {
        sessions: sessions.length,
        read,
        corrupt,
        faulty,
        problems: [...problems, ...unread, ...saved(memory), ...unlisted],
        milliseconds,
        at: Date.now(),
      };
    });
  }

  /**
   * Examines one session if it has changed since it was last found to have no faults. Returns undefined when it has
   * none, or is not stored.
   */
  async check({ which }: { readonly which: string }): Promise<Checked | undefined> {
    return this.#withCatalog((catalog) => {
      const session = find(catalog, which);
      if (
        session === undefined ||
        session.unread !== undefined ||
        this.#sound.get(sessionIdentity(session)) === session.watermark
      )
        return undefined;
      const examination = examine(catalog.read(session), session);
      if (!isSound(examination)) return { session, examination };
      this.#sound.set(sessionIdentity(session), session.watermark);
      return undefined;
    });
  }

  /** Examines one session; undefined when it is not stored. */
  async show({ which, agentId }: { readonly which: string; readonly agentId?: string }): Promise<Checked | undefined> {
    return this.#withCatalog((catalog) => {
      const session = find(catalog, which, agentId);
      return session && session.unread === undefined
        ? { session, examination: examine(catalog.read(session), session) }
        : undefined;
    });
  }

  /**
   * Returns the places that a conversation can continue from: up to `most` on its path, and as many ends of branches.
   * Undefined when the conversation is not stored; so are the following.
   */
  async places({ which, most }: { readonly which: string; readonly most: number }): Promise<Places | undefined> {
    return this.#withTimeline(which, (stored) => placesIn(stored, most));
  }

  /** Returns the places before the last `most` messages that were asked in a conversation. */
  async asked({ which, most }: { readonly which: string; readonly most: number }): Promise<Asked | undefined> {
    return this.#withTimeline(which, (stored) => askedIn(stored, most));
  }

  /** Returns what a rewind would change. Rejects with TimeTravelErrors. */
  async preview({ which, ...wanted }: WantedPlace & { readonly which: string }): Promise<Preview | undefined> {
    const found = await this.#withTimeline(which, (stored) => makePreview(stored, wanted, this.#directory));
    return found && withFiles(found, this.#directory, wanted.conflicts);
  }

  /** Returns the latest moves of a conversation. */
  async moves({ which, most }: { readonly which: string; readonly most: number }): Promise<Moves | undefined> {
    return this.#withTimeline(which, (stored) => movesIn(stored, most));
  }

  /** Returns how many characters the rows of a conversation have as JSON; 0 when the conversation is not stored. */
  async weight({ which }: { readonly which: string }): Promise<number> {
    return this.#withCatalog((catalog) => {
      const session = find(catalog, which);
      const rows = session ? catalog.read(session).rows : [];
      return rows.reduce((sum: number, row) => sum + JSON.stringify(row).length, 0);
    });
  }

  /** Returns the keys of the current conversations, the youngest first. */
  async conversations(): Promise<readonly string[]> {
    return this.#withCatalog((catalog) =>
      catalog
        .list()
        .sessions.flatMap(({ sessionKey, isCurrent }) => (isCurrent && sessionKey !== undefined ? [sessionKey] : [])),
    );
  }

  /** Repairs a transcript file; see {@link repairStored}. Rejects with StoreErrors. */
  async repair({
    session,
    strategy,
  }: {
    readonly session: SessionSummary;
    readonly strategy: RepairStrategy;
  }): Promise<RepairedSession> {
    return this.#withCatalog((catalog) =>
      repairStored(catalog, session, { stateDirectory: this.#directory, strategy, root: () => "" }),
    );
  }

  /**
   * Makes a checkpoint of a conversation without faults, in the same form as the core patch, and deletes the oldest
   * ones so that `retention` remain. Returns the id of the checkpoint; undefined when none was made.
   */
  async checkpoint({
    which,
    retention,
    withMessages,
  }: {
    readonly which: string;
    readonly retention: number;
    readonly withMessages: boolean;
  }): Promise<string | undefined> {
    return this.#withCatalog((catalog) => {
      const session = find(catalog, which);
      if (session === undefined || session.unread !== undefined) return undefined;
      const stored = catalog.read(session);
      const conversation = toConversation(stored, session);
      if (!isSound(examineLoaded(stored, conversation))) return undefined;
      const { path } = conversation;
      const messages = path.filter(({ type }) => type === "message").map(({ message }) => message);
      const place = {
        messageIndex: messages.length,
        contentHash: contentHash(messages, EMPTY_HASH),
        firstEntryId: readId(path[0]),
        leafEntryId: readId(path.at(-1)),
      };
      const journal = openJournal(journalFile(this.#directory), { busyTimeoutMs: 5000 });
      try {
        return journal.transaction(() => {
          const { id } = journal.checkpoints.create({
            sessionId: session.sessionId,
            operation: "tool_cycle",
            ...place,
            ...(withMessages && { snapshot: messages }),
          });
          journal.checkpoints.commit(id);
          journal.checkpoints.prune(session.sessionId, retention, "tool_cycle");
          return id;
        });
      } finally {
        journal.close();
      }
    });
  }

  /** Remembers which sessions exist, so that a later deletion can be followed. Returns what failed, in sentences. */
  async note(): Promise<readonly string[]> {
    return this.#withCatalog((catalog) => this.#remember(catalog.list()));
  }

  /**
   * Deletes the data of openclaw-integrity on sessions that stay deleted in OpenClaw, and archives over the age limit.
   */
  async follow(settings: DeletionSettings): Promise<Followed> {
    return this.#withCatalog((catalog) => this.#follower.follow(catalog, settings));
  }

  /** Deletes the data of openclaw-integrity on sessions that OpenClaw is deleting. */
  async followReported({ deletions, settings }: ReportedDeletions): Promise<Followed> {
    return this.#withCatalog((catalog) => this.#follower.reported(catalog, deletions, settings));
  }

  /** Returns whether the OpenClaw in `root` carries the core patch, as stored on the disk. */
  async patch({ root }: { readonly root: string }): Promise<PatchState> {
    return patchState(root);
  }

  /** Publishes what this process has found about itself: here, because a disk may take its time. */
  async publish(found: Protection): Promise<void> {
    publishProtection(this.#directory, found);
  }

  #remember(store: { readonly sessions: readonly SessionSummary[]; readonly problems: readonly string[] }): string[] {
    try {
      this.#follower.note(store);
      return [];
    } catch (error) {
      return [`the list of sessions could not be saved: ${describeError(error)}`];
    }
  }

  async #withTimeline<Value>(which: string, work: (stored: StoredTimeline) => Value): Promise<Value | undefined> {
    return this.#withCatalog((catalog) => {
      const session = find(catalog, which);
      return session && withStoredTimeline(catalog, session, this.#directory, "look", work);
    });
  }

  async #withCatalog<Value>(work: (catalog: Catalog) => Value | Promise<Value>): Promise<Value> {
    const catalog = openCatalog(this.#directory);
    try {
      return await work(catalog);
    } finally {
      catalog.close();
    }
  }
}

function readId(entry: { readonly id?: unknown } | undefined): string | null {
  return typeof entry?.id === "string" ? entry.id : null;
}

function find(catalog: Catalog, which: string, agentId?: string): SessionSummary | undefined {
  try {
    return findSummary(catalog, which, agentId);
  } catch (error) {
    if (error instanceof StoreError && ["session-missing", "store-unreadable"].includes(error.code)) return undefined;
    throw error;
  }
}
