import { setTimeout as sleep } from "node:timers/promises";
import { setStoreForPrintedCommands } from "../../base/commands/own-command.ts";
import { describeError } from "../../base/coded-error.ts";
import { processStart } from "../../base/processes.ts";
import {
  type ActiveWorkState,
  authorBy,
  briefing,
  type CallsOf,
  Continuity,
  type MetricSink,
  type Project,
  workNotice,
} from "../../continuity/index.ts";
import { isEngines } from "../../continuity/decide/step-words.ts";
import { isGone, LeaseKeeper } from "../../continuity-tools/index.ts";
import {
  NO_WORK,
  unreadWork,
  workAtFork,
  type WorkAtMove,
  workAtMove,
  type WorkCalls,
} from "../../continuity-tools/work-at-move.ts";
import type { PluginLogger } from "../api.ts";
import type { StorePlace } from "./store.ts";

/** Options of {@link ContinuityWork}. */
export interface ContinuityWorkOptions {
  readonly place: StorePlace;
  readonly log: Pick<PluginLogger, "error" | "warn">;
  /** Prefix of the tools' names. */
  readonly toolPrefix: string;
  readonly metrics?: MetricSink;
  /** Knows the tool calls since an attempt began. */
  readonly calls?: CallsOf;
  /** Returns the time in milliseconds since 1970. */
  readonly now?: () => number;
  /** When this process started, in milliseconds since 1970. */
  readonly processStart?: number;
}

/** The run that a briefing is for. */
export interface BriefingRequest {
  readonly project_id: string;
  /** The conversation of the run, by its name as an author: text by other authors is marked. */
  readonly conversation: string;
  /** Only say that there is work, without any recorded text: for places where text counts as the operator's. */
  readonly noticeOnly?: boolean;
  readonly staleAfterMs: number;
  /** A run whose prompt is built again gets the same briefing again. */
  readonly runId?: string | undefined;
}

/** The conversation that a move is made in, or a copy of it. */
export interface MoveRequest extends Omit<BriefingRequest, "noticeOnly" | "runId"> {
  /** A copy is made, which has a project of its own. */
  readonly isApart?: boolean;
}

/** Number of unfinished tasks by status, and of steps with an unknown outcome. */
export interface WorkCounts {
  readonly projects: number;
  readonly doing: number;
  readonly blocked: number;
  readonly todo: number;
  readonly open_steps: number;
  /** Projects that go on from an older copy: what was done since is not confirmed. */
  readonly older_copies: number;
}

/**
 * Longest wait of a run for its briefing, and of a gateway that ends for the release of its leases: a database that
 * does not answer must not block either.
 */
const TIMEOUT_MS = 3000;
const TIMED_OUT = Symbol("timed out");
/** Time within which the same error is logged only once. */
const SAME_ERROR_MS = 60 * 60 * 1000;

/**
 * The recorded work of a gateway: the store, which is opened on first use, the leases of its steps, and the briefings
 * of runs. Errors are logged once and returned by the tool that was called; no run fails because of them.
 */
export class ContinuityWork {
  readonly leases = new LeaseKeeper({ isGone });
  readonly calls: CallsOf | undefined;
  readonly #options: ContinuityWorkOptions;
  readonly #now: () => number;
  readonly #processStart: number;
  #opened: Promise<Continuity> | undefined;
  readonly #logged = new Map<string, number>();
  readonly #warned = new Set<string>();
  /** Number of briefings that timed out and are still pending. */
  #pending = 0;
  /** By project and conversation: the run that is told of ends of claims, and of which. */
  readonly #toldEnds = new Map<
    string,
    { readonly runId: string | undefined; readonly ends: ActiveWorkState["claim_ends"] }
  >();
  /** For each project, the run whose briefing mentioned the restart of this process. */
  readonly #toldOfRestart = new Map<string, string | undefined>();

  constructor(options: ContinuityWorkOptions) {
    this.#options = options;
    this.calls = options.calls;
    this.#now = options.now ?? Date.now;
    this.#processStart = options.processStart ?? processStart();
  }

