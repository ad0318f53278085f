import { describeError } from "../../base/coded-error.ts";
import { openCatalog } from "../../store/index.ts";
import { settleStored } from "../../timetravel/files/settle-stored.ts";
import { tidyToSize, WorkspaceStore } from "../../workspace/index.ts";
import type { PluginLogger } from "../api.ts";

/** When snapshots are first tidied after a start, and how often. */
const FIRST_MS = 5 * 60_000;
const EVERY_MS = 24 * 3_600_000;
/** A workspace in which an agent has just worked is left for the next time. */
const QUIET_MS = 10 * 60_000;

/**
 * The background work on the snapshots of files: at the start, moves that a kill had cut off are settled; once a day
 * each store that nobody uses forgets what is old. Never in a turn. Nothing rejects.
 */
export class KeepFiles {
  readonly #stateDirectory: string;
  readonly #log: Required<PluginLogger>;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(stateDirectory: string, log: Required<PluginLogger>) {
    this.#stateDirectory = stateDirectory;
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#later(FIRST_MS);
    await this.#each(async (store) => {
      const catalog = openCatalog(this.#stateDirectory);
      try {
        const { settled, problems } = await settleStored(catalog, store);
        for (const { isMade } of settled)
          this.#log.info(`the files of a move that was cut off were ${isMade ? "moved" : "brought back"}`);
        for (const problem of problems) this.#log.warn(problem);
      } finally {
        catalog.close();
      }
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #later(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#later(EVERY_MS);
      void this.#each(async (store) => {
        const last = store.read((records) => records.lastAt());
        if (last === undefined || last < Date.now() - QUIET_MS) await tidyToSize(store);
      });
    }, delayMs).unref();
  }

  async #each(work: (store: WorkspaceStore) => Promise<void>): Promise<void> {
    try {
      for (const store of WorkspaceStore.all(this.#stateDirectory)) {
        if (this.#isStopped || !store.exists) continue;
        await work(store).catch((error: unknown) => this.#log.warn(`snapshots of files: ${describeError(error)}`));
      }
    } catch (error) {
      this.#log.warn(`snapshots of files: ${describeError(error)}`);
    }
  }
}
