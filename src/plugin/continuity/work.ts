import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf } from "../../base/coded-error.ts";
import { processStart } from "../../base/processes.ts";
import {
  type ActiveWorkState,
  authorBy,
  briefing,
  Continuity,
  type MetricSink,
  type Project,
  workNotice,
} from "../../continuity/index.ts";
import { isGone, LeaseKeeper } from "../../continuity-tools/index.ts";
import type { PluginLogger } from "../api.ts";
import type { StorePlace } from "./store.ts";

/** What the work of a process stands on. */
export interface ContinuityWorkOptions {
  readonly place: StorePlace;
  readonly log: Pick<PluginLogger, "error" | "warn">;
  /** Before the names of the tools. */
  readonly toolPrefix: string;
  readonly metrics?: MetricSink;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** When this process began, in milliseconds since 1970. */
  readonly processStart?: number;
}

/** For which run a briefing is. */
export interface BriefingRequest {
  readonly project_id: string;
  /** Whose run it is, by its name as an author: what others wrote is marked. */
  readonly conversation: string;
  /**
   * That there is work, in our own words and none of those that were recorded: where they would count as the
   * operator's.
   */
  readonly noticeOnly?: boolean;
  readonly staleAfterMs: number;
  /** A run whose prompt is built again is told the same again. */
  readonly runId?: string | undefined;
}

/** How many tasks there are of each kind that is not done, and how many steps have an unknown outcome. */
export interface WorkCounts {
  readonly projects: number;
  readonly doing: number;
  readonly blocked: number;
  readonly todo: number;
  readonly open_steps: number;
}

/**
 * A run waits no longer for its briefing, nor a gateway that ends for its leases: a database that does not answer must
 * not stop anybody.
 */
const TIMEOUT_MS = 3000;
const LATE = Symbol("late");
/** The same trouble is one line in the log for so long, however many runs meet it. */
const SAID_FOR_MS = 60 * 60 * 1000;

/**
 * The recorded work in a gateway: its store, opened at the first use, the leases of its steps, and what each run is
 * told of it. What fails is told in the log once and to the tool that was called; a run never fails by it.
 */
export class ContinuityWork {
  readonly leases = new LeaseKeeper({ isGone });
  readonly #options: ContinuityWorkOptions;
  readonly #now: () => number;
  readonly #processStart: number;
  #opened: Promise<Continuity> | undefined;
  readonly #said = new Map<string, number>();
  readonly #warned = new Set<string>();
  /** Briefings that were not waited for and are still to come. */
  #late = 0;
  /** The run in which each project was told that the process was restarted. */
  readonly #told = new Map<string, string | undefined>();

  constructor(options: ContinuityWorkOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#processStart = options.processStart ?? processStart();
  }

  /** The project of that name for a conversation, made if it is not there. Rejects with a ContinuityError. */
  async project(project_id: string, conversation: string): Promise<Project> {
    try {
      return (await (await this.#continuity()).project(project_id)).as(authorBy("openclaw", conversation));
    } catch (error) {
      this.#say(error);
      throw error;
    }
  }

  /**
   * The active work of a project in a few lines for the prompt of a run; null when there is none, or when it cannot be
   * read in time. The first run of a process is told that it was restarted since the work was recorded. Makes nothing,
   * never rejects.
   */
  async briefing(request: BriefingRequest): Promise<string | null> {
    // Whoever comes while the store does not answer does not wait for it once more.
    if (this.#late > 0) return null;
    const work = this.#briefing(request).catch((error: unknown) => {
      this.#say(error);
      return null;
    });
    const found = await withinTimeout(work);
    if (found !== LATE) return found;
    this.#late += 1;
    void work.finally(() => (this.#late -= 1));
    this.#say(new Error(`the store has not answered within ${TIMEOUT_MS} ms.`));
    return null;
  }

  /**
   * What is not done, over all projects; undefined when there is none. Makes nothing. Rejects with a ContinuityError.
   */
  async counts(): Promise<WorkCounts | undefined> {
    if (this.#options.place.isMissing()) return undefined;
    const continuity = await this.#continuity();
    let counts: WorkCounts = { projects: 0, doing: 0, blocked: 0, todo: 0, open_steps: 0 };
    for (const project_id of await continuity.projects()) {
      const { tasks, open_steps } = await (await continuity.project(project_id)).activeWork();
      if (tasks.length === 0 && open_steps.length === 0) continue;
      const of = (status: string): number => tasks.filter((task) => task.status === status).length;
      counts = {
        projects: counts.projects + 1,
        doing: counts.doing + of("doing"),
        blocked: counts.blocked + of("blocked"),
        todo: counts.todo + of("todo"),
        open_steps: counts.open_steps + open_steps.length,
      };
    }
    return counts.projects === 0 ? undefined : counts;
  }

  /** Gives the leases back and closes the store; the next use opens it again. Never rejects. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    const closed = this.leases.releaseAll().then(async () => (await opened).close());
    await withinTimeout(closed.catch(() => undefined));
  }

  async #briefing({
    project_id,
    conversation,
    noticeOnly = false,
    staleAfterMs,
    runId,
  }: BriefingRequest): Promise<string | null> {
    if (this.#options.place.isMissing()) return null;
    const project = await (await this.#continuity()).find(project_id);
    if (project === undefined) return null;
    const work = await project.activeWork();
    const restarted = this.#isRestarted(work, runId);
    const options = { now: this.#now(), staleAfterMs, restarted, toolPrefix: this.#options.toolPrefix };
    const text = noticeOnly
      ? workNotice(work, options)
      : briefing(work, { ...options, reader: authorBy("openclaw", conversation) });
    if (text !== null && restarted) this.#told.set(project_id, runId);
    return text;
  }

  #isRestarted({ project_id, worked_at }: ActiveWorkState, runId: string | undefined): boolean {
    if (worked_at === null || Date.parse(worked_at) >= this.#processStart) return false;
    return !this.#told.has(project_id) || (runId !== undefined && this.#told.get(project_id) === runId);
  }

  async #continuity(): Promise<Continuity> {
    const { place, metrics } = this.#options;
    const opened = (this.#opened ??= place
      .open((warning) => this.#warn(warning))
      .then((store) => new Continuity({ store, now: this.#now, ...(metrics && { metrics }) })));
    try {
      return await opened;
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  /** Once in a process, however often the store is opened. */
  #warn(warning: string): void {
    if (this.#warned.has(warning)) return;
    this.#warned.add(warning);
    this.#options.log.warn(`recorded work: ${warning}`);
  }

  #say(error: unknown): void {
    const reason = reasonOf(error);
    const now = performance.now();
    if (now - (this.#said.get(reason) ?? -Infinity) < SAID_FOR_MS) return;
    this.#said.set(reason, now);
    this.#options.log.error(`recorded work cannot be used: ${reason} Runs go on without it.`);
  }
}

async function withinTimeout<Value>(work: Promise<Value>): Promise<Value | typeof LATE> {
  const inTime = new AbortController();
  // What is waited for keeps the process alive if it must; the clock does not.
  const isLate = (): typeof LATE => LATE;
  const late = sleep(TIMEOUT_MS, undefined, { ref: false, signal: inTime.signal }).then(isLate, isLate);
  try {
    return await Promise.race([work, late]);
  } finally {
    inTime.abort();
  }
}
