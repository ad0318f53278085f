import { setTimeout as sleep } from "node:timers/promises";
import { describeError } from "../../base/coded-error.ts";
import { processStart } from "../../base/processes.ts";
import { isEnabled } from "../../guard/base/switch.ts";
import { describeFaults, isSound, countFaultKinds, type Examination } from "../../health/index.ts";
import { emit } from "../../observe/index.ts";
import type { PatchState } from "../../patching/patch-state.ts";
import { readMemoryPatch } from "./in-memory.ts";
import { sessionIdentity } from "../../store/catalog/summary.ts";
import type { SessionSummary } from "../../store/index.ts";
import type { Protection } from "../../store/openclaw/protection.ts";
import type { PluginLogger } from "../api.ts";
import type { PluginConfig } from "../settings/config.ts";
import { Arrivals } from "./arrivals.ts";
import { Deletions } from "./deletions.ts";
import type { Checked, ScanResult } from "../remote/scan-worker.ts";
import { writeIncident, type PluginIncident } from "./incident.ts";
import { treat, type Treated, type TreatmentOptions } from "./treatment.ts";
import { foundWords, patchWarning } from "./words.ts";

/** Options of the monitor. */
export interface SessionMonitorOptions extends Omit<TreatmentOptions, "strategy" | "isPatched"> {
  readonly config: PluginConfig;
  readonly log: Required<PluginLogger>;
  /** Reports to the operator. */
  readonly notify: (text: string) => void;
  /** Called once, when the state of the patch at the start is known. */
  readonly onStart?: (patch: PatchState, isPatched: boolean) => void;
  /** What the process has found about itself. */
  readonly protection?: () => Protection | undefined;
}

/** A session with faults, and what was done about it. */
export interface FoundSession extends Treated {
  readonly session: SessionSummary;
  readonly examination: Examination;
  /** Whether the result is reported to the operator; see `#isNews`. */
  readonly isNews: boolean;
}

/** Result of a scan, and what was done about the faults. */
export interface ScanOutcome {
  readonly result: ScanResult;
  readonly treated: readonly FoundSession[];
  /** The scan was a dry run. */
  readonly isDry: boolean;
}

type FoundBy = PluginIncident["foundBy"];

interface Treating {
  readonly sessionKey: string | undefined;
  readonly outcome: Promise<FoundSession | undefined>;
}

/** Interval in milliseconds of the scans for changes, and of the retries of sessions that had an active run. */
const RESCAN_MS = 30_000;
/**
 * Longest wait of a message for the check of its conversation. Longer than OpenClaw takes to load on a busy machine.
 */
const TIMEOUT_MS = 60_000;

/**
 * Monitors the stored sessions of the gateway that it runs in: scans them when the gateway starts, checks each before
 * it is answered, has faults treated, and notifies the operator. `start`, `beforeRun` and `retryWaiting` never throw.
 * When OpenClaw loads the plugin again, faults that have not changed are not reported again.
 */
export class SessionMonitor {
  readonly options: SessionMonitorOptions;
  /** Follows OpenClaw's deletions. */
  readonly deletions: Deletions;
  /** Conversations that only `beforeRun` may repair now. */
  readonly arrivals = new Arrivals();
  /** The last scan. */
  last: ScanOutcome | undefined;
  /** The state of the patch on the disk; undefined until it was read. */
  patch: PatchState | undefined;
  #start: Promise<void> | undefined;
  #scanning: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** Sessions to be repaired when their run has ended, by session id. */
  readonly #waiting = new Map<string, Checked>();
  /** Running treatments, by session id. */
  readonly #treating = new Map<string, Treating>();

  constructor(options: SessionMonitorOptions) {
    this.options = options;
    this.deletions = new Deletions(options.scanWorker, options.config, options.log);
  }

  /** Starts the start-up scan and the timer, once, and returns immediately. */
  start(): void {
    this.#start ??= this.#startUp();
    this.#timer ??= setInterval(() => void this.#rescan(), RESCAN_MS).unref();
  }

  /** Ends the worker thread, the writer process and the timer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.deletions.stop();
    await Promise.all([this.options.scanWorker.stop(), this.options.writer.stop()]);
  }

  /** Resolves when the start-up scan has ended or failed. */
  async whenStarted(): Promise<void> {
    await this.#start;
  }

