import { accepted, isRefused, lastWordsTaken, type Claim, type Fault } from "./checks.ts";
import { distinct, type Played } from "./played.ts";

/** What is counted of the providers of one group. */
export interface Counts {
  providers: number;
  /** Turns of which a request was refused. */
  refused: number;
  /** Of these, the turns in which the provider takes the last words alone, and how many of them were answered. */
  answerable: number;
  answered: number;
  /** Most requests of a turn, without those that an SDK repeats. */
  most: number;
  mostBehind: number;
  /** Providers with a fault, by claim. */
  faults: Partial<Record<Claim, number>>;
  /** Providers that could not be played to their end. */
  failed: number;
}

/** Counts providers by how they were played and by what they refuse. */
export class Tally {
  readonly byWay = new Map<string, Counts>();
  readonly byRule = new Map<string, Counts>();
  readonly byWording = new Map<string, Counts>();
  readonly all: Counts = newCounts();

  add(played: Played, faults: readonly Fault[]): void {
    const { way, api, rule, wording } = played.plan;
    for (const counts of [
      this.all,
      openCounts(this.byWay, `${way}, ${api}`),
      openCounts(this.byRule, rule.kind),
      openCounts(this.byWording, `${wording.status < 500 ? "4xx" : "5xx"}, ${wording.kind}`),
    ])
      count(counts, played, faults);
  }
}

function openCounts(groups: Map<string, Counts>, name: string): Counts {
  const counts = groups.get(name) ?? newCounts();
  groups.set(name, counts);
  return counts;
}

function newCounts(): Counts {
  return { providers: 0, refused: 0, answerable: 0, answered: 0, most: 0, mostBehind: 0, faults: {}, failed: 0 };
}

function count(counts: Counts, played: Played, faults: readonly Fault[]): void {
  counts.providers++;
  if (played.failed !== undefined) counts.failed++;
  for (const [at, turn] of played.turns.entries()) {
    counts.most = Math.max(counts.most, distinct(turn.requests).length);
    counts.mostBehind = Math.max(counts.mostBehind, turn.behind.length);
    if (turn.phase !== "refused" || !isRefused(turn)) continue;
    counts.refused++;
    if (!lastWordsTaken(played, at)) continue;
    counts.answerable++;
    if (turn.answered && accepted(turn)) counts.answered++;
  }
  for (const claim of new Set(faults.map((fault) => fault.claim)))
    counts.faults[claim] = (counts.faults[claim] ?? 0) + 1;
}
