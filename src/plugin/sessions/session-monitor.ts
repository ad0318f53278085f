import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf } from "../../base/coded-error.ts";
import { processStart } from "../../base/processes.ts";
import { isEnabled } from "../../guard/base/switch.ts";
import { faultsOf, isSound, kindsOf, type Examination } from "../../health/index.ts";
import { emit } from "../../observe/index.ts";
import type { PatchState } from "../../patching/patch-state.ts";
import { identityOf } from "../../store/catalog/summary.ts";
import type { SessionSummary } from "../../store/index.ts";
import type { PluginLogger } from "../api.ts";
import type { PluginConfig } from "../settings/config.ts";
import { Deletions } from "./deletions.ts";
import type { Checked, ScanResult } from "../remote/scan-worker.ts";
import { writeIncident, type PluginIncident } from "./incident.ts";
import { notifyOperator } from "./notify.ts";
import { treat, type Treated, type TreatmentOptions } from "./treatment.ts";
import { foundWords, patchWarning } from "./words.ts";

/** What the monitor works with. */
export interface SessionMonitorOptions extends Omit<TreatmentOptions, "strategy" | "isPatched"> {
  readonly config: PluginConfig;
  readonly log: Required<PluginLogger>;
}

/** A session that was found to be faulty, and what was done about it. */
export interface FoundSession extends Treated {
  readonly session: SessionSummary;
  readonly examination: Examination;
  /** False when this process has told the same of it before. */
  readonly isNews: boolean;
}

/** What a scan has found and what was done about it. */
export interface ScanOutcome {
  readonly result: ScanResult;
  readonly treated: readonly FoundSession[];
  /** Nothing was to be repaired. */
  readonly isDry: boolean;
}

type FoundBy = PluginIncident["foundBy"];

/** What was written is looked at, and a session that was being answered tried again, this often, in milliseconds. */
const AGAIN_MS = 30_000;
/**
 * A message never waits longer than this for the look at its conversation: longer than OpenClaw takes to load on a
 * machine that is busy.
 */
const TIMEOUT_MS = 60_000;

/**
 * Looks after the stored sessions of the gateway that it runs in: scans them when the gateway starts, looks at each
 * before it is answered, has faulty ones treated, and tells the operator. It never throws into OpenClaw, and a plugin
 * that is loaded again begins where the last one was. Issue 6, items 2 to 4.
 */
export class SessionMonitor {
  readonly options: SessionMonitorOptions;
  /** What follows OpenClaw's deletions. */
  readonly deletions: Deletions;
  /** The last scan that was made. */
  last: ScanOutcome | undefined;
  /** The patch as it lies on the disk; undefined until it was looked at. */
  patch: PatchState | undefined;
  #start: Promise<void> | undefined;
  #scanning: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  readonly #waiting = new Map<string, Checked>();
  readonly #treating = new Map<string, Promise<FoundSession | undefined>>();

  constructor(options: SessionMonitorOptions) {
    this.options = options;
    this.deletions = new Deletions(options.scanWorker, options.config, options.log);
  }

  /** Begins the start-up scan, once, and comes back at once. */
  start(): void {
    this.#start ??= this.#startUp();
    this.#timer ??= setInterval(() => void this.#again(), AGAIN_MS).unref();
  }

  /** Ends the worker and the timer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.deletions.stop();
    await Promise.all([this.options.scanWorker.stop(), this.options.writer.stop()]);
  }

  /** Resolves when the start-up scan is over, also when it failed. */
  async whenStarted(): Promise<void> {
    await this.#start;
  }

  /** Whether the requests of this very process are guarded. */
  get isPatched(): boolean {
    return this.patch?.fate === "patched" && isEnabled() && (this.patch.since ?? 0) < processStart();
  }

  /** Looks at the patch on the disk again: an update takes it away while the gateway runs. */
  async lookAtPatch(): Promise<void> {
    this.patch = await this.options.scanWorker.call("patch", { root: this.options.root });
  }

