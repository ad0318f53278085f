/**
 * Deletes in the plugin's thread the data of sessions that OpenClaw has deleted, and archives that have reached their
 * age limit.
 */
import { resolve } from "node:path";
import { continuityFile } from "../../continuity-tools/file.ts";
import { conversationProject } from "../../continuity-tools/project-name.ts";
import { followDeletions, markedDeleted, noteSessions } from "../../privacy/deletions.ts";
import type { Subject } from "../../privacy/holders/holder.ts";
import { KnownSessions } from "../../privacy/holders/known-sessions.ts";
import { sessionsThere, storeNow, type Names, type StoreNow } from "../../privacy/names.ts";
import type { PurgePlace } from "../../privacy/purge.ts";
import { agedArchives, removeArchives } from "../../privacy/retention.ts";
import { goesOnElsewhere, ofConversation } from "../../privacy/subject.ts";
import type { Catalog } from "../../store/index.ts";

/** The part of the plugin's configuration that concerns deletions. */
export interface DeletionSettings {
  readonly followDeletions: boolean;
  readonly archiveRetentionDays: number | undefined;
  readonly continuity: Readonly<Record<"postgres" | "file" | "anchor", string | undefined>>;
}

/** A session whose deletion OpenClaw has reported. */
export interface ReportedDeletion {
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
}

/** Reported deletions, and the settings that apply. */
export interface ReportedDeletions {
  readonly deletions: readonly ReportedDeletion[];
  readonly settings: DeletionSettings;
}

/** The data of openclaw-integrity that was deleted. */
export interface Followed {
  /** Ids of the sessions. */
  readonly sessions: readonly string[];
  /** Number of rows and files. */
  readonly count: number;
  /** Number of archives over the age limit. */
  readonly archives: number;
  /** What could not be deleted, in sentences. */
  readonly left: readonly string[];
}

interface Gathered {
  readonly place: PurgePlace;
  readonly names: Names;
}

const DAY_MS = 86_400_000;
const NOTHING: Followed = { sessions: [], count: 0, archives: 0, left: [] };

/** Follows OpenClaw's deletions. One instance per process, which remembers what it has already examined. */
export class DeletionFollower {
  readonly #directory: string;
  readonly #known: KnownSessions;
  /** Sessions that OpenClaw has marked as deleted, and that have no data left here. */
  readonly #settled = new Set<string>();
  #savedList = "";
  #agedAt = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#known = new KnownSessions(directory);
  }

  /**
   * Looks for deleted sessions and deletes the data of those that are due. Throws the errors of reading and deleting.
   */
  async follow(catalog: Catalog, settings: DeletionSettings, now = Date.now()): Promise<Followed> {
    const archives =
      settings.archiveRetentionDays === undefined ? 0 : this.#removeAged(catalog, settings.archiveRetentionDays, now);
    if (!settings.followDeletions) return { ...NOTHING, archives };
    const store = storeNow(this.#directory, catalog);
    this.note(store);
    const marked = markedDeleted(store).filter((id) => !this.#settled.has(id));
    if (marked.length === 0 && this.#known.deletions().length === 0) return { ...NOTHING, archives };
    const { place, names } = await this.#gathered(catalog, settings);
    const { due, waiting } = followDeletions(this.#directory, this.#known, names, now);
    // `followDeletions` has by now remembered the deletions that it saw for the first time.
    const open = new Set([...waiting, ...this.#known.deletions()].map(({ sessionId }) => sessionId));
    for (const id of marked) if (!open.has(id)) this.#settled.add(id);
    const purged = await this.#purge(due, { place, names });
    return { ...purged, archives };
  }

  /**
   * Follows deletions that OpenClaw reports while it makes them: of each conversation, all sessions that no longer
   * exist. A conversation that exists again is left out.
   */
  async reported(
    catalog: Catalog,
    deletions: readonly ReportedDeletion[],
    settings: DeletionSettings,
  ): Promise<Followed> {
    if (!settings.followDeletions) return NOTHING;
    const { place, names } = await this.#gathered(catalog, settings);
    // Without the list of existing sessions nothing is deleted; the next periodic check follows the deletion.
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
    const { listHoldings, purge } = await import("../../privacy/purge.ts");
    if ((await listHoldings(place, all, names)).length === 0) return NOTHING;
    const { found, left } = await purge(place, all, names);
    return {
      sessions: [...all.sessionIds],
      count: found.reduce((sum, { count }) => sum + count, 0),
      archives: 0,
      left,
    };
  }

  async #gathered(catalog: Catalog, { continuity: { postgres, file, anchor } }: DeletionSettings): Promise<Gathered> {
    // This module has most of a megabyte, and is needed only after a deletion.
    const { namesAt } = await import("../../privacy/purge.ts");
    const directory = this.#directory;
    const tables =
      postgres === undefined
        ? { file: resolve(directory, file ?? continuityFile(directory)) }
        : { connectionString: postgres, ...(anchor && { anchor: { file: resolve(directory, anchor) } }) };
    // `force`, because nobody works on a deleted session; this process may still hold the lease of an ended step.
    const place: PurgePlace = {
      stateDirectory: directory,
      rewrite: false,
      work: [{ tables, toProject: (key) => conversationProject(key, "session"), force: true }],
    };
    return { place, names: await namesAt(place, catalog) };
  }

  /** Remembers which sessions exist. Throws a JournalError. */
  note(store: Pick<StoreNow, "sessions" | "problems">): void {
    const list = store.sessions
      .map(({ agentId, sessionId, sessionKey }) => `${agentId} ${sessionId} ${sessionKey ?? ""}`)
      .toSorted()
      .join("\n");
    if (list === this.#savedList) return;
    noteSessions(this.#known, store);
    this.#savedList = list;
  }

  #removeAged(catalog: Catalog, days: number, now: number): number {
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
