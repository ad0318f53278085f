import type { RepairedVerdict, Verdict } from "../../harness/adapters/judge.ts";

/** What became of all the histories of one API and adapter. */
export interface Tally {
  histories: number;
  /** Those of them that `validate` finds something in. */
  corrupt: number;
  /** Without the repair: refused by the provider or fatal to the adapter; accepted with something missing. */
  alone: { refused: number; lost: number };
  /** With it. */
  repaired: { valid: number; lost: number; notIdempotent: number; notDeterministic: number };
}

/** Tallies by `api` and adapter, `api|adapter`. */
export type Tallies = Record<string, Tally>;

export function emptyTally(): Tally {
  return {
    histories: 0,
    corrupt: 0,
    alone: { refused: 0, lost: 0 },
    repaired: { valid: 0, lost: 0, notIdempotent: 0, notDeterministic: 0 },
  };
}

/** Counts one history. */
export function count(tally: Tally, isCorrupt: boolean, alone: Verdict, repaired: RepairedVerdict): void {
  tally.histories++;
  if (isCorrupt) tally.corrupt++;
  if (alone.refused !== undefined) tally.alone.refused++;
  else if (alone.lost.length > 0) tally.alone.lost++;
  if (repaired.refused === undefined) tally.repaired.valid++;
  if (repaired.lost.length > 0) tally.repaired.lost++;
  if (repaired.notIdempotent !== undefined) tally.repaired.notIdempotent++;
  if (repaired.notDeterministic === true) tally.repaired.notDeterministic++;
}

/** Adds the tallies of a finished job to those of all jobs. */
export function addTallies(all: Tallies, more: Tallies): void {
  for (const [key, from] of Object.entries(more)) {
    const to = (all[key] ??= emptyTally());
    to.histories += from.histories;
    to.corrupt += from.corrupt;
    for (const part of ["refused", "lost"] as const) to.alone[part] += from.alone[part];
    for (const part of ["valid", "lost", "notIdempotent", "notDeterministic"] as const)
      to.repaired[part] += from.repaired[part];
  }
}
