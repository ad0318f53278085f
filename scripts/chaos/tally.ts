import type { Fault } from "./judge.ts";
import type { Place } from "./places.ts";
import type { Outcome } from "./play.ts";
import type { Told } from "./told.ts";
import type { Truth } from "./truth.ts";

/** Which OpenClaw was killed, and how it was driven. */
export interface Subject {
  release: string;
  variant: "stock" | "patched";
  mode: "in-process" | "gateway";
}

/** What became of all the kills of one OpenClaw. */
export interface Tally extends Subject {
  /** Processes that were killed. */
  kills: number;
  /** Turns that were going on in them. */
  turns: number;
  places: Map<Place, number>;
  checks: number;
  answered: number;
  faults: Map<Fault, number>;
  /** Messages of the user that had not been taken in when the kill came. */
  neverTaken: number;
  /** How often this was true of a call and that was told of it. */
  told: Map<Truth, Map<Told, number>>;
  notMeasured: number;
}

const LASTING: ReadonlySet<Fault> = new Set(["user message lost", "answer lost", "result lost", "told wrongly"]);

/** The tally of an OpenClaw that nothing has been done to. */
export function emptyTally(subject: Subject): Tally {
  return {
    ...subject,
    kills: 0,
    turns: 0,
    places: new Map(),
    checks: 0,
    answered: 0,
    faults: new Map(),
    neverTaken: 0,
    told: new Map(),
    notMeasured: 0,
  };
}

/** Adds what became of an episode. Calls are counted once, as the last check of their conversation found them. */
export function addTo(tally: Tally, { kills, conversations }: Outcome): void {
  tally.kills += kills;
  for (const { turns, checks } of conversations) {
    tally.turns += turns.length;
    for (const { place } of turns) count(tally.places, place);
    for (const [at, { answered, failures }] of checks.entries()) {
      tally.checks++;
      if (answered) tally.answered++;
      // What is lost is missing in every later check too.
      const counted = failures.filter(({ fault }) => !LASTING.has(fault) || at === checks.length - 1);
      for (const { fault } of counted) count(tally.faults, fault);
    }
    tally.neverTaken += checks.at(-1)?.neverTaken ?? 0;
    for (const { truth, told } of checks.at(-1)?.reports ?? []) {
      const row = tally.told.get(truth) ?? new Map<Told, number>();
      count(row, told);
      tally.told.set(truth, row);
    }
  }
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
