import { reasonOf } from "../../base/coded-error.ts";
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
 * Lets the plugin's thread delete the data of openclaw-integrity on sessions that OpenClaw deletes. Never rejects:
 * errors are logged, and the next check tries again.
 */
export class Deletions {
  readonly #scanWorker: Calls<ScanWorker>;
  readonly #settings: DeletionSettings;
  readonly #log: Required<PluginLogger>;
  readonly #reported: ReportedDeletion[] = [];
  /** Conversations that are in the list of sessions. */
  readonly #noted = new Set<string>();
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
    this.#settings = { followDeletions, archiveRetentionDays, continuity: { postgres, file, anchor } };
    this.#log = log;
  }

  /** Checks now and then periodically. */
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
   * Records the sessions after a run of a new conversation, so that it is known before OpenClaw deletes it: the
   * remaining data does not say whose it was.
   */
  async ran(sessionKey: string | undefined): Promise<void> {
    if (sessionKey === undefined || this.#stopped || this.#noted.has(sessionKey) || isIncognito(sessionKey)) return;
    this.#noted.add(sessionKey);
    await this.#scanWorker.call("note", undefined).catch(() => this.#noted.delete(sessionKey));
  }

  /** Called when OpenClaw reports the deletion of a session. */
  reported(deletion: ReportedDeletion): void {
    if (this.#stopped || !this.#settings.followDeletions) return;
    this.#reported.push(deletion);
    this.#batchTimer ??= setTimeout(() => {
      this.#batchTimer = undefined;
      void this.#logResult(
        this.#scanWorker.call("followReported", { deletions: this.#reported.splice(0), settings: this.#settings }),
      );
    }, BATCH_MS).unref();
  }

  #check(): Promise<void> {
    return this.#logResult(this.#scanWorker.call("follow", this.#settings));
  }

  async #logResult(work: Promise<Followed>): Promise<void> {
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
        this.#log.warn(`data of sessions that OpenClaw has deleted could not be deleted here: ${reasonOf(error)}`);
    }
  }
}
