import { describe, expect, it } from "vitest";
import { beginSearch, goOnSearching, noParts, withFinding, type PartSearch } from "./refused-parts.ts";
import type { Probe } from "./search.ts";

const HISTORY = Array.from({ length: 100 }, (_, nth) => ({
  role: nth % 2 === 0 ? "user" : "assistant",
  content: ["m", "n"].map((name) => ({ type: "text", text: `${name}${nth}` })),
  timestamp: nth + 1,
}));

function searched(isTaken: (probe: Probe) => boolean): PartSearch {
  const begun = beginSearch(HISTORY, noParts("route"), 0, {})!;
  tell(begun, isTaken);
  return begun;
}

function tell({ search }: PartSearch, isTaken: (probe: Probe) => boolean): void {
  for (let probe = search.next; probe; probe = search.next) search.told(isTaken(probe));
}

const keysOf = (nth: number): string => `${HISTORY[nth]!.role}@${nth + 1}`;
const areTogether = ({ from, end, without = [] }: Probe): boolean =>
  [20, 70].every((nth) => from <= nth && nth < end && !without.includes(keysOf(nth)));

describe("a search whose requests are used up", () => {
  it("goes on behind a refused turn until something is found, then behind answered ones", () => {
    const begun = searched((probe) => !areTogether(probe));
    expect(begun.search.finding).toBeUndefined();
    expect(goOnSearching(begun, HISTORY, false)).toBeUndefined();
    expect(goOnSearching(begun, HISTORY, true)).toBe(begun);
    tell(begun, (probe) => !areTogether(probe));
    expect(begun.search.finding?.found).toBe("half");
    // Another part is refused now.
    expect(goOnSearching(begun, HISTORY, true)).toBeUndefined();
    const first = withFinding(noParts("route"), begun, begun.search.finding!, 1);
    expect(goOnSearching(begun, HISTORY, false)).toBe(begun);
    tell(begun, (probe) => !areTogether(probe));
    const then = withFinding(first, begun, begun.search.finding!, 2);
    expect(then.nothing.length).toBeLessThan(first.nothing.length);
    expect(first.nothing).toEqual(expect.arrayContaining([...then.nothing]));
  });

  it("goes on where another message than a suspected one is gone: OpenClaw makes one message of two questions in a row", () => {
    const begun = searched(({ from }) => from > 0);
    expect(begun.search.finding).toMatchObject({ from: 0, end: 1 });
    expect(begun.search.isOver).toBe(false);
    const without = (nth: number): typeof HISTORY => HISTORY.filter((_, at) => at !== nth);
    expect(goOnSearching(begun, without(0), false)).toBeUndefined();
    expect(goOnSearching(begun, without(20), false)).toBe(begun);
  });

  it("does not go on in another history, nor when it is over", () => {
    const begun = searched((probe) => !areTogether(probe));
    expect(goOnSearching(begun, HISTORY.slice(1), true)).toBeUndefined();
    expect(goOnSearching(begun, [...HISTORY, { role: "user", content: "more", timestamp: 900 }], true)).toBe(begun);
    const over = searched(() => false);
    expect(over.search.finding).toEqual({ found: "no_half" });
    expect(goOnSearching(over, HISTORY, true)).toBeUndefined();
    expect(goOnSearching(undefined, HISTORY, true)).toBeUndefined();
  });
});