  /** Sessions that are repaired when nobody answers them any more. */
  get waiting(): readonly SessionSummary[] {
    return [...this.#waiting.values()].map(({ session }) => session);
  }

  /** Scans what has changed (or everything) and treats what is faulty, one scan behind the other. */
  scan({
    all = false,
    foundBy,
    isDry = false,
  }: {
    readonly all?: boolean;
    readonly foundBy: FoundBy;
    readonly isDry?: boolean;
  }): Promise<ScanOutcome> {
    const scanning = (this.#scanning ?? Promise.resolve()).then(() => this.#scanOnce(all, foundBy, isDry));
    this.#scanning = scanning.catch(() => undefined);
    return scanning;
  }

  /**
   * Looks at one conversation before it is answered, and treats it. Resolves when it may be answered; never rejects.
   */
  async beforeRun(which: string): Promise<void> {
    const { config, log, scanWorker } = this.options;
    if (!config.validateBeforeCall || this.#stopped) return;
    const since = performance.now();
    try {
      const work = scanWorker.call("check", { which }).then((checked) => checked && this.#treatBefore(checked, since));
      const isDone = await Promise.race([work.then(() => true), sleep(TIMEOUT_MS, false, { ref: false })]);
      if (!isDone) log.warn(`the look at ${which} is not done after ${TIMEOUT_MS} ms; it is answered all the same`);
    } catch (error) {
      log.error(`the look at ${which} failed: ${reasonOf(error)}; it is answered all the same`);
    }
  }

  /** Tries again what was being answered when it was to be repaired. Never rejects. */
  async retryWaiting(): Promise<void> {
    for (const [key, { session }] of this.#waiting) {
      if (this.#stopped) return;
      this.#waiting.delete(key);
      const checked = await this.options.scanWorker
        .call("show", { which: session.sessionId, agentId: session.agentId })
        .catch(() => undefined);
      if (checked !== undefined && !isSound(checked.examination))
        await this.#treat(checked, "before_run").catch((error: unknown) => this.options.log.error(reasonOf(error)));
    }
  }

  /**
   * What was written since the last time: OpenClaw 2026.2 cuts a conversation off its own past with each answer to a
   * command.
   */
  async #again(): Promise<void> {
    await this.retryWaiting();
    if (!this.#stopped && this.options.config.validateBeforeCall)
      await this.scan({ foundBy: "tick" }).catch((error: unknown) =>
        this.options.log.error(`a scan failed: ${reasonOf(error)}`),
      );
  }

  async #startUp(): Promise<void> {
    const { log } = this.options;
    try {
      await this.lookAtPatch();
      if (!this.isPatched) this.#tellOperator(patchWarning(this.patch!));
      const { result, treated } = await this.scan({ foundBy: "startup_scan" });
      log.info(
        `scanned ${result.sessions} sessions (${result.read} read) in ${Math.round(result.milliseconds)} ms: ${result.corrupt} with faults, ${treated.filter(({ action }) => action === "repaired").length} repaired`,
      );
    } catch (error) {
      if (!this.#stopped)
        log.error(
          `the scan at the start failed: ${reasonOf(error)}; each conversation is looked at before it is answered`,
        );
    }
    void this.deletions.start();
  }

  async #scanOnce(all: boolean, foundBy: FoundBy, isDry: boolean): Promise<ScanOutcome> {
    const { scanWorker, log } = this.options;
    const result = await scanWorker.call("scan", { all }, (done, total) =>
      log.info(`scanning: ${done} of ${total} sessions`),
    );
    if (foundBy !== "tick") for (const problem of result.problems) log.warn(problem);
    const treated: FoundSession[] = [];
    for (const { session, examination } of isDry ? [] : result.faulty) {
      const found = examination && (await this.#treat({ session, examination }, foundBy));
      if (found) treated.push(found);
    }
    const news = treated.filter(({ isNews }) => isNews);
    if (news.length > 0) this.#tellOperator(foundWords(news.map(({ action }) => action)));
    this.last = { result, treated, isDry };
    return this.last;
  }

  async #treatBefore(checked: Checked, since: number): Promise<void> {
    const { sessionId, kind } = checked.session;
    emit("l0:validation:fail", () => ({ sessionId, gate: "store", messages: checked.examination.messages }), {
      since,
      kinds: kindsOf(checked.examination),
    });
    // The patched OpenClaw answers it as it is; loading OpenClaw for a repair would only keep the user waiting.
    if (kind === "rows" && this.isPatched && this.options.config.autoRepair) {
      if (!this.#treating.has(sessionId)) this.#waiting.set(sessionId, checked);
      return;
    }
    const found = await this.#treat(checked, "before_run");
    if (found?.isNews === true) this.#tellOperator(foundWords([found.action]));
  }

  /** One treatment of a session at a time: who comes meanwhile waits for it, and has nothing to tell. */
  async #treat(checked: Checked, foundBy: FoundBy): Promise<FoundSession | undefined> {
    const { sessionId } = checked.session;
    const current = this.#treating.get(sessionId);
    if (current !== undefined) return current.then(() => undefined);
    const treating = this.#treatOnce(checked, foundBy).finally(() => this.#treating.delete(sessionId));
    this.#treating.set(sessionId, treating);
    return treating;
  }

  async #treatOnce({ session, examination }: Checked, foundBy: FoundBy): Promise<FoundSession | undefined> {
    const { config, log, stateDirectory } = this.options;
    const options = { ...this.options, strategy: config.repairStrategy, isPatched: () => this.isPatched };
    const treated: Treated | undefined = config.autoRepair
      ? await treat(session, examination, options)
      : { action: "detected" };
    this.#waiting.delete(session.sessionId);
    if (treated === undefined) return undefined;
    if (treated.action === "waiting") this.#waiting.set(session.sessionId, { session, examination });
    const isNews = this.#isNews(session, treated, faultsOf(examination).join("; "));
    if (isNews) {
      const { after: _after, ...told } = treated;
      log.warn(
        `session ${session.sessionId}: ${faultsOf(examination).join("; ")}: ${treated.action.replace("_", " ")}`,
      );
      try {
        const { sessionId, sessionKey, agentId } = session;
        writeIncident(stateDirectory, { sessionId, sessionKey, agentId, foundBy, examination, ...told });
      } catch (error) {
        log.error(`the incident could not be written down: ${reasonOf(error)}; the line above is all there is`);
      }
    }
    return { session, examination, isNews, ...treated };
  }

  /** What was done is told each time. What only stands there is told once; what waits, when it has come to an end. */
  #isNews(session: SessionSummary, { action }: Treated, faults: string): boolean {
    const isFirst = isNew(session, `${action} ${faults}`);
    return action !== "waiting" && (isFirst || action === "repaired" || action === "rolled_back");
  }

  #tellOperator(text: string): void {
    const { config, log, root } = this.options;
    log.warn(text);
    if (config.notify === undefined) return;
    const { channel } = config.notify;
    void notifyOperator(root, config.notify, `OpenClaw session integrity: ${text}`).then((problem) => {
      if (problem !== undefined) log.error(`the operator could not be told in ${channel}: ${problem}`);
    });
  }
}

/**
 * What this process has told of each session: OpenClaw loads a plugin anew at each change of its configuration, and the
 * same is not told twice.
 */
const TOLD = Symbol.for("openclaw-integrity.plugin.told");

function isNew(session: SessionSummary, words: string): boolean {
  const holder = globalThis as { [TOLD]?: Map<string, string> };
  const told = (holder[TOLD] ??= new Map());
  const key = identityOf(session);
  if (told.get(key) === words) return false;
  told.set(key, words);
  return true;
}
