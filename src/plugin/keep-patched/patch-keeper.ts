import { setTimeout as sleep } from "node:timers/promises";
import { describeError } from "../../base/coded-error.ts";
import { isEnabled } from "../../guard/base/switch.ts";
import type { PatchState } from "../../patching/patch-state.ts";
import { forgetKept, type Kept, findKept, readKept, recordKept } from "../../patching/write/kept-record.ts";
import { readRecord } from "../../patching/write/record.ts";
import type { PluginLogger } from "../api.ts";
import { stateDirectory } from "../../store/index.ts";
import type { RemoteCalls } from "../remote/remote.ts";
import type { KeepPatchedConfig } from "../settings/keep-patched.ts";
import type { KeepEngine, KeepResult } from "./engine.ts";
import { type RestartSignal, restartSignal } from "./restart-signal.ts";
import type { RunningTurns } from "./running-turns.ts";
import { isUpdateRunning } from "./running-update.ts";
import { type Supervision, detectSupervision } from "./supervisor.ts";
import { keptWords, proofWords, refutedWords, restartWords } from "./words.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Options of the keeper. */
export interface PatchKeeperOptions {
  readonly config: KeepPatchedConfig;
  readonly engine: RemoteCalls<KeepEngine>;
  readonly turns: RunningTurns;
  readonly log: Required<PluginLogger>;
  /** Tells the operator, in the log and in chat. */
  readonly notify: (text: string) => void;
  /** Replaced by tests. */
  readonly isUpdating?: () => boolean;
  readonly supervision?: () => Promise<Supervision>;
  readonly send?: (signal: RestartSignal | "SIGTERM") => void;
  readonly timing?: Partial<typeof TIMING>;
}

/** Milliseconds. */
const TIMING = {
  /** Pauses before another attempt, when another process is at work in OpenClaw's folder. */
  retries: [5000, 30_000, 120_000, 300_000] as readonly number[],
  /**
   * Pauses before another proof, when the machine prevented one. As many are recorded over all gateways; then the
   * operator may run `prove`.
   */
  proofs: [600_000, 3_600_000, 21_600_000, 86_400_000, 86_400_000] as readonly number[],
  /**
   * An updater watches the gateway that it has started: a restart must not look like a crash of the new release. For
   * releases that keep no record of their update.
   */
  sinceStart: 60_000,
  /** How long after the gateway's start a record of a running update is waited for: it may never end. */
  update: 600_000,
  poll: 1000,
  /** How long nothing must happen before a restart. */
  quiet: 5000,
  /** After this time any moment without a run will do. */
  patience: 60_000,
  /** A gateway that has not ended by then does not restart: OpenClaw waits some five minutes for work. */
  restart: 420_000,
};

/** Key of the releases for which the operator was asked to restart, in this process. */
const ASKED = Symbol.for("openclaw-integrity.plugin.asked");

/**
 * Applies the patch when the gateway starts without it, and has the gateway restarted: at most once for each release.
 * `start` never throws. Nothing is left half done when the process is killed: the steps are recorded, and the next
 * gateway continues.
 */
export class PatchKeeper {
  readonly #options: PatchKeeperOptions;
  readonly #timing: typeof TIMING;
  readonly #stopped = new AbortController();

  constructor(options: PatchKeeperOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
  }

  /** Ends all waiting. A file operation that has begun is completed by its own process or by the next start. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#options.engine.stop();
  }

  /** Does what the state of the patch at the gateway's start asks for; `isActive`: this process runs with it. */
  async start(patch: PatchState, isActive: boolean): Promise<void> {
    if (!this.#options.config.enabled || !isEnabled()) return;
    try {
      const entry = findKept(patch.root, patch.release);
      if (isActive) await this.#confirm(patch, entry);
      else await this.#keep(patch);
    } catch (error) {
      if (!this.#stopped.signal.aborted)
        this.#options.notify(`The patch could not be kept: ${describeError(error)}. Run \`${ownCommand("apply")}\`.`);
    }
  }

  /** Completes a proof that was interrupted, and reports that the patch is active again. */
  async #confirm({ root, release, way }: PatchState, entry: Kept | undefined): Promise<void> {
    const isReverted = readKept().some((one) => one.root === root && one.step === "reverted");
    if (isReverted || entry?.step === "refused" || entry?.step === "failed") {
      // The operator has applied it since, where this record was not: in the image of a container.
      const problem = way === "register" ? undefined : forgetKept(root);
      if (problem !== undefined) this.#options.log.warn(problem);
      return;
    }
    // The operator has applied it, and the proof was interrupted or prevented.
    const isPending = readRecord().some(
      (one) => one.root === root && one.release === release && one.proof === "pending",
    );
    if (entry === undefined && !isPending) return;
    const isDue = entry === undefined || entry.step === "applied";
    const result = isDue ? await this.#keepWithRetries(root) : { entry, isNews: false };
    if (isRevoked(result.entry)) return this.#options.notify(refutedWords(result));
    if (result.entry.isReported !== true) {
      recordKept({ ...result.entry, isReported: true });
      const unproven = result.entry.step === "unproven" ? " It is not proven on this machine." : "";
      this.#options.notify(
        entry === undefined ? proofWords(result) : `The core patch is active again in OpenClaw ${release}.${unproven}`,
      );
    }
    await this.#proveLater(result, refutedWords);
  }

