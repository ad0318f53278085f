import { setTimeout as sleep } from "node:timers/promises";
import { startOpenClaw, type ModelApi, type OpenClawDriver } from "../../harness/openclaw/index.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { GuardLog } from "./guard-log.ts";
import type { Job } from "./jobs.ts";
import { judge } from "./judge.ts";
import type { RunRecord, Variant } from "./record.ts";

/** Where a lane's OpenClaw is. */
export interface LaneOptions {
  variant: Variant;
  release: string;
  /** Folder that contains `node_modules/openclaw`. */
  root: string;
  /** More environment for OpenClaw. */
  env: Record<string, string>;
}

/** What the user writes in every session. */
const MESSAGES = ["first message", "second message"] as const;

// A first turn loads half of OpenClaw; on a busy machine that alone takes ten seconds.
const TURN_TIMEOUT_MS = 60_000;
// The guard's lines come through a pipe, the answer through another channel.
const LOG_DELAY_MS = 15;

/** One process of OpenClaw with a provider of its own. */
export class Lane {
  readonly variant: Variant;
  readonly #release: string;
  readonly #provider: StrictProvider;
  readonly #driver: OpenClawDriver;
  readonly #log: GuardLog;

  private constructor(options: LaneOptions, provider: StrictProvider, driver: OpenClawDriver, log: GuardLog) {
    this.variant = options.variant;
    this.#release = options.release;
    this.#provider = provider;
    this.#driver = driver;
    this.#log = log;
  }

  static async start(options: LaneOptions): Promise<Lane> {
    const provider = await startProvider();
    const log = new GuardLog();
    const { release, root, env } = options;
    try {
      const driver = await startOpenClaw({
        release,
        root,
        env,
        providerUrl: provider.url,
        log: log.take,
        turnTimeoutMs: TURN_TIMEOUT_MS,
      });
      return new Lane(options, provider, driver, log);
    } catch (error) {
      await provider.close();
      throw error;
    }
  }

  get apis(): readonly ModelApi[] {
    return this.#driver.apis;
  }

  /** Where its OpenClaw keeps sessions. */
  get stateDirectory(): string {
    return this.#driver.stateDir;
  }

  /**
   * Runs a transcript; the messages go one by one, so that nothing is started again after the signal. `stored` is
   * called with the session's id when it is in OpenClaw's store and nothing has been sent.
   */
  async run(job: Job, signal: AbortSignal, stored?: (sessionId: string) => Promise<void>): Promise<RunRecord> {
    this.#provider.reset();
    const { api, historyLimit, model, tools, clientTools } = job;
    const optional = Object.fromEntries(
      Object.entries({ model, historyLimit, tools, clientTools }).filter(([, value]) => value !== undefined),
    );
    const input = { transcript: job.transcript(), api, ...optional };
    const run = await this.#driver.run({ ...input, messages: stored ? [] : [MESSAGES[0]] });
    if (run.error === undefined) await stored?.(run.sessionId);
    const turns = [...run.turns];
    for (const message of MESSAGES.slice(turns.length))
      if (run.error === undefined && !signal.aborted) turns.push(await run.send(message));
    await sleep(LOG_DELAY_MS);
    this.#log.assignTo(run.sessionId);
    const requests = [...this.#provider.requests];
    return {
      job,
      release: this.#release,
      variant: this.variant,
      turns: turns.map(({ answered, ms }) => ({ answered, ms })),
      verdict: judge(job, { run: run.error === undefined ? { turns } : { turns, error: run.error }, requests }),
      requests: requests.map(({ status, error }) => (error === undefined ? { status } : { status, error })),
      healed: this.#log.healed(run.sessionId),
      failures: this.#log.failures(run.sessionId),
    };
  }

  /** Ends the process and removes what it has written. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#driver.close(), this.#provider.close()]);
  }
}
