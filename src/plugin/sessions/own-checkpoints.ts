import type { SessionMonitor } from "./session-monitor.ts";

/** Default number of tool calls between two checkpoints. */
const INTERVAL = 5;
const RETENTION = 10;

/**
 * Makes checkpoints where the core patch does not: after a run, once enough tools were called since the last
 * checkpoint. Does nothing with the core patch, which makes checkpoints before turns and calls.
 */
export class OwnCheckpoints {
  readonly #calls = new Map<string, number>();

  /** Counts a tool call of this conversation. */
  count(sessionKey: string | undefined): void {
    if (sessionKey !== undefined) this.#calls.set(sessionKey, (this.#calls.get(sessionKey) ?? 0) + 1);
  }

  /** Makes a checkpoint at the end of a run if one is due. Rejects when that fails. */
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
