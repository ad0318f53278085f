import type { CallLink, DrawnEntry, DrawnItem } from "./drawing.ts";

/** Number of columns for lines that overlap. */
const MAX_COLUMNS = 4;

/**
 * The part of a call line beside one item, in one column: whether the line begins, passes or ends there, and which end
 * is at this item. Undefined where the column is empty.
 */
export type CallLineCell =
  | {
      readonly line: "from" | "through" | "to";
      readonly touches: "call" | "result" | "nothing";
      readonly isFaulty: boolean;
    }
  | undefined;

/** The line that connects the calls of one message with their results. */
interface CallLine {
  /** Index of the item with the calls; undefined where that item is not drawn. */
  readonly call: number | undefined;
  from: number;
  to: number;
  readonly results: Set<number>;
  isFaulty: boolean;
}

/**
 * Lays out the lines that connect calls with their results, one for all calls of a message. Returns the cells of each
 * item, one for each column. A line that does not fit into {@link MAX_COLUMNS} is left out; the labels of call and
 * result still connect them.
 */
export function drawCallLines(items: readonly DrawnItem[]): CallLineCell[][] {
  const cells: CallLineCell[][] = items.map(() => []);
  const busyUntil: number[] = [];
  for (const callLine of linesFor(items)) {
    const column = Array.from({ length: MAX_COLUMNS }, (_, at) => at).find(
      (at) => (busyUntil[at] ?? -1) < callLine.from,
    );
    if (column === undefined) continue;
    busyUntil[column] = callLine.to;
    for (let at = callLine.from; at <= callLine.to; at++) {
      const line = at === callLine.from ? "from" : at === callLine.to ? "to" : "through";
      cells[at]![column] = {
        line,
        touches: at === callLine.call ? "call" : callLine.results.has(at) ? "result" : "nothing",
        isFaulty: callLine.isFaulty,
      };
    }
  }
  return cells;
}

/** Returns the lines of all calls that span several items, sorted by their first item. */
function linesFor(items: readonly DrawnItem[]): CallLine[] {
  const at = itemByNumber(items);
  const callLines = new Map<number, CallLine>();
  const seen = new Set<CallLink>();
  for (const [index, item] of items.entries()) {
    if (item.kind !== "entry") continue;
    for (const { kind, link, faults } of item.entry.parts) {
      if (link === undefined) continue;
      const callLine = callLines.get(link.call) ?? {
        call: at(link.call),
        from: index,
        to: index,
        results: new Set(),
        isFaulty: false,
      };
      for (const number of seen.has(link) ? [] : [link.call, ...link.results]) {
        const place = at(number);
        if (place === undefined) continue;
        callLine.from = Math.min(callLine.from, place);
        callLine.to = Math.max(callLine.to, place);
      }
      seen.add(link);
      callLine.from = Math.min(callLine.from, index);
      callLine.to = Math.max(callLine.to, index);
      if (kind === "result") callLine.results.add(index);
      if (faults.length > 0) callLine.isFaulty = true;
      callLines.set(link.call, callLine);
    }
  }
  return [...callLines.values()].filter(({ from, to }) => to > from).toSorted((one, other) => one.from - other.from);
}

/** Returns a function that finds the item that holds a message number. */
function itemByNumber(items: readonly DrawnItem[]): (number: number) => number | undefined {
  const places = new Map<number, number>();
  const ranges: { from: number; to: number; index: number }[] = [];
  for (const [index, item] of items.entries()) {
    if (item.kind === "entry") places.set(entryNumber(item.entry), index);
    else if (item.contents.from !== undefined)
      ranges.push({ from: item.contents.from, to: item.contents.to ?? item.contents.from, index });
  }
  // `ranges` is sorted: items are in the order of their message numbers.
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

function entryNumber({ number }: DrawnEntry): number {
  return number ?? -1;
}
