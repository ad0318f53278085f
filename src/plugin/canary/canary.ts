import { setTimeout as sleep } from "node:timers/promises";
import { describeError } from "../../base/coded-error.ts";
import { hasSteadyClock } from "../../base/processes.ts";
import { isEnabled } from "../../guard/base/switch.ts";
import type { PatchState } from "../../patching/patch-state.ts";
import { findHook, hookIn } from "../../register/node-options.ts";
import type { Protection } from "../../store/openclaw/protection.ts";
import type { PluginLogger } from "../api.ts";
import type { Calls } from "../remote/remote.ts";
import { whyInactive } from "../sessions/words.ts";
import { tryLoadedGuard } from "./loaded-guard.ts";
import { tellServiceStatus } from "./service-status.ts";
import type { Trial } from "./trial.ts";

/** Options of the canary. */
export interface CanaryOptions {
  readonly root: string;
  readonly trial: Calls<Trial>;
  /** Lets other processes read what was found. */
  readonly publish: (found: Protection) => Promise<void>;
  readonly log: Required<PluginLogger>;
  /** Tells the operator, in the log and in chat. */
  readonly notify: (text: string) => void;
  /** The rest is replaced by tests. */
  readonly delayMs?: number;
  readonly tryGuard?: (root: string) => Promise<string | undefined>;
  readonly tellService?: (status: string) => Promise<void>;
  readonly availableMemory?: () => number;
}

type Found = Pick<Protection, "state" | "reason">;

/** The start of a gateway is work enough for the machine. */
const DELAY_MS = 20_000;
const MEGABYTE = 1 << 20;

/**
 * Finds out, once for each start, whether this very process is protected, and publishes that:
 *
 * 1. Its OpenClaw was patched before the process began, so that whatever it has loaded, and will load, is patched.
 * 2. The guard of this process repairs a corrupt history and a corrupt request.
 * 3. The same files, run by another process with a store and a provider of its own, answer a corrupt conversation.
 *
 * What cannot be found out is `unknown`. `start` never throws, and nothing of the gateway waits for it.
 */
export class Canary {
  readonly #options: CanaryOptions;
  readonly #stopped = new AbortController();
  #found: Protection | undefined;

  constructor(options: CanaryOptions) {
    this.#options = options;
  }

  /** What was found last; undefined before the start. */
  get found(): Protection | undefined {
    return this.#found;
  }

  /** Ends the trial. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#options.trial.stop();
  }

  /** Begins; `isActive`: this process runs with the patch, by the time at which its files were patched. */
  async start(patch: PatchState, isActive: boolean): Promise<void> {
    // OpenClaw starts its services again at each change of its configuration. What the process has loaded stays.
    this.#found = settled();
    if (this.#found !== undefined) return;
    try {
      if (!isActive) return await this.#settle(whyNot(patch), true);
      await this.#publish({ state: "unknown", reason: "Its trial has not ended yet." });
      await sleep(this.#options.delayMs ?? DELAY_MS, undefined, { ref: false, signal: this.#stopped.signal });
      await this.#settle(await this.#try(patch));
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      await this.#settle(unknown(describeError(error)));
    }
  }

  async #try({ root, way }: PatchState): Promise<Found> {
    const {
      tryGuard = tryLoadedGuard,
      trial,
      availableMemory = process.availableMemory?.bind(process),
    } = this.#options;
    const wrong = await tryGuard(root);
    if (wrong !== undefined) return { state: "not protected", reason: `In this process ${wrong}.` };
    // A second OpenClaw takes about as much as this one, and must not be the reason for the end of this one.
    const [free = Infinity, needed] = [availableMemory?.(), process.memoryUsage.rss()];
    if (free < needed)
      return unknown(
        `too little memory is free for it: ${toMegabytes(free)} MB, and it takes about ${toMegabytes(needed)} MB`,
      );
    const hook = way === "register" ? (hookIn(process.env.NODE_OPTIONS) ?? findHook(process.execArgv)) : undefined;
    const { verdict, sentence } = await trial.call("run", { root, hook });
    if (verdict === "proven") return { state: "protected", reason: PROTECTED };
    if (verdict === "patch") return { state: "not protected", reason: `A corrupt conversation was lost: ${sentence}.` };
    return unknown(sentence);
  }

  /** `isTold`: the operator knows already that the patch is missing. */
  async #settle(found: Found, isTold = false): Promise<void> {
    const { log, notify, root, tellService = tellServiceStatus } = this.#options;
    const { state, reason } = found;
    const words =
      state === "unknown"
        ? `whether this gateway is protected is unknown: ${reason}`
        : `this gateway is ${state}: ${reason}`;
    if (state === "protected" || isTold) log.info(words);
    else if (state === "unknown") log.warn(words);
    else notify(words);
    if (state !== "unknown") holder()[SETTLED] = { ...found, root, at: Date.now() };
    await Promise.all([this.#publish(found), tellService(`openclaw-integrity: ${state}. ${reason}`)]);
  }

  async #publish(found: Found): Promise<void> {
    const { root, publish, log } = this.#options;
    this.#found = { ...found, root, at: Date.now() };
    await publish(this.#found).catch((error: unknown) => {
      if (!this.#stopped.signal.aborted) log.warn(`no other process can read that: ${describeError(error)}`);
    });
  }
}

const PROTECTED =
  "The guard in this process repaired a corrupt history, and the same OpenClaw answered a corrupt conversation in a trial.";

/** Why a process runs without the patch, by the files and the switch. */
function whyNot(patch: PatchState): Found {
  // A clock that was set since says nothing of what came first.
  if (patch.fate === "patched" && isEnabled() && !hasSteadyClock())
    return unknown("the clock was set, so that nothing tells whether the gateway or its patch came first");
  return { state: "not protected", reason: whyInactive(patch).join(" ") };
}

function unknown(why: string): Found {
  return { state: "unknown", reason: `The trial came to no end: ${why.replace(/\.$/, "")}.` };
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE);
}

/** Key of what was found for good in this process. */
const SETTLED = Symbol.for("openclaw-integrity.plugin.protection");

function holder(): { [SETTLED]?: Protection } {
  return globalThis as { [SETTLED]?: Protection };
}

function settled(): Protection | undefined {
  return holder()[SETTLED];
}
