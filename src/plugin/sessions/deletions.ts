import { reasonOf } from "../../base/coded-error.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import type { PluginLogger } from "../api.ts";
import type { DeletionSettings, Followed, ToldDeletion } from "../remote/deletion-follower.ts";
import type { ScanWorker } from "../remote/scan-worker.ts";
import type { RemoteCalls } from "../remote/remote.ts";

/** Deletions of a moment are followed together: a sub-agent's sessions go by the dozen. */
const TOGETHER_MS = 500;
/** A deletion that OpenClaw does not tell of is followed an hour later; it is looked for this often. */
const LOOK_MS = 5 * 60_000;

/**
 * Has the plugin's thread delete what is ours of sessions that OpenClaw deletes. Never rejects; what fails is in the
 * log, and tried again at the next look.
 */
export class Deletions {
  readonly #scanWorker: RemoteCalls<ScanWorker>;
  readonly #settings: DeletionSettings;
  readonly #log: Required<PluginLogger>;
  readonly #told: ToldDeletion[] = [];
  /** Conversations that are in the list of sessions. */
  readonly #noted = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #together: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(scanWorker: RemoteCalls<ScanWorker>, settings: DeletionSettings, log: Required<PluginLogger>) {
    this.#scanWorker = scanWorker;
    const {
      followDeletions,
      archiveRetentionDays,
      continuity: { postgres, file },
    } = settings;
    this.#settings = { followDeletions, archiveRetentionDays, continuity: { postgres, file } };
    this.#log = log;
  }

  /** Looks now and from now on. */
  async start(): Promise<void> {
    const { followDeletions, archiveRetentionDays } = this.#settings;
    if (this.#stopped || (!followDeletions && archiveRetentionDays === undefined)) return;
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    await this.#look();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#together);
  }

  /**
   * A run of this conversation is over: it is to be known before OpenClaw deletes it, since what is left then does not
   * say whose it was.
   */
  async ran(sessionKey: string | undefined): Promise<void> {
    if (sessionKey === undefined || this.#stopped || this.#noted.has(sessionKey) || isIncognito(sessionKey)) return;
    this.#noted.add(sessionKey);
    await this.#scanWorker.call("note", undefined).catch(() => this.#noted.delete(sessionKey));
  }

  /** OpenClaw has deleted a session. */
  told(deletion: ToldDeletion): void {
    if (this.#stopped || !this.#settings.followDeletions) return;
    this.#told.push(deletion);
    this.#together ??= setTimeout(() => {
      this.#together = undefined;
      void this.#tell(
        this.#scanWorker.call("followTold", { deletions: this.#told.splice(0), settings: this.#settings }),
      );
    }, TOGETHER_MS).unref();
  }

  #look(): Promise<void> {
    return this.#tell(this.#scanWorker.call("follow", this.#settings));
  }

  async #tell(work: Promise<Followed>): Promise<void> {
    try {
      const { sessions, count, archives, left } = await work;
      if (count > 0)
        this.#log.info(
          `deleted what was kept of ${sessions.join(", ")}, which OpenClaw has deleted: ${count} rows and files`,
        );
      if (archives > 0) this.#log.info(`deleted ${archives} archives that were older than they are kept`);
      for (const sentence of left) this.#log.warn(sentence);
    } catch (error) {
      if (!this.#stopped) this.#log.warn(`what OpenClaw has deleted is still kept here: ${reasonOf(error)}`);
    }
  }
}