  /**
   * Returns the project of that name for a conversation, and creates it if it is missing. Rejects with a
   * ContinuityError.
   */
  async project(project_id: string, conversation: string): Promise<Project> {
    try {
      return (await (await this.#continuity()).project(project_id)).as(authorBy("openclaw", conversation));
    } catch (error) {
      this.#logError(error);
      throw error;
    }
  }

  /**
   * Returns the active work of a project in a few lines for the prompt of a run; null when there is none or when
   * reading times out. The first run of a process is told that the process was restarted since the work was recorded.
   * Creates nothing and never rejects.
   */
  async briefing(request: BriefingRequest): Promise<string | null> {
    return (await this.#inTime(() => this.#briefing(request))) ?? null;
  }

  /**
   * Returns what a move tells of the work of a project. Where it cannot be read, the text says so. Creates nothing and
   * never rejects.
   */
  async atMove(request: MoveRequest, calls: WorkCalls): Promise<WorkAtMove> {
    return (await this.#inTime(() => this.#atMove(request, calls))) ?? unreadWork(this.#options.toolPrefix);
  }

  /**
   * Counts the unfinished work of all projects; undefined when there is none. Creates nothing. Rejects with a
   * ContinuityError.
   */
  async counts(): Promise<WorkCounts | undefined> {
    if (this.#options.place.isMissing()) return undefined;
    const continuity = await this.#continuity();
    let counts: WorkCounts = { projects: 0, doing: 0, blocked: 0, todo: 0, open_steps: 0, older_copies: 0 };
    for (const project_id of await continuity.projects()) {
      const { tasks, open_steps, unknown_since } = await (await continuity.project(project_id)).activeWork();
      if (tasks.length === 0 && open_steps.length === 0 && !unknown_since) continue;
      const countTasks = (status: string): number => tasks.filter((task) => task.status === status).length;
      counts = {
        projects: counts.projects + 1,
        doing: counts.doing + countTasks("doing"),
        blocked: counts.blocked + countTasks("blocked"),
        todo: counts.todo + countTasks("todo"),
        open_steps: counts.open_steps + open_steps.filter((step) => !isEngines(step)).length,
        older_copies: counts.older_copies + (unknown_since ? 1 : 0),
      };
    }
    return counts.projects === 0 ? undefined : counts;
  }

  /** Releases the leases and closes the store; the next use opens it again. Never rejects. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    const closed = this.leases.releaseAll().then(async () => (await opened).close());
    await withinTimeout(closed.catch(() => undefined));
  }

  /** Returns what reading gives; undefined, with a line in the log, when it fails or takes too long. */
  async #inTime<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
    // While the store does not answer, further runs do not wait for it.
    if (this.#pending > 0) return undefined;
    const work = read().catch((error: unknown) => {
      this.#logError(error);
      return undefined;
    });
    const found = await withinTimeout(work);
    if (found !== TIMED_OUT) return found;
    this.#pending += 1;
    void work.finally(() => (this.#pending -= 1));
    this.#logError(new Error(`the store has not answered within ${TIMEOUT_MS} ms.`));
    return undefined;
  }

  async #atMove(
    { project_id, conversation, staleAfterMs, isApart = false }: MoveRequest,
    calls: WorkCalls,
  ): Promise<WorkAtMove> {
    const project = this.#options.place.isMissing() ? undefined : await (await this.#continuity()).find(project_id);
    if (project === undefined) return NO_WORK;
    const reader = authorBy("openclaw", conversation);
    return (isApart ? workAtFork : workAtMove)(project.as(reader), calls, {
      now: this.#now(),
      staleAfterMs,
      toolPrefix: this.#options.toolPrefix,
      reader,
      calls: this.calls,
    });
  }

  async #briefing({
    project_id,
    conversation,
    noticeOnly = false,
    staleAfterMs,
    runId,
  }: BriefingRequest): Promise<string | null> {
    if (this.#options.place.isMissing()) return null;
    const found = await (await this.#continuity()).find(project_id);
    if (found === undefined) return null;
    const project = found.as(authorBy("openclaw", conversation));
    const work = await this.#readWork(project, conversation, { noticeOnly, runId });
    const restarted = this.#isRestarted(work, runId);
    const options = { now: this.#now(), staleAfterMs, restarted, toolPrefix: this.#options.toolPrefix };
    const text = noticeOnly
      ? workNotice(work, options)
      : briefing(work, { ...options, reader: authorBy("openclaw", conversation), calls: this.calls });
    if (text !== null && restarted) this.#toldOfRestart.set(project_id, runId);
    return text;
  }

  /**
   * Returns the work for a conversation. Each claim that has ended is told to one run, which may build its prompt
   * again.
   */
  async #readWork(
    project: Project,
    conversation: string,
    { noticeOnly, runId }: Pick<BriefingRequest, "noticeOnly" | "runId">,
  ): Promise<ActiveWorkState> {
    const work = await project.activeWork();
    if (noticeOnly === true) return work;
    const key = `${project.workflow_id} ${conversation}`;
    const before = this.#toldEnds.get(key);
    const ends = runId !== undefined && before?.runId === runId ? before.ends : [];
    const claim_ends = [...ends, ...(work.claim_ends.length > 0 ? await project.toldEnds() : [])];
    if (claim_ends.length > 0) this.#toldEnds.set(key, { runId, ends: claim_ends });
    else this.#toldEnds.delete(key);
    return { ...work, claim_ends };
  }

  #isRestarted({ project_id, worked_at }: ActiveWorkState, runId: string | undefined): boolean {
    if (worked_at === null || Date.parse(worked_at) >= this.#processStart) return false;
    return (
      !this.#toldOfRestart.has(project_id) || (runId !== undefined && this.#toldOfRestart.get(project_id) === runId)
    );
  }

  async #continuity(): Promise<Continuity> {
    const { place, metrics } = this.#options;
    const opened = (this.#opened ??= place
      .open((warning) => this.#warn(warning))
      .then((store) => {
        setStoreForPrintedCommands(place.words());
        return new Continuity({ store, now: this.#now, ...(metrics && { metrics }) });
      }));
    try {
      return await opened;
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  /** Logs a warning once in a process, however often the store is opened. */
  #warn(warning: string): void {
    if (this.#warned.has(warning)) return;
    this.#warned.add(warning);
    this.#options.log.warn(`recorded work: ${warning}`);
  }

  #logError(error: unknown): void {
    const reason = describeError(error);
    const now = performance.now();
    if (now - (this.#logged.get(reason) ?? -Infinity) < SAME_ERROR_MS) return;
    this.#logged.set(reason, now);
    this.#options.log.error(`recorded work cannot be used: ${reason} Runs continue without it.`);
  }
}

async function withinTimeout<Value>(work: Promise<Value>): Promise<Value | typeof TIMED_OUT> {
  const inTime = new AbortController();
  // The awaited work may keep the process alive, the timer must not.
  const timedOut = (): typeof TIMED_OUT => TIMED_OUT;
  const late = sleep(TIMEOUT_MS, undefined, { ref: false, signal: inTime.signal }).then(timedOut, timedOut);
  try {
    return await Promise.race([work, late]);
  } finally {
    inTime.abort();
  }
}
