import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { MetricSink } from "./metrics.ts";
import type { SnapshotPolicy } from "./snapshots.ts";
import type { ContinuityStore, ObjectStorage } from "./store.ts";

/** The kernel's inputs from outside; tests replace time, ids, chance and crashes. */
export interface Environment {
  readonly store: ContinuityStore;
  readonly objects: ObjectStorage | undefined;
  /** Milliseconds since 1970. Used only for leases and time stamps; no order depends on it. */
  readonly now: () => number;
  /**
   * Milliseconds of a clock that never jumps: what a holder knows of its lease's time. `now` by default when only that
   * is replaced.
   */
  readonly monotonic: () => number;
  readonly newId: () => string;
  /** A number from 0 (included) to 1 (excluded), for the pause before another try. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly metrics: MetricSink;
  readonly snapshots: SnapshotPolicy;
  /** Written into every event. */
  readonly producer_version: string;
  /** How this program's agents claim tasks. */
  readonly claims: ClaimOptions;
  /** Called at named places; a test throws there to simulate a crash. */
  readonly crashPoint: (name: string) => void;
}

/** How the agents of a program claim tasks. */
export interface ClaimOptions {
  /** Tells agents of one name apart; null, by default, where every agent has a name of its own. */
  readonly session?: string | null | undefined;
  /** After how many milliseconds without a call of its holder a claim ends; 15 minutes by default. */
  readonly unusedMs?: number | undefined;
  /** Returns whether a session is known to have ended: an agent of the same name then goes on with its tasks. */
  readonly isGone?: ((session: string) => boolean) | undefined;
}

/** The clock, id generator and random numbers of the machine. */
export const MACHINE = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  newId: () => randomUUID(),
  random: () => Math.random(),
  sleep: (milliseconds: number) => sleep(milliseconds),
  metrics: () => undefined,
  claims: {},
  crashPoint: () => undefined,
} satisfies Partial<Environment>;

/** Returns a time in the ledger's format: ISO 8601, UTC, milliseconds. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Returns the time by which leases and claims end, in milliseconds since 1970: the database's, where it decides. */
export async function storeTime({ store, now }: Pick<Environment, "store" | "now">): Promise<number> {
  return store.leaseClock() === "database" ? store.time() : now();
}
