import type { Json } from "../base/json.ts";
import { ContinuityError, type ContinuityErrorCode } from "../base/errors.ts";
import type { Lease, LeaseOptions } from "./lease.ts";
import { UNUSED_MS } from "../base/holder.ts";
import { processOwner } from "./process-owner.ts";
import type { StepRequest } from "./request.ts";
import type { Resolution } from "./resolution.ts";
import type { Attempt, StepStart } from "./attempt.ts";
import type { Steps } from "./steps.ts";

/** What a keeper needs of a project; a `Project` has it. */
export interface KeptProject {
  readonly workflow_id: string;
  readonly steps: Steps;
  acquireLease(options: LeaseOptions): Promise<Lease>;
}

/** Options of a LeaseKeeper. */
export interface LeaseKeeperOptions {
  /** {@link processOwner} by default. */
  readonly owner_id?: string;
  /** How long a lease outlives a killed process, 30 s by default. */
  readonly ttlMs?: number;
  /** How long a lease is held without an open step before it is released, 60 s by default. */
  readonly idleMs?: number;
  /**
   * How long a lease is prolonged for an open step without a call of {@link LeaseKeeper.used} or another method, 15
   * minutes by default: a step that was forgotten must not lock others out. The lease then ends with its time; unless
   * another one has taken it, it comes back with the next call.
   */
  readonly unusedMs?: number;
  /**
   * Returns whether an owner is known to be gone: its lease is then taken over at once, before its time ends. By
   * default no owner is; see `isGone`.
   */
  readonly isGone?: (owner_id: string) => boolean;
}

/** A lease that is held, its heartbeat, and the attempts that are open under it. */
interface Held {
  readonly lease: Lease;
  readonly stop: () => void;
  /** Prolongs it again, after `stop`. */
  readonly keep: () => void;
  readonly open: Set<string>;
  idle: NodeJS.Timeout | undefined;
  unused: NodeJS.Timeout | undefined;
  /** The lease is not prolonged, because nobody has used it for long. */
  isPaused: boolean;
  isOver: boolean;
}

const IDLE_MS = 60_000;
const LOST: ReadonlySet<ContinuityErrorCode> = new Set(["fenced", "lease-expired"]);

/**
 * Holds one lease per project of one store for this process, for steps that a model begins in one call and ends in
 * another. A lease is acquired at the first step and prolonged while a step is open. It is released after a time
 * without an open step, and dropped when another executor has taken it over. Call `releaseAll` before the process ends.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, isGone, LeaseKeeper, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * // The lease of a killed process of this machine is taken over at once.
 * const keeper = new LeaseKeeper({ isGone });
 * const { start } = await keeper.begin(site, { step_id: "build", step_type: "idempotent" });
 * assert.equal(start.status, "run");
 * assert.deepEqual(await keeper.complete(site, start, { size: 4711 }), { duplicate: false });
 * await keeper.releaseAll();
 * await continuity.close();
 * ```
 */
export class LeaseKeeper {
  readonly owner_id: string;
  readonly #ttlMs: number | undefined;
  readonly #idleMs: number;
  readonly #unusedMs: number;
  readonly #isGone: (owner_id: string) => boolean;
  /** Leases by workflow id: each author of a project has another Project object. */
  readonly #held = new Map<string, Promise<Held>>();

  constructor({
    owner_id = processOwner(),
    ttlMs,
    idleMs = IDLE_MS,
    unusedMs = UNUSED_MS,
    isGone = () => false,
  }: LeaseKeeperOptions = {}) {
    this.owner_id = owner_id;
    this.#ttlMs = ttlMs;
    this.#idleMs = idleMs;
    this.#unusedMs = unusedMs;
    this.#isGone = isGone;
  }

