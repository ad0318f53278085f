import type { SessionMonitor } from "./session-monitor.ts";

/** Tool calls between two checkpoints, as the source document has it. */
const INTERVAL = 5;
const RETENTION = 10;

/**
 * Checkpoints where no core patch makes them: behind a run, once enough tools were called since the last one. With the
 * patch nothing is done here: its checkpoints are made before a turn and before calls. Issue 6, item 2.
 */
export class OwnCheckpoints {
  readonly #calls = new Map<string, number>();

  /** A tool is about to be called in this conversation. */
  count(sessionKey: string | undefined): void {
    if (sessionKey !== undefined) this.#calls.set(sessionKey, (this.#calls.get(sessionKey) ?? 0) + 1);
  }

  /** The run is over. Rejects when no checkpoint could be made. */
  async ended(
    sessionKey: string | undefined,
    { isPatched, options: { config, scanWorker } }: SessionMonitor,
  ): Promise<void> {
    const { checkpointInterval = INTERVAL, checkpointRetention = RETENTION, snapshotMessages = false } = config;
    if (
      sessionKey === undefined ||
      isPatched ||
      checkpointRetention === 0 ||
      (this.#calls.get(sessionKey) ?? 0) < checkpointInterval
    )
      return;
    this.#calls.delete(sessionKey);
    await scanWorker.call("checkpoint", {
      which: sessionKey,
      retention: checkpointRetention,
      withMessages: snapshotMessages,
    });
  }
}
