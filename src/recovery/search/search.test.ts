import { expect, it } from "vitest";
import { type Probe, Search } from "./search.ts";

/** Makes a search in four parts of one size, each of two pieces, and returns what it asks and what it finds. */
function searchFour(isTaken: (probe: Probe) => boolean) {
  const search = new Search(
    [0, 1, 2, 3].map((part) => ({ keys: [`${part}`], size: 10, pieces: () => [`${part}a`, `${part}b`] })),
  );
  const asked: string[] = [];
  for (let probe = search.next; probe; probe = search.next) {
    const taken = isTaken(probe);
    asked.push(`[${probe.from},${probe.end})${probe.inWords ? " in words" : ""} ${taken ? "taken" : "refused"}`);
    search.takeAnswer(taken);
  }
  return { asked, finding: search.finding };
}

it("halves a history down to the refused part, asks about it once more, and then about its words", () => {
  const { asked, finding } = searchFour(({ from, end, inWords }) => inWords || !(from <= 2 && 2 < end));
  expect(asked).toEqual(["[0,2) taken", "[2,3) refused", "[2,3) refused", "[2,3) in words taken"]);
  expect(finding).toEqual({ found: "part", from: 2, end: 3, inWords: true });
});

it("where every half was refused, asks about the other half of the history before it blames a part", () => {
  const { asked, finding } = searchFour(() => false);
  expect(asked).toEqual(["[0,2) refused", "[0,1) refused", "[0,1) refused", "[2,4) refused"]);
  expect(finding).toEqual({ found: "no_half" });
});
