import fc from "fast-check";
import { expect, it } from "vitest";
import { MAX_PROBES, Search, type Finding, type Probe, type SearchOptions } from "./search.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 500);

const partsOf = (sizes: readonly number[]) => sizes.map((size, at) => ({ keys: [String(at)], size }));
const sizes = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 200 });

function run(
  given: readonly number[],
  isTaken: (probe: Probe) => boolean,
  options?: SearchOptions,
): { finding: Finding | undefined; probes: number } {
  const search = new Search(partsOf(given), options);
  let sent = 0;
  for (let probe = search.next; probe; probe = search.next) {
    sent += given.slice(probe.from, probe.end).reduce((sum, size) => sum + size, 0);
    search.told(isTaken(probe));
  }
  expect(search.probes).toBeLessThanOrEqual(MAX_PROBES);
  expect(sent).toBeLessThanOrEqual(2 * given.reduce((sum, size) => sum + size, 0));
  return { finding: search.finding, probes: search.probes };
}

const holds = ({ from, end }: { from: number; end: number }, at: number): boolean => from <= at && at < end;

it("a part that is refused wherever it stands is found, and of 64 parts nothing else is left out with it", () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.boolean(), (given, nth, isOfWords) => {
      const fault = nth % given.length;
      const { finding } = run(given, (probe) => !holds(probe, fault) || (probe.inWords && !isOfWords));
      expect(finding?.found).toBe("part");
      const part = finding as Probe;
      expect(holds(part, fault)).toBe(true);
      expect(part.end - part.from).toBeLessThanOrEqual(Math.max(1, Math.ceil(given.length / 32)));
      if (part.inWords) expect(isOfWords).toBe(false);
    }),
    { numRuns: RUNS },
  );
});

it("where words are known to be refused, no request is spent on them and 128 parts can be told apart", () => {
  for (const fault of [0, 1, 63, 64, 126, 127]) {
    const { finding } = run(Array<number>(128).fill(10), (probe) => !holds(probe, fault), { areWordsRefused: true });
    expect(finding).toMatchObject({ found: "part", inWords: false });
    const { from, end } = finding as Probe;
    expect(end - from).toBeLessThanOrEqual(2);
  }
});

it("a provider that refuses any history is seen as such: no part is blamed", () => {
  fc.assert(
    fc.property(sizes, (given) => {
      const { finding } = run(given, () => false);
      if (given.length > 1) expect(finding?.found ?? "no_half").toBe("no_half");
    }),
    { numRuns: RUNS },
  );
});

it("what is left without the found stretch is taken by a provider that refuses two parts together, or more than so many", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 200 }), fc.nat(), fc.nat(), (count, one, other) => {
      const given = Array<number>(count).fill(10);
      const [first, second] = [one % given.length, other % given.length].toSorted((a, b) => a - b) as [number, number];
      fc.pre(first !== second);
      const isTaken = (probe: Probe): boolean => !(holds(probe, first) && holds(probe, second));
      const { finding } = run(given, isTaken);
      // A request that twice the history has no room for is not made, and nothing is blamed then.
      if (finding === undefined) return;
      if (finding.found !== "part" && finding.found !== "half") throw new Error(`found ${finding.found}`);
      expect(holds(finding, first) || holds(finding, second)).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

it("a passing failure blames nothing: what was refused once is asked about again", () => {
  let at = 0;
  const { finding } = run(Array<number>(40).fill(10), () => at++ !== 0);
  expect(finding).toEqual({ found: "nothing" });
  expect(run(Array<number>(40).fill(10), () => true).finding, "every request is taken").toEqual({ found: "nothing" });
});