  /** Whether this process runs the patch: it was there when the process started, and is not turned off. */
  get isPatched(): boolean {
    return this.patch?.fate === "patched" && isEnabled() && (this.patch.since ?? 0) < processStart();
  }

  /** Reads the state of the patch on the disk again: an update removes the patch while the gateway runs. */
  async readPatchState(): Promise<void> {
    const { root, scanWorker } = this.options;
    this.patch = readMemoryPatch(root) ?? (await scanWorker.call("patch", { root }));
  }

  /** Sessions that are repaired after their active run. */
  get waiting(): readonly SessionSummary[] {
    return [...this.#waiting.values()].map(({ session }) => session);
  }

  /** Scans the changed sessions (or all) and treats those with faults. Scans run one after the other. */
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
   * Checks one conversation before it is answered, and treats its faults. Resolves when it may be answered; never
   * rejects.
   */
  async beforeRun(which: string): Promise<void> {
    const { config, log, scanWorker } = this.options;
    if (!config.validateBeforeCall || this.#stopped) return;
    const since = performance.now();
    this.arrivals.arrived(which);
    try {
      const work = this.#whenUntouched(which)
        .then(() => scanWorker.call("check", { which }))
        .then((checked) => checked && this.#treatBefore(checked, since));
      const isDone = await Promise.race([work.then(() => true), sleep(TIMEOUT_MS, false, { ref: false })]);
      if (!isDone)
        log.warn(`the check of ${which} is not done after ${TIMEOUT_MS} ms; the conversation is answered anyway`);
    } catch (error) {
      log.error(`the check of ${which} failed: ${describeError(error)}; the conversation is answered anyway`);
    }
  }

  /** Retries the repair of sessions that had an active run. Never rejects. */
  async retryWaiting(): Promise<void> {
    // A copy: a session that has to wait again is added anew, and the map itself would give it at once again.
    const waiting = [...this.#waiting];
    for (const [key, { session }] of waiting) {
      if (this.#stopped) return;
      if (this.arrivals.has(session.sessionKey)) continue;
      this.#waiting.delete(key);
      const checked = await this.options.scanWorker
        .call("show", { which: session.sessionId, agentId: session.agentId })
        .catch(() => undefined);
      if (checked !== undefined && !isSound(checked.examination))
        await this.#treatUnlessArrived(checked, "before_run").catch((error: unknown) =>
          this.options.log.error(describeError(error)),
        );
    }
  }

  /**
   * Retries waiting sessions and scans the changed ones. Faults arise while the gateway runs: OpenClaw 2026.2 detaches
   * a conversation from its history with each reply to a command.
   */
  async #rescan(): Promise<void> {
    await this.retryWaiting();
    if (!this.#stopped && this.options.config.validateBeforeCall)
      await this.scan({ foundBy: "tick" }).catch((error: unknown) =>
        this.options.log.error(`a scan failed: ${describeError(error)}`),
      );
  }

  async #startUp(): Promise<void> {
    const { log } = this.options;
    try {
      await this.readPatchState();
      if (!this.isPatched) this.#warn(this.patch!);
      this.options.onStart?.(this.patch!, this.isPatched);
      const { result, treated } = await this.scan({ foundBy: "startup_scan" });
      log.info(
        `scanned ${result.sessions} sessions (${result.read} read) in ${Math.round(result.milliseconds)} ` +
          `ms: ${result.corrupt} with faults, ${treated.filter(({ action }) => action === "repaired").length} repaired`,
      );
    } catch (error) {
      if (!this.#stopped)
        log.error(
          `the scan at the start failed: ${describeError(error)}; each conversation is checked before it is answered`,
        );
    }
    void this.deletions.start();
  }

  /** A patch that is about to be applied again is reported with its result. */
  #warn(patch: PatchState): void {
    const { config, log, notify } = this.options;
    if (config.keepPatched.enabled && isEnabled()) log.warn(patchWarning(patch));
    else notify(patchWarning(patch));
  }

  async #scanOnce(all: boolean, foundBy: FoundBy, isDry: boolean): Promise<ScanOutcome> {
    const { scanWorker, log } = this.options;
    const result = await scanWorker.call("scan", { all }, (done, total) =>
      log.info(`scanning: ${done} of ${total} sessions`),
    );
    if (foundBy !== "tick") for (const problem of result.problems) log.warn(problem);
    const treated: FoundSession[] = [];
    for (const { session, examination } of isDry ? [] : result.faulty) {
      const found = examination && (await this.#treatUnlessArrived({ session, examination }, foundBy));
      if (found) treated.push(found);
    }
    const news = treated.filter(({ isNews }) => isNews);
    if (news.length > 0) this.options.notify(foundWords(news.map(({ action }) => action)));
    this.last = { result, treated, isDry };
    return this.last;
  }

  async #treatBefore(checked: Checked, since: number): Promise<void> {
    const { sessionId, kind } = checked.session;
    emit("l0:validation:fail", () => ({ sessionId, gate: "store", messages: checked.examination.messages }), {
      since,
      kinds: countFaultKinds(checked.examination),
    });
    // The patched OpenClaw can answer the session as it is; loading OpenClaw for a repair would only delay the answer.
    if (kind === "rows" && this.isPatched && this.options.config.autoRepair) {
      this.#waiting.set(sessionId, checked);
      return;
    }
    const found = await this.#treat(checked, "before_run");
    if (found?.isNews === true) this.options.notify(foundWords([found.action]));
  }

  /** Waits for the running treatment of a conversation; a later one is put off, because the message has arrived. */
  async #whenUntouched(which: string): Promise<void> {
    for (const { sessionKey, outcome } of this.#treating.values())
      if (sessionKey === which) await outcome.catch(() => undefined);
  }

  /** Treats a session that a scan has found, unless a message has arrived in it since. */
  async #treatUnlessArrived(checked: Checked, foundBy: FoundBy): Promise<FoundSession | undefined> {
    const { session, examination } = checked;
    if (!this.options.config.autoRepair || !this.arrivals.has(session.sessionKey)) return this.#treat(checked, foundBy);
    this.#waiting.set(session.sessionId, checked);
    return { session, examination, isNews: false, action: "waiting", reason: "a message has arrived in it" };
  }

  /**
   * Runs one treatment of a session at a time. A concurrent call waits for it and returns undefined, so that nothing is
   * reported twice.
   */
  async #treat(checked: Checked, foundBy: FoundBy): Promise<FoundSession | undefined> {
    const { sessionId, sessionKey } = checked.session;
    const current = this.#treating.get(sessionId);
    if (current !== undefined) return current.outcome.then(() => undefined);
    const outcome = this.#treatOnce(checked, foundBy).finally(() => this.#treating.delete(sessionId));
    this.#treating.set(sessionId, { sessionKey, outcome });
    return outcome;
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
    const isNews = this.#isNews(session, treated, describeFaults(examination).join("; "));
    if (isNews) {
      const { after: _after, ...outcome } = treated;
      log.warn(
        `session ${session.sessionId}: ${describeFaults(examination).join("; ")}: ${treated.action.replace("_", " ")}`,
      );
      try {
        const { sessionId, sessionKey, agentId } = session;
        writeIncident(stateDirectory, { sessionId, sessionKey, agentId, foundBy, examination, ...outcome });
      } catch (error) {
        log.error(`the incident could not be recorded: ${describeError(error)}; only the line above reports it`);
      }
    }
    return { session, examination, isNews, ...treated };
  }

  /**
   * A repair or rollback is always reported, a waiting session never; any other result when it differs from the last
   * one of the session.
   */
  #isNews(session: SessionSummary, { action }: Treated, faults: string): boolean {
    const isFirst = isNew(session, `${action} ${faults}`);
    return action !== "waiting" && (isFirst || action === "repaired" || action === "rolled_back");
  }
}

/**
 * Key of the last result of each session in this process. The results are kept globally, because OpenClaw loads a
 * plugin again at each change of its configuration, and the same must not be reported twice.
 */
const REPORTED = Symbol.for("openclaw-integrity.plugin.told");

function isNew(session: SessionSummary, words: string): boolean {
  const holder = globalThis as { [REPORTED]?: Map<string, string> };
  const reported = (holder[REPORTED] ??= new Map());
  const key = sessionIdentity(session);
  if (reported.get(key) === words) return false;
  reported.set(key, words);
  return true;
}
