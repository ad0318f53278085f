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
   * Milliseconds of a clock that never jumps: what a holder knows of its lease's time. `now` by default when only that is
   * replaced.
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
  /** Called at named places; a test throws there to simulate a crash. */
  readonly crashPoint: (name: string) => void;
}

/** The clock, id generator and random numbers of the machine. */
export const MACHINE = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  newId: () => randomUUID(),
  random: () => Math.random(),
  sleep: (milliseconds: number) => sleep(milliseconds),
  metrics: () => undefined,
  crashPoint: () => undefined,
} satisfies Partial<Environment>;

/** Returns a time in the ledger's format: ISO 8601, UTC, milliseconds. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
