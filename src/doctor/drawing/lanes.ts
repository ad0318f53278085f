import type { CallLink, DrawnEntry, DrawnItem } from "./drawing.ts";

/** How many calls that overlap are drawn beside each other. */
export const LANES = 4;

/**
 * One lane beside an item: whether the line begins, passes or ends there, and what it touches. Undefined where there is
 * nothing in it.
 */
export type Lane =
  | {
      readonly line: "from" | "through" | "to";
      readonly touches: "call" | "result" | "nothing";
      readonly isFaulty: boolean;
    }
  | undefined;

interface Bond {
  /** Item of the calls; undefined where it is not drawn. */
  readonly call: number | undefined;
  from: number;
  to: number;
  readonly results: Set<number>;
  isFaulty: boolean;
}

/**
 * The lines that connect calls with their results, one for all the calls of a message: for each item what stands in
 * each of the lanes. What does not fit into {@link LANES} is told by its label alone.
 */
export function lanesOf(items: readonly DrawnItem[]): Lane[][] {
  const lanes: Lane[][] = items.map(() => []);
  const busyUntil: number[] = [];
  for (const bond of bondsOf(items)) {
    const lane = Array.from({ length: LANES }, (_, at) => at).find((at) => (busyUntil[at] ?? -1) < bond.from);
    if (lane === undefined) continue;
    busyUntil[lane] = bond.to;
    for (let at = bond.from; at <= bond.to; at++) {
      const line = at === bond.from ? "from" : at === bond.to ? "to" : "through";
      lanes[at]![lane] = {
        line,
        touches: at === bond.call ? "call" : bond.results.has(at) ? "result" : "nothing",
        isFaulty: bond.isFaulty,
      };
    }
  }
  return lanes;
}

/** In the order in which they begin. */
function bondsOf(items: readonly DrawnItem[]): Bond[] {
  const at = itemByNumber(items);
  const bonds = new Map<number, Bond>();
  const seen = new Set<CallLink>();
  for (const [index, item] of items.entries()) {
    if (item.kind !== "entry") continue;
    for (const { kind, link, faults } of item.entry.parts) {
      if (link === undefined) continue;
      const bond = bonds.get(link.call) ?? {
        call: at(link.call),
        from: index,
        to: index,
        results: new Set(),
        isFaulty: false,
      };
      for (const number of seen.has(link) ? [] : [link.call, ...link.results]) {
        const place = at(number);
        if (place === undefined) continue;
        bond.from = Math.min(bond.from, place);
        bond.to = Math.max(bond.to, place);
      }
      seen.add(link);
      bond.from = Math.min(bond.from, index);
      bond.to = Math.max(bond.to, index);
      if (kind === "result") bond.results.add(index);
      if (faults.length > 0) bond.isFaulty = true;
      bonds.set(link.call, bond);
    }
  }
  return [...bonds.values()].filter(({ from, to }) => to > from).toSorted((one, other) => one.from - other.from);
}

/** Which item a message is in, by its number. */
function itemByNumber(items: readonly DrawnItem[]): (number: number) => number | undefined {
  const places = new Map<number, number>();
  const ranges: { from: number; to: number; index: number }[] = [];
  for (const [index, item] of items.entries()) {
    if (item.kind === "entry") places.set(numberOf(item.entry), index);
    else if (item.contents.from !== undefined)
      ranges.push({ from: item.contents.from, to: item.contents.to ?? item.contents.from, index });
  }
  // Items stand in the order of their numbers.
  return (number) => places.get(number) ?? inRange(ranges, number);
}

function inRange(ranges: readonly { from: number; to: number; index: number }[], number: number): number | undefined {
  let [low, high] = [0, ranges.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ranges[middle]!.from <= number) low = middle;
    else high = middle - 1;
  }
  const range = ranges[low];
  return range && number >= range.from && number <= range.to ? range.index : undefined;
}

function numberOf({ number }: DrawnEntry): number {
  return number ?? -1;
}
