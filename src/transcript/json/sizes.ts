import { toJson } from "./json.ts";

/** How large a part of a list was before a change and is after it, in characters of its JSON. */
export interface Sizes {
  readonly before: number;
  readonly after: number;
}

/**
 * Compares a list with what became of it. Returns a function that gives for a place in `given` the sizes of the stretch
 * that was changed there: between two items that are the same object in both lists; behind the item where it is such
 * a one itself. Linear.
 */
export function sizesBetween(given: readonly unknown[], written: readonly unknown[]): (index: number) => Sizes {
  const kept = sameItems(given, written);
  /** The kept items around each stretch, with a limit before the first and behind the last item. */
  const limits: [number, number][] = [[-1, -1], ...kept, [given.length, written.length]];
  const stretches = limits.slice(1).map(([givenEnd, writtenEnd], at) => {
    const [givenStart, writtenStart] = limits[at]!;
    return {
      before: jsonLength(given.slice(givenStart + 1, givenEnd)),
      after: jsonLength(written.slice(writtenStart + 1, writtenEnd)),
    };
  });
  const stretchAt = given.map(() => 0);
  let stretch = 0;
  given.forEach((_, index) => {
    if (kept[stretch]?.[0] === index) stretch++;
    stretchAt[index] = stretch;
  });
  return (index) => {
    const at = stretchAt[index] ?? 0;
    const isKept = at > 0 && kept[at - 1]![0] === index;
    const found = stretches[at]!;
    return isKept && found.before === 0 && found.after === 0 ? stretches[at - 1]! : found;
  };
}

/** Returns the indices of items that are the same in both lists, in the order of both. */
function sameItems(given: readonly unknown[], written: readonly unknown[]): [number, number][] {
  const places = new Map<unknown, number>();
  written.forEach((item, at) => places.set(item, at));
  const same: [number, number][] = [];
  let next = 0;
  given.forEach((item, at) => {
    const place = places.get(item);
    if (place === undefined || place < next) return;
    same.push([at, place]);
    next = place + 1;
  });
  return same;
}

function jsonLength(items: readonly unknown[]): number {
  return items.reduce<number>((length, item) => length + toJson(item).length, 0);
}