  async #keep({ root, release }: PatchState): Promise<void> {
    const result = await this.#keepWithRetries(root);
    const { step } = result.entry;
    const words = keptWords(result);
    if (step === "reverted") return this.#options.log.info(words);
    if (isRevoked(result.entry)) return result.isNews ? this.#options.notify(words) : this.#options.log.warn(words);
    // Nobody has looked at an unknown release: no gateway is restarted into it before it is proven.
    const isUnjudged = step === "unproven" && result.known === false;
    if (isUnjudged) this.#options.notify(words);
    else await this.#restart(result, result.isNews ? words : patchedLater(release));
    const later = await this.#proveLater(result, keptWords);
    if (isUnjudged && later.entry.step === "proven") await this.#restart(later, patchedLater(release));
  }

  /** Repeats a proof that the machine has prevented, until it comes to its end or was tried often enough. */
  async #proveLater(result: KeepResult, toWords: (result: KeepResult) => string): Promise<KeepResult> {
    let last = result;
    for (;;) {
      const { step, tries, at, root } = last.entry;
      const pause = step === "unproven" && tries !== undefined ? this.#timing.proofs[tries - 1] : undefined;
      if (pause === undefined) return last;
      await this.#pause(Math.min(pause, Math.max(0, Date.parse(at) + pause - Date.now())));
      last = await this.#keepWithRetries(root, true);
      if (isRevoked(last.entry)) this.#options.notify(toWords(last));
      else if (last.entry.step === "proven") this.#options.notify(proofWords(last));
      else this.#options.log.warn(proofWords(last));
    }
  }

  async #keepWithRetries(root: string, again = false): Promise<KeepResult> {
    for (const pause of this.#timing.retries) {
      try {
        return await this.#options.engine.call("keep", { root, again });
      } catch (error) {
        this.#stopped.signal.throwIfAborted();
        this.#options.log.warn(
          `the patch is not applied yet: ${describeError(error)}; trying again in ${pause / 1000} s`,
        );
        await this.#pause(pause);
      }
    }
    return this.#options.engine.call("keep", { root, again });
  }

  /** Restarts when nobody is being answered, or asks the operator to. */
  async #restart({ entry }: KeepResult, words: string): Promise<void> {
    const { notify, turns, config, isUpdating = () => isUpdateRunning(stateDirectory()) } = this.#options;
    const way = await this.#wayOfRestart(entry);
    if ("ask" in way) return this.#ask(entry, `${words} ${restartWords(way.ask)}`);
    const when = isUpdating() ? "the update has ended and nobody is being answered" : "nobody is being answered";
    notify(`${words} The gateway restarts as soon as ${when}.`);
    await this.#pause(Math.max(0, this.#timing.sinceStart - process.uptime() * 1000));
    while (process.uptime() * 1000 < this.#timing.update && isUpdating()) await this.#pause(this.#timing.poll);
    await turns.whenIdle(this.#timing.quiet, this.#timing.patience, this.#stopped.signal);
    // Recorded first: a gateway that is killed now restarts no second time.
    recordKept({ ...entry, restartedAt: new Date().toISOString() });
    (this.#options.send ?? ((signal) => process.kill(process.pid, signal)))(way.signal);
    await this.#pause(this.#timing.restart);
    const why =
      config.restart === "exit" ? "it did not end" : "OpenClaw did not restart it (commands.restart may be off)";
    this.#ask(entry, `The patch of OpenClaw ${entry.release} is not active yet. ${restartWords(why)}`);
  }

  async #wayOfRestart({
    restartedAt,
  }: Kept): Promise<{ readonly signal: RestartSignal | "SIGTERM" } | { readonly ask: string }> {
    const { config, supervision = detectSupervision } = this.#options;
    if (restartedAt !== undefined)
      return { ask: `it was restarted for this release already, at ${restartedAt}, and came back without the patch` };
    if (config.restart === "ask") return { ask: "keepPatched.restart is ask" };
    if (config.restart === "exit") return { signal: "SIGTERM" };
    const supervised = await supervision();
    if (supervised.by === undefined) return { ask: supervised.reason };
    const signal = restartSignal();
    return signal === undefined ? { ask: "this OpenClaw restarts on no signal" } : { signal };
  }

  /** Asks the operator, once in a process: OpenClaw starts its services again when it restarts inside of that. */
  #ask({ root, release }: Kept, text: string): void {
    const holder = globalThis as { [ASKED]?: Set<string> };
    const asked = (holder[ASKED] ??= new Set());
    const key = `${root} ${release}`;
    if (asked.has(key)) return this.#options.log.warn(text);
    asked.add(key);
    this.#options.notify(text);
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { ref: false, signal: this.#stopped.signal });
  }
}

/** Whether the patch is no longer there. */
function isRevoked({ step }: Kept): boolean {
  return step === "failed" || step === "refused";
}

function patchedLater(release: string): string {
  return `OpenClaw ${release} was patched after this gateway had started.`;
}
