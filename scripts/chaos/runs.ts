import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Tally } from "./tally.ts";

/** What several runs have measured together: a full one takes longer than a machine may be free at a time. */
export interface Measured {
  /** How each was made. */
  runs: string[];
  tallies: Tally[];
}

const FILE = fileURLToPath(new URL("../../.cache/chaos.json", import.meta.url));

/** What earlier runs with `--add` have kept; nothing when there was none. */
export function readMeasured(file = FILE): Measured {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8"), asMap) as Measured) : { runs: [], tallies: [] };
}

/** Keeps it for the next run. */
export function writeMeasured(measured: Measured, file = FILE): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify(measured, (_key, value: unknown) => (value instanceof Map ? { map: [...value] } : value)),
  );
}

/** Both together, as one run would have measured it. */
export function together(before: Measured, run: string, tallies: readonly Tally[]): Measured {
  const all = before.tallies.map((tally) => structuredClone(tally));
  for (const tally of tallies) {
    const same = all.find(
      ({ release, mode, variant }) => release === tally.release && mode === tally.mode && variant === tally.variant,
    );
    if (same) add(same, tally);
    else all.push(structuredClone(tally));
  }
  return { runs: [...before.runs, run], tallies: all.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)) };
}

/** By release, in-process first, stock first. */
function order({ release, mode, variant }: Tally): string {
  return `${release} ${mode === "in-process" ? 0 : 1} ${variant === "stock" ? 0 : 1}`;
}

function add(to: Tally, from: Tally): void {
  for (const key of ["kills", "turns", "checks", "answered", "neverTaken", "notMeasured"] as const)
    to[key] += from[key];
  addCounts(to.places, from.places);
  addCounts(to.faults, from.faults);
  for (const [truth, row] of from.told) {
    const mine = to.told.get(truth) ?? new Map();
    addCounts(mine, row);
    to.told.set(truth, mine);
  }
}

function addCounts<K>(to: Map<K, number>, from: ReadonlyMap<K, number>): void {
  for (const [key, count] of from) to.set(key, (to.get(key) ?? 0) + count);
}

function asMap(_key: string, value: unknown): unknown {
  const { map } = (value ?? {}) as { map?: unknown };
  return Array.isArray(map) ? new Map(map as [unknown, unknown][]) : value;
}
