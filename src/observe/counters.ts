import type { EventName, Kinds } from "./events.ts";

/**
 * Upper bounds of the duration buckets, in milliseconds. They include the performance targets of 5, 10, 20 and 50 ms.
 */
export const BUCKETS_MS: readonly number[] = [0.5, 1, 2.5, 5, 10, 20, 50, 100, 250, 1_000, 5_000, 30_000];

/** Durations of all events of one name. */
export interface Durations {
  count: number;
  sumMs: number;
  maxMs: number;
  /** Counts per bucket of BUCKETS_MS, not cumulative; the last one counts the durations above all bounds. */
  buckets: number[];
}

/** The counters of this process since it started. */
export interface Counters {
  /** How often each event occurred; events that did not occur are missing. */
  events: Partial<Record<EventName, number>>;
  /** How often each kind of an event occurred. */
  kinds: Partial<Record<EventName, Record<string, number>>>;
  durations: Partial<Record<EventName, Durations>>;
}

/** The most kinds per event: a metric with a label for each kind must stay bounded, whatever callers pass. */
const MAX_KINDS = 64;
const OTHER_KIND = "other";

/** One state for all copies of this module in a process: the guard contains one, a plugin another. */
const STATE = Symbol.for("openclaw-integrity.counters.v1");

function state(): Counters {
  const shared = globalThis as { [STATE]?: Counters };
  return (shared[STATE] ??= { events: {}, kinds: {}, durations: {} });
}

/** Counts an event. */
export function countEvent(event: EventName): void {
  const { events } = state();
  events[event] = (events[event] ?? 0) + 1;
}

/** Counts the kinds of an event. */
export function countKinds(event: EventName, kinds: string | Kinds): void {
  const counts = (state().kinds[event] ??= Object.create(null) as Record<string, number>);
  if (typeof kinds === "string") add(counts, kinds, 1);
  else for (const kind in kinds) add(counts, kind, kinds[kind] ?? 0);
}

/** Records the duration of the operation that an event ends. */
export function countDuration(event: EventName, ms: number): void {
  const durations = (state().durations[event] ??= {
    count: 0,
    sumMs: 0,
    maxMs: 0,
    buckets: [...BUCKETS_MS.map(() => 0), 0],
  });
  durations.count++;
  durations.sumMs += ms;
  if (ms > durations.maxMs) durations.maxMs = ms;
  let bucket = 0;
  while (bucket < BUCKETS_MS.length && ms > BUCKETS_MS[bucket]!) bucket++;
  durations.buckets[bucket]!++;
}

/**
 * Returns a copy of the counters of this process, which all copies of the guard share.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { counters, emit } from "openclaw-integrity/observe";
 *
 * const before = counters().kinds["l0:journal:failed"]?.["full"] ?? 0;
 * emit("l0:journal:failed", undefined, { kind: "full" });
 * assert.equal(counters().kinds["l0:journal:failed"]?.["full"], before + 1);
 * ```
 */
export function counters(): Counters {
  return structuredClone(state());
}

/** Resets all counters. */
export function resetCounters(): void {
  Object.assign(state(), { events: {}, kinds: {}, durations: {} });
}

function add(counts: Record<string, number>, kind: string, amount: number): void {
  const name = kind in counts || Object.keys(counts).length < MAX_KINDS ? kind : OTHER_KIND;
  counts[name] = (counts[name] ?? 0) + amount;
}
