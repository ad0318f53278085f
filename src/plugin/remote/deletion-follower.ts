/** What the plugin's thread does about sessions that OpenClaw has deleted, and about archives that are old enough. */
import { resolve } from "node:path";
import { continuityFile } from "../../continuity-tools/file.ts";
import { projectOf } from "../../continuity-tools/project-name.ts";
import { followDeletions, markedDeleted, noteSessions } from "../../privacy/deletions.ts";
import type { Subject } from "../../privacy/holders/holder.ts";
import { KnownSessions } from "../../privacy/holders/known-sessions.ts";
import { sessionsThere, storeNow, type Names, type StoreNow } from "../../privacy/names.ts";
import type { PurgePlace } from "../../privacy/purge.ts";
import { agedArchives, removeArchives } from "../../privacy/retention.ts";
import { rewriteOnce } from "../../privacy/rewrite-once.ts";
import { goesOnElsewhere, ofConversation } from "../../privacy/subject.ts";
import type { Catalog } from "../../store/index.ts";

/** The plugin's configuration, as far as it is about this. */
export interface DeletionSettings {
  readonly followDeletions: boolean;
  readonly archiveRetentionDays: number | undefined;
  readonly continuity: { readonly postgres: string | undefined; readonly file: string | undefined };
}

/** A session that OpenClaw says it has deleted. */
export interface ToldDeletion {
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
}

/** Deletions with the settings by which they are followed. */
export interface ToldDeletions {
  readonly deletions: readonly ToldDeletion[];
  readonly settings: DeletionSettings;
}

/** What was deleted of ours. */
export interface Followed {
  /** Sessions, by id. */
  readonly sessions: readonly string[];
  /** Rows and files. */
  readonly count: number;
  /** Archives that were older than they shall be kept. */
  readonly archives: number;
  /** What is left, in sentences. */
  readonly left: readonly string[];
}

interface Gathered {
  readonly place: PurgePlace;
  readonly names: Names;
}

const DAY_MS = 86_400_000;
const NOTHING: Followed = { sessions: [], count: 0, archives: 0, left: [] };

/** One for each process: what was looked at once need not be looked at again. */
export class DeletionFollower {
  readonly #directory: string;
  readonly #known: KnownSessions;
  /** Sessions with marks of deletion of which nothing was left. */
  readonly #settled = new Set<string>();
  #noted = "";
  #isRewritten = false;
  #agedAt = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#known = new KnownSessions(directory);
  }

  /** Looks for deletions and follows those that are due. Throws what reading and deleting throws. */
  async follow(catalog: Catalog, settings: DeletionSettings, now = Date.now()): Promise<Followed> {
    const archives =
      settings.archiveRetentionDays === undefined ? 0 : this.#age(catalog, settings.archiveRetentionDays, now);
    if (!settings.followDeletions) return { ...NOTHING, archives };
    const store = storeNow(this.#directory, catalog);
    this.note(store);
    const left = this.#isRewritten ? [] : rewriteOnce(this.#directory, this.#known, now);
    this.#isRewritten = true;
    const marked = markedDeleted(store).filter((id) => !this.#settled.has(id));
    if (marked.length === 0 && this.#known.deletions().length === 0) return { ...NOTHING, archives, left };
    const { place, names } = await this.#gathered(catalog, settings);
    const { due, waiting } = followDeletions(this.#directory, this.#known, names, now);
    // What is seen for the first time is remembered by now.
    const open = new Set([...waiting, ...this.#known.deletions()].map(({ sessionId }) => sessionId));
    for (const id of marked) if (!open.has(id)) this.#settled.add(id);
    const purged = await this.#purge(due, { place, names });
    return { ...purged, archives, left: [...left, ...purged.left] };
  }

  /**
   * Follows deletions that OpenClaw tells of while it makes them: of each conversation all sessions that are gone,
   * unless it is there again.
   */
  async told(catalog: Catalog, deletions: readonly ToldDeletion[], settings: DeletionSettings): Promise<Followed> {
    if (!settings.followDeletions) return NOTHING;
    const { place, names } = await this.#gathered(catalog, settings);
    // Who is there cannot be told; the next look follows it.
    if (names.problems.length > 0) return NOTHING;
    const there = sessionsThere(names);
    const due = deletions.map(({ sessionId, sessionKey }): Subject => {
      const ids = [sessionId, ...(sessionKey === undefined ? [] : ofConversation(sessionKey, names).sessionIds)].filter(
        (id) => !there.has(id),
      );
      return {
        sessionIds: new Set(ids),
        sessionKeys: new Set(
          sessionKey === undefined || goesOnElsewhere(sessionKey, new Set(ids), names) ? [] : [sessionKey],
        ),
      };
    });
    return await this.#purge(due, { place, names });
  }

  async #purge(subjects: readonly Subject[], { place, names }: Gathered): Promise<Followed> {
    const all: Subject = {
      sessionIds: new Set(subjects.flatMap(({ sessionIds }) => [...sessionIds])),
      sessionKeys: new Set(subjects.flatMap(({ sessionKeys }) => [...sessionKeys])),
    };
    if (all.sessionIds.size + all.sessionKeys.size === 0) return NOTHING;
    const { holdingsOf, purge } = await import("../../privacy/purge.ts");
    if ((await holdingsOf(place, all, names)).length === 0) return NOTHING;
    const { found, left } = await purge(place, all, names);
    return {
      sessions: [...all.sessionIds],
      count: found.reduce((sum, { count }) => sum + count, 0),
      archives: 0,
      left,
    };
  }

  async #gathered(catalog: Catalog, { continuity: { postgres, file } }: DeletionSettings): Promise<Gathered> {
    // Most of a megabyte, and needed only when something was deleted.
    const { namesAt } = await import("../../privacy/purge.ts");
    const directory = this.#directory;
    const tables =
      postgres === undefined
        ? { file: resolve(directory, file ?? continuityFile(directory)) }
        : { connectionString: postgres };
    // Nobody works on what OpenClaw has deleted; this process may hold the lease of a step that has ended.
    const place: PurgePlace = {
      stateDirectory: directory,
      rewrite: false,
      work: [{ tables, projectOf: (key) => projectOf(key, "session"), force: true }],
    };
    return { place, names: await namesAt(place, catalog) };
  }

  /** Remembers which sessions there are. Throws a JournalError. */
  note(store: Pick<StoreNow, "sessions" | "problems">): void {
    const list = store.sessions
      .map(({ agentId, sessionId, sessionKey }) => `${agentId} ${sessionId} ${sessionKey ?? ""}`)
      .toSorted()
      .join("\n");
    if (list === this.#noted) return;
    noteSessions(this.#known, store);
    this.#noted = list;
  }

  #age(catalog: Catalog, days: number, now: number): number {
    if (now - this.#agedAt < DAY_MS) return 0;
    this.#agedAt = now;
    const { old } = agedArchives(
      this.#directory,
      catalog,
      this.#known.list().flatMap(({ transcript }) => transcript ?? []),
      now - days * DAY_MS,
    );
    removeArchives(old);
    return old.length;
  }
}
