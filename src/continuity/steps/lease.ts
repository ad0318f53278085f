import { nameInline, valueInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { acquireLease, type LeaseHolder, releaseLease } from "../decide/leases.ts";
import { type Environment, isoTime } from "../ledger/environment.ts";
import { continuityError } from "../base/errors.ts";
import { assertStorable } from "../base/json.ts";
import type { Workflow } from "../ledger/workflow.ts";

/** Options of a lease. */
export interface LeaseOptions {
  /** The executor, for instance machine and process. */
  readonly owner_id: string;
  /** How long the lease holds without a heartbeat, 30 s by default. */
  readonly ttlMs?: number;
  /**
   * An owner that is known to be gone, for instance a killed process: its lease is taken over before its time ends. It
   * may be the same name as `owner_id`, when only one process has that name at a time.
   */
  readonly takeOverFrom?: string | undefined;
  /**
   * Returns whether an owner is known to be gone, as `takeOverFrom` says; the package's `isGone` for `processOwner`.
   */
  readonly isGone?: ((owner_id: string) => boolean) | undefined;
}

/** What a step is executed under: a lease, or an engine that guards the execution itself. */
export type StepGuard = Pick<Lease, "owner_id" | "fencing_token" | "assertValid">;

/** The ledger, and the author of the acquisition. */
export interface LeaseContext {
  readonly environment: Environment;
  readonly workflow: Workflow;
  readonly author: Author;
}

const TTL_MS = 30_000;
const SHORTEST_TTL_MS = 10;
const LONGEST_TTL_MS = 24 * 60 * 60 * 1000;

/**
 * The right to execute steps of one workflow. It ends with its time, or when another executor takes it over; its
 * fencing token is never given to another lease of the ledger.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, type Lease, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * const lease: Lease = await site.acquireLease({ owner_id: "host-1:4711", ttlMs: 60_000 });
 * assert.equal(lease.fencing_token, 1);
 * await assert.rejects(site.acquireLease({ owner_id: "host-2:815" }), { code: "lease-held" });
 * await lease.heartbeat(); // prolongs it; throws when another executor has taken over
 * await lease.release();
 * assert.throws(() => lease.assertValid(), { code: "lease-expired" });
 * assert.equal((await site.acquireLease({ owner_id: "host-2:815" })).fencing_token, 2);
 * await continuity.close();
 * ```
 */
export class Lease implements LeaseHolder {
  readonly owner_id: string;
  readonly fencing_token: number;
  readonly #environment: Environment;
  readonly #workflow: Workflow;
  readonly #author: Author;
  readonly #ttlMs: number;
  #end: LeaseEnd;
  #isReleased = false;

  private constructor(
    { environment, workflow, author }: LeaseContext,
    { owner_id, fencing_token }: LeaseHolder,
    ttlMs: number,
    end: LeaseEnd,
  ) {
    this.#environment = environment;
    this.#workflow = workflow;
    this.#author = author;
    this.owner_id = owner_id;
    this.fencing_token = fencing_token;
    this.#ttlMs = ttlMs;
    this.#end = end;
  }

  /**
   * Acquires a lease that is free, has expired, or belongs to the named owner who is gone. Throws `lease-held` with the
   * current owner and end.
   */
  static async acquire(
    context: LeaseContext,
    { owner_id, ttlMs = TTL_MS, takeOverFrom, isGone = () => false }: LeaseOptions,
  ): Promise<Lease> {
    const { workflow, author } = context;
    if (owner_id.trim() === "" || owner_id.length > 200 || !(ttlMs >= SHORTEST_TTL_MS && ttlMs <= LONGEST_TTL_MS)) {
      throw continuityError("bad-input", {
        expected: `an owner of 1 to 200 characters and ${SHORTEST_TTL_MS} to ${LONGEST_TTL_MS} ms`,
        found: `${valueInline(owner_id)}, ${ttlMs} ms`,
        todo: "Nothing was written.",
      });
    }
    assertStorable(owner_id, "owner_id");
    let end: LeaseEnd | undefined;
    const { event } = await workflow.execute({
      command: acquireLease(owner_id),
      author,
      content: { acquire: owner_id },
      prepare: async ({ at, state }) => {
        // Of several tries the first counts: its answer may have been lost.
        end ??= endAfter(context.environment, ttlMs, Date.parse(at));
        const fencing_token = state.lease.fencing_token + 1;
        const acquire = {
          workflow_id: workflow.workflow_id,
          owner_id,
          acquired_at: at,
          lease_expires_at: isoTime(Date.parse(at) + ttlMs),
          fencing_token,
          heartbeat_at: at,
        };
        const { owner_id: before } = state.lease;
        return { acquire, takeOverFrom: takeOverFrom ?? (before !== null && isGone(before) ? before : undefined) };
      },
    });
    const lease = new Lease(context, { owner_id, fencing_token: Number(event.data["fencing_token"]) }, ttlMs, end!);
    // The answer took longer than the lease holds.
    if (lease.#leftMs <= 0) await lease.heartbeat();
    return lease;
  }

  /** When the lease ends without another heartbeat, in milliseconds since 1970 by this machine's clock. */
  get expiresAt(): number {
    return this.#end.wall;
  }

  /**
   * Prolongs the lease from the moment of this call on. A lease whose time is over comes back if no other executor has
   * taken it. Throws `fenced` when another executor has it, or it was released.
   */
  async heartbeat(): Promise<void> {
    const now = this.#environment.now();
    const end = endAfter(this.#environment, this.#ttlMs, now);
    const { workflow_id } = this.#workflow;
    const { owner_id, fencing_token } = this;
    const prolonged = await this.#environment.store.heartbeat({
      workflow_id,
      owner_id,
      fencing_token,
      at: isoTime(now),
      lease_expires_at: isoTime(now + this.#ttlMs),
    });
    if (!prolonged) {
      throw continuityError("fenced", {
        expected: `the lease to be ${nameInline(owner_id)}'s with fencing token ${fencing_token}`,
        found: "another owner or token, or a released lease",
        todo: "Stop; another executor has taken over.",
      });
    }
    // Answers may come in another order than they were sent for.
    if (!this.#isReleased && end.monotonic >= this.#end.monotonic) this.#end = end;
  }

  /**
   * Throws `lease-expired` when the lease's time is over: no step may begin under it. The time is that of this
   * process's monotonic clock since the last request that was answered was sent, so that the lease is never thought to
   * hold longer than it does. Where the clock of the machine decides for others, it also decides here.
   */
  assertValid(): void {
    if (this.#leftMs > 0) return;
    throw this.#expired();
  }

  /** Releases the lease. Throws `fenced` when another executor has it. */
  async release(): Promise<void> {
    const { owner_id, fencing_token } = this;
    await this.#workflow.execute({
      command: releaseLease(this),
      author: this.#author,
      content: { release: owner_id, fencing_token },
      prepare: async ({ at }) => ({ release: { owner_id, fencing_token, at } }),
    });
    this.#isReleased = true;
    this.#end = RELEASED;
  }

  /**
   * Sends three heartbeats per lease time until `stop` is called. Calls `lost` once, and stops, when another executor
   * has the lease (`fenced`), and when the lease's time is over without an answer (`lease-expired`), also while the
   * database does not answer at all. After `lease-expired` a `heartbeat` tells whether the lease came back; `keepAlive`
   * is then to be called again. A lease that is over when `keepAlive` is called has one lease time to come back.
   */
  keepAlive(lost: (error: unknown) => void): { stop: () => void } {
    const { monotonic } = this.#environment;
    const graceEnd = this.#leftMs > 0 ? -Infinity : monotonic() + this.#ttlMs;
    let isBeating = false;
    let isOver = false;
    const end = (error?: unknown): void => {
      if (isOver) return;
      isOver = true;
      clearInterval(beats);
      clearTimeout(watch);
      if (error !== undefined) lost(error);
    };
    const beat = (): void => {
      // One at a time: a database that hangs is not asked again and again.
      if (isBeating) return;
      isBeating = true;
      this.heartbeat()
        .catch((error: unknown) => {
          if ((error as { code?: unknown }).code === "fenced") end(error);
        })
        .finally(() => {
          isBeating = false;
        });
    };
    const look = (): void => {
      const leftMs = Math.max(this.#leftMs, graceEnd - monotonic());
      if (leftMs <= 0) return end(this.#expired());
      watch = setTimeout(look, Math.min(LONGEST_TIMER_MS, Math.max(SHORTEST_TTL_MS, Math.ceil(leftMs))));
      watch.unref();
    };
    const beats = setInterval(beat, this.#ttlMs / 3);
    beats.unref();
    let watch: NodeJS.Timeout | undefined;
    look();
    if (graceEnd > -Infinity) beat();
    return { stop: () => end() };
  }

  get #leftMs(): number {
    const { now, monotonic, store } = this.#environment;
    const leftMs = this.#end.monotonic - monotonic();
    return store.leaseClock() === "database" ? leftMs : Math.min(leftMs, this.#end.wall - now());
  }

  #expired(): Error {
    return continuityError("lease-expired", {
      expected: `the lease of ${nameInline(this.owner_id)} (fencing token ${this.fencing_token}) to be valid`,
      found: this.#isReleased ? "a lease that was released" : `a lease that ended ${Math.ceil(-this.#leftMs)} ms ago`,
      todo: "Renew the lease with a heartbeat, which reports whether it still belongs to this owner.",
    });
  }
}

/** When a lease ends, by both clocks of this process. */
interface LeaseEnd {
  readonly monotonic: number;
  readonly wall: number;
}

const RELEASED: LeaseEnd = { monotonic: -Infinity, wall: 0 };
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Returns the end of a lease that is asked for now. To be called before the request is sent. */
function endAfter({ monotonic }: Environment, ttlMs: number, now: number): LeaseEnd {
  return { monotonic: monotonic() + ttlMs, wall: now + ttlMs };
}
