import { describe, expect, it } from "vitest";
import {
  beginSearch,
  goOnSearching,
  noParts,
  withFinding,
  type PartSearch,
  type RefusedParts,
} from "./refused-parts.ts";
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
  for (let probe = search.next; probe; probe = search.next) search.takeAnswer(isTaken(probe));
}

const makePartKey = (nth: number): string => `${HISTORY[nth]!.role}@${nth + 1}`;
const areTogether = ({ from, end, without = [] }: Probe): boolean =>
  [20, 70].every((nth) => from <= nth && nth < end && !without.includes(makePartKey(nth)));

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

  it("finds nothing where a provider refuses what comes first in each turn, and takes all of it behind the turn", () => {
    const begun = searched(() => true);
    expect(begun.search.finding).toBeUndefined();
    expect(goOnSearching(begun, HISTORY, true)).toBe(begun);
    tell(begun, () => true);
    expect(begun.search.finding).toEqual({ found: "nothing" });
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

describe("what is left out behind the end of a search", () => {
  const found = (known: RefusedParts, begun: PartSearch): RefusedParts =>
    withFinding(known, begun, begun.search.finding!, 1);

  it("is still what another search has found in a message that is sent", () => {
    const piece = `${makePartKey(50)}#piece`;
    const known = { ...noParts("route"), nothing: [piece] };
    expect(
      found(
        known,
        searched(({ from }) => from > 0),
      ).nothing,
    ).toEqual(expect.arrayContaining([piece, makePartKey(0)]));
  });

  it("is no longer what the same search has found, where a request for it is taken after all", () => {
    const known = { ...noParts("route"), nothing: ["other@1"] };
    const begun = beginSearch(HISTORY, known, 0, {})!;
    const { search } = begun;
    while (!search.finding) search.takeAnswer(search.next!.from > 0);
    const first = found(known, begun);
    search.takeAnswer(true);
    expect(first.nothing).toEqual(expect.arrayContaining(["other@1", makePartKey(0)]));
    expect(found(first, begun)).toMatchObject(known);
  });
});
