import { setTimeout as sleep } from "node:timers/promises";
import { startOpenClaw, type ModelApi, type OpenClawDriver } from "../../harness/openclaw/index.ts";
import { says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
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
  /** How long a turn may take, in milliseconds; 60 s by default. */
  turnTimeoutMs?: number;
}

/** What the user writes in every session. */
const MESSAGES = ["first message", "second message"] as const;

const TURN_TIMEOUT_MS = 60_000;
// The first turn on an API loads half of OpenClaw, which takes minutes on a machine that is busy.
const WARM_UP_TIMEOUT_MS = 600_000;
// Timers may fire a little early.
const TIMER_SLACK = 0.99;

/** A sound session, for the turn that loads what OpenClaw needs. */
const WARM_UP = toTranscript([user("hello"), says("hello")], { seed: "warm-up" });

// The guard's lines come through a pipe, the answer through another channel.
const LOG_DELAY_MS = 15;

/** One process of OpenClaw with a provider of its own. */
export class Lane {
  readonly variant: Variant;
  readonly #release: string;
  readonly #provider: StrictProvider;
  readonly #driver: OpenClawDriver;
  readonly #log: GuardLog;
  readonly #turnTimeoutMs: number;
  readonly #warm = new Set<ModelApi>();

  private constructor(options: LaneOptions, provider: StrictProvider, driver: OpenClawDriver, log: GuardLog) {
    this.variant = options.variant;
    this.#release = options.release;
    this.#provider = provider;
    this.#driver = driver;
    this.#log = log;
    this.#turnTimeoutMs = options.turnTimeoutMs ?? TURN_TIMEOUT_MS;
  }

  static async start(options: LaneOptions): Promise<Lane> {
    const provider = await startProvider();
    const log = new GuardLog();
    const { release, root, env, turnTimeoutMs = TURN_TIMEOUT_MS } = options;
    try {
      const driver = await startOpenClaw({
        release,
        root,
        env,
        providerUrl: provider.url,
        log: log.take,
        turnTimeoutMs,
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
   * Makes a turn on the API once in this process, in a session of its own: what OpenClaw loads then is not part of the
   * time of any run. Whether it is answered does not matter.
   */
  async warmUp(api: ModelApi): Promise<void> {
    if (this.#warm.has(api)) return;
    this.#warm.add(api);
    await this.#driver.run({ transcript: WARM_UP, api, messages: ["warm-up"], turnTimeoutMs: WARM_UP_TIMEOUT_MS });
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
    const started = performance.now();
    const run = await this.#driver.run({ ...input, messages: stored ? [] : [MESSAGES[0]] });
    const storingMs = run.error === undefined ? 0 : performance.now() - started;
    if (run.error === undefined) await stored?.(run.sessionId);
    const turns = [...run.turns];
    for (const message of MESSAGES.slice(turns.length))
      if (run.error === undefined && !signal.aborted) turns.push(await run.send(message));
    await sleep(LOG_DELAY_MS);
    this.#log.assignTo(run.sessionId);
    const requests = [...this.#provider.requests];
    const limit = this.#turnTimeoutMs * TIMER_SLACK;
    const timedOut = storingMs >= limit || turns.some(({ answered, ms }) => !answered && ms >= limit);
    const outcome = run.error === undefined ? { turns } : { turns, error: run.error };
    return {
      job,
      release: this.#release,
      variant: this.variant,
      turns: turns.map(({ answered, ms, text }) => ({ answered, ms, text: answered ? text : "" })),
      verdict: judge(job, { run: outcome, requests, timedOut }),
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
