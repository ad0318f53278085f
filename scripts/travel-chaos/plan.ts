import { makeRandom } from "../../harness/random.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import type { Part, Place, Step } from "./steps.ts";

/** The groups that kills are counted in. */
export const AREAS = [
  "the batch is being stored",
  "in the carryover's transaction, before its row",
  "right before the carryover's row",
  "1 byte of the carryover's line",
  "half of the carryover's line",
  "the carryover's line without its newline",
  "right behind the carryover's row",
  "in the carryover's transaction, behind its row",
  "right before COMMIT",
  "right behind COMMIT",
  "a few steps later",
  "at random, from the calls on",
  "at random, while the other call runs",
] as const;

export type Area = (typeof AREAS)[number];

/**
 * One kill. `delayMs` is counted from the answer with the calls, for those that come from outside; the others come at
 * their place.
 */
export interface Kill {
  readonly n: number;
  readonly scenario: Scenario;
  readonly area: Area;
  readonly place?: Place;
  readonly delayMs?: number;
}

/** How much is planned. */
export interface PlanOptions {
  readonly seed: string;
  /** Kills at least. */
  readonly kills: number;
  /**
   * Steps before the carryover's transaction at which a kill is wanted, at most; they are taken evenly from all of
   * them.
   */
  readonly batchPlaces: number;
  /** From the calls to the next request, in the turn that was looked at. */
  readonly turnMs: number;
}

const LATER_STEPS = 6;
const LEAST_RANDOM = 20;
/** The other call of the batch, in the kills that come while it runs. */
export const SLOW_CALL_MS = 500;
const LINE_PARTS: readonly Part[] = ["before", "1 byte", "half", "all but the newline", "after"];
const AREA_OF_PART: Readonly<Record<Part, Area>> = {
  before: "right before the carryover's row",
  "1 byte": "1 byte of the carryover's line",
  half: "half of the carryover's line",
  "all but the newline": "the carryover's line without its newline",
  after: "right behind the carryover's row",
};

/** The steps of an undisturbed turn, by where it goes: another target takes other statements. */
export type Turns = ReadonlyMap<Scenario, readonly Step[]>;

/**
 * Kills at every place that the undisturbed turns had, and at random times. Throws when one of them stored no
 * carryover.
 */
export function planKills(turns: Turns, { seed, kills, batchPlaces, turnMs }: PlanOptions): Kill[] {
  const plan: Omit<Kill, "n">[] = [];
  const places = SCENARIOS.map((scenario) => ({ scenario, ...listPlaces(turns.get(scenario) ?? []) }));
  const early = places[0]!.batch.filter(({ area }) => area === AREAS[0]).length;
  const stride = Math.max(1, early / batchPlaces);
  for (let at = 0; at < places[0]!.batch.length; at++) {
    const { scenario, batch } = places[at % places.length]!;
    const one = batch[at];
    if (one && (one.area !== AREAS[0] || Math.floor(at / stride) !== Math.floor((at - 1) / stride)))
      plan.push({ ...one, scenario });
  }
  for (const { scenario, move } of places) for (const one of move) plan.push({ ...one, scenario });
  const random = makeRandom(seed);
  for (let at = Math.min(plan.length, kills - LEAST_RANDOM); at < kills; at++) {
    const isSlow = at % 3 === 0;
    plan.push({
      scenario: random.pick(SCENARIOS),
      delayMs: isSlow ? random.between(20, SLOW_CALL_MS) : random.between(0, Math.ceil(turnMs)),
      area: isSlow ? "at random, while the other call runs" : "at random, from the calls on",
    });
  }
  return plan.map((kill, n) => ({ ...kill, n }));
}

interface Placed {
  readonly area: Area;
  readonly place: Place;
}

/**
 * All places of a turn: before the carryover's row (counted from the batch), and from there on (counted from the row).
 */
export function listPlaces(steps: readonly Step[]): {
  readonly batch: readonly Placed[];
  readonly move: readonly Placed[];
} {
  const row = steps.findIndex(({ isCarryover }) => isCarryover);
  if (row < 0) throw new Error(`expected a turn that stores a carryover; found ${steps.length} steps and none`);
  const { transaction, kind } = steps[row]!;
  const isOwn = (step: Step): boolean => transaction !== undefined && step.transaction === transaction;
  const batch = steps.slice(1, row).flatMap((step): Placed[] => {
    const parts: readonly Part[] = step.kind === "line" ? ["before", "half", "after"] : ["before"];
    // Before its BEGIN nothing has begun.
    const area = isOwn(step) && step.verb !== "BEGIN" ? "in the carryover's transaction, before its row" : AREAS[0];
    return parts.map((part) => ({ area, place: { from: "batch", at: step.n, part } }));
  });
  const move = (kind === "line" ? LINE_PARTS : (["before", "after"] as const)).map((part): Placed => ({
    area: AREA_OF_PART[part],
    place: behindRow(0, part),
  }));
  let later = 0;
  for (const [offset, step] of steps.slice(row).entries()) {
    if (offset === 0) continue;
    const isCommit = isOwn(step) && step.verb === "COMMIT";
    if (isCommit)
      move.push(
        { area: "right before COMMIT", place: behindRow(offset, "before") },
        { area: "right behind COMMIT", place: behindRow(offset, "after") },
      );
    else if (isOwn(step))
      move.push({ area: "in the carryover's transaction, behind its row", place: behindRow(offset, "before") });
    else if (later++ < LATER_STEPS) move.push({ area: "a few steps later", place: behindRow(offset, "before") });
    else break;
  }
  return { batch, move };
}

function behindRow(at: number, part: Part): Place {
  return { from: "carryover", at, part };
}
