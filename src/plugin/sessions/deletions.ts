import { describeError } from "../../base/coded-error.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import type { PluginLogger } from "../api.ts";
import type { DeletionSettings, Followed, ReportedDeletion } from "../remote/deletion-follower.ts";
import type { ScanWorker } from "../remote/scan-worker.ts";
import type { Calls } from "../remote/remote.ts";

/** Delay in which deletions are collected: OpenClaw deletes the sessions of a sub-agent by the dozen. */
const BATCH_MS = 500;
/**
 * Interval of the checks for deletions that OpenClaw does not report; such a deletion is followed an hour after it was
 * first seen.
 */
const CHECK_INTERVAL_MS = 5 * 60_000;

/**
 * Lets the plugin's thread delete the data of openclaw-integrity on sessions that OpenClaw deletes. `note` has it save
 * which sessions exist, `follow` delete the data of those that stay deleted for an hour, `followReported` that of those
 * whose deletion OpenClaw reports. Never rejects: errors are logged, and the next check tries again.
 */
export class Deletions {
  readonly #scanWorker: Calls<ScanWorker>;
  readonly #settings: DeletionSettings;
  readonly #log: Required<PluginLogger>;
  readonly #reported: ReportedDeletion[] = [];
  /** Keys of conversations since whose first run the sessions were saved. */
  readonly #notedConversations = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #batchTimer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(scanWorker: Calls<ScanWorker>, settings: DeletionSettings, log: Required<PluginLogger>) {
    this.#scanWorker = scanWorker;
    const {
      followDeletions,
      archiveRetentionDays,
      continuity: { postgres, file, anchor },
    } = settings;
    // Only these go to the thread, which gets a copy.
    this.#settings = { followDeletions, archiveRetentionDays, continuity: { postgres, file, anchor } };
    this.#log = log;
  }

  /** Checks at once, and then periodically. */
  async start(): Promise<void> {
    const { followDeletions, archiveRetentionDays } = this.#settings;
    if (this.#stopped || (!followDeletions && archiveRetentionDays === undefined)) return;
    this.#timer ??= setInterval(() => void this.#check(), CHECK_INTERVAL_MS).unref();
    await this.#check();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#batchTimer);
  }

  /**
   * Has the thread save which sessions exist, after the first run of a conversation: once OpenClaw has deleted it, the
   * remaining data does not say whose it was.
   */
  async noteConversation(sessionKey: string | undefined): Promise<void> {
    if (
      sessionKey === undefined ||
      this.#stopped ||
      this.#notedConversations.has(sessionKey) ||
      isIncognito(sessionKey)
    )
      return;
    this.#notedConversations.add(sessionKey);
    await this.#scanWorker.call("note", undefined).catch(() => this.#notedConversations.delete(sessionKey));
  }

  /** Called when OpenClaw reports the deletion of a session. */
  reported(deletion: ReportedDeletion): void {
    if (this.#stopped || !this.#settings.followDeletions) return;
    this.#reported.push(deletion);
    this.#batchTimer ??= setTimeout(() => {
      this.#batchTimer = undefined;
      void this.#logFollowed(
        this.#scanWorker.call("followReported", { deletions: this.#reported.splice(0), settings: this.#settings }),
      );
    }, BATCH_MS).unref();
  }

  #check(): Promise<void> {
    return this.#logFollowed(this.#scanWorker.call("follow", this.#settings));
  }

  async #logFollowed(work: Promise<Followed>): Promise<void> {
    try {
      const { sessions, count, archives, left } = await work;
      if (count > 0)
        this.#log.info(
          `deleted the data of ${sessions.join(", ")}, which OpenClaw has deleted: ${count} rows and files`,
        );
      if (archives > 0) this.#log.info(`deleted ${archives} archives over the age limit`);
      for (const sentence of left) this.#log.warn(sentence);
    } catch (error) {
      if (!this.#stopped)
        this.#log.warn(`data of sessions that OpenClaw has deleted could not be deleted here: ${describeError(error)}`);
    }
  }
}