  /**
   * Begins a step as `Steps.begin` does, under this process's lease. Throws `lease-held`, with owner and end, while
   * another process has the lease.
   */
  async begin(
    project: KeptProject,
    request: StepRequest,
  ): Promise<{ readonly lease: Lease; readonly start: StepStart }> {
    const begin = (): Promise<{ readonly lease: Lease; readonly start: StepStart }> =>
      this.#use(project, async ({ lease, open }) => {
        const start = await project.steps.begin(lease, request);
        if (start.status === "run") open.add(attemptKey(start));
        return { lease, start };
      });
    try {
      return await begin();
    } catch (error) {
      // No step of this call runs yet, so it may begin under the renewed lease, or under a new one.
      if (!isLost(error)) throw error;
      return begin();
    }
  }

  /**
   * Commits a result as `Steps.complete` does. Throws `fenced` or `step-not-started` when the lease under which the
   * step began was lost meanwhile.
   */
  async complete(project: KeptProject, attempt: Attempt, result: Json): Promise<{ readonly duplicate: boolean }> {
    return this.#use(project, async ({ lease, open }) => {
      const done = await project.steps.complete(lease, attempt, result);
      open.delete(attemptKey(attempt));
      return done;
    });
  }

  /** Records a failure as `Steps.fail` does. */
  async fail(
    project: KeptProject,
    attempt: Attempt,
    error: string,
    options: { readonly mayHaveActed?: boolean } = {},
  ): Promise<void> {
    await this.#use(project, async ({ lease, open }) => {
      await project.steps.fail(lease, attempt, error, options);
      open.delete(attemptKey(attempt));
    });
  }

  /** Records what became of an attempt as `Steps.resolve` does. */
  async resolve(project: KeptProject, resolution: Resolution): Promise<{ readonly duplicate: boolean }> {
    return this.#use(project, async ({ lease, open }) => {
      const done = await project.steps.resolve(lease, resolution);
      open.delete(attemptKey(resolution));
      return done;
    });
  }

  /** Says that an agent of this process has made a call for the project, which keeps the lease of its open steps. */
  async used({ workflow_id }: Pick<KeptProject, "workflow_id">): Promise<void> {
    const held = await this.#held.get(workflow_id)?.catch(() => undefined);
    if (held) this.#keepWhileUsed(held);
  }

  /** Releases all leases. A lease that cannot be released ends with its time. Never throws. */
  async releaseAll(): Promise<void> {
    await Promise.all(
      [...this.#held.values()].map((held) =>
        held.then(
          (one) => this.#release(one),
          () => undefined,
        ),
      ),
    );
  }

  async #use<T>(project: KeptProject, work: (held: Held) => Promise<T>): Promise<T> {
    const held = await this.#lease(project);
    clearTimeout(held.idle);
    this.#keepWhileUsed(held);
    try {
      return await work(held);
    } catch (error) {
      // After the machine slept the lease has expired; it continues if no other executor has taken it.
      if (isLost(error) && (error.code === "fenced" || !(await isProlonged(held.lease)))) end(held);
      throw error;
    } finally {
      this.#releaseLater(held);
    }
  }

  async #lease(project: KeptProject): Promise<Held> {
    const { workflow_id } = project;
    const known = this.#held.get(workflow_id) ?? this.#acquire(project);
    this.#held.set(workflow_id, known);
    const forget = (): boolean => this.#held.get(workflow_id) === known && this.#held.delete(workflow_id);
    const held = await known.catch((error: unknown) => {
      forget();
      throw error;
    });
    if (!held.isOver) return held;
    forget();
    return this.#lease(project);
  }

  async #acquire(project: KeptProject): Promise<Held> {
    const lease = await project.acquireLease({
      owner_id: this.owner_id,
      isGone: this.#isGone,
      ...(this.#ttlMs === undefined ? {} : { ttlMs: this.#ttlMs }),
    });
    const held: Held = {
      lease,
      stop: () => alive.stop(),
      keep: () => (alive = keep()),
      open: new Set(),
      idle: undefined,
      unused: undefined,
      isPaused: false,
      isOver: false,
    };
    // A lease whose time is over while the store is away may come back, with its open steps.
    const keep = (): ReturnType<Lease["keepAlive"]> =>
      lease.keepAlive((error) => {
        if (isLost(error) && error.code === "lease-expired") alive = keep();
        else end(held);
      });
    let alive = keep();
    return held;
  }

  #keepWhileUsed(held: Held): void {
    if (held.isOver) return;
    if (held.isPaused) held.keep();
    held.isPaused = false;
    clearTimeout(held.unused);
    held.unused = setTimeout(() => {
      held.isPaused = true;
      held.stop();
    }, this.#unusedMs);
    held.unused.unref();
  }

  #releaseLater(held: Held): void {
    clearTimeout(held.idle);
    if (held.open.size > 0 || held.isOver) return;
    held.idle = setTimeout(() => void this.#release(held), this.#idleMs);
    held.idle.unref();
  }

  async #release(held: Held): Promise<void> {
    if (held.isOver) return;
    end(held);
    await held.lease.release().catch(() => undefined);
  }
}

function attemptKey({ step_id, attempt_id }: Attempt): string {
  return `${attempt_id}/${step_id}`;
}

/** Ends a lease in this process; the next step acquires another one. */
function end(held: Held): void {
  held.isOver = true;
  held.stop();
  clearTimeout(held.unused);
  clearTimeout(held.idle);
}

function isLost(error: unknown): error is ContinuityError {
  return error instanceof ContinuityError && LOST.has(error.code);
}

async function isProlonged(lease: Lease): Promise<boolean> {
  try {
    await lease.heartbeat();
    return true;
  } catch {
    return false;
  }
}
