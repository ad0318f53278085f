import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { MetricSink } from "./metrics.ts";
import type { SnapshotPolicy } from "./snapshots.ts";
import type { ContinuityStore, ObjectStorage } from "./store.ts";

/** Everything that the kernel takes from outside: so that a test decides on time, ids, chance and crashes. */
export interface Environment {
  readonly store: ContinuityStore;
  readonly objects: ObjectStorage | undefined;
  /** Milliseconds since 1970. Only leases and time stamps depend on it; no order does. */
  readonly now: () => number;
  readonly newId: () => string;
  /** From 0 to under 1; for the pause before another try. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly metrics: MetricSink;
  readonly snapshots: SnapshotPolicy;
  /** Written into every event. */
  readonly producer_version: string;
  /** Called at named places; a test throws there to be a crash. */
  readonly crashPoint: (name: string) => void;
}

/** The clock, ids and chance of the machine. */
export const MACHINE = {
  now: () => Date.now(),
  newId: () => randomUUID(),
  random: () => Math.random(),
  sleep: (milliseconds: number) => sleep(milliseconds),
  metrics: () => undefined,
  crashPoint: () => undefined,
} satisfies Partial<Environment>;

/** A time as the ledger has it: ISO 8601, UTC, milliseconds. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
