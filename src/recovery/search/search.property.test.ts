import fc from "fast-check";
import { expect, it } from "vitest";
import { MAX_PROBES, Search, type Finding, type Probe, type SearchOptions } from "./search.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 500);

const sizes = (maxLength: number) => fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength });
/** The key of piece `piece` of a part; the part itself has its number. */
const makePieceKey = (part: number, piece: number): string => `${part}#${piece}`;

function searchIn(given: readonly number[], pieces = 0, options?: SearchOptions): Search {
  const parts = given.map((size, at) => ({
    keys: [String(at)],
    size,
    pieces: () => Array.from({ length: pieces }, (_, piece) => makePieceKey(at, piece)),
  }));
  return new Search(parts, options);
}

/** Makes the requests that are left; checks that they keep to the two budgets. */
function run(search: Search, given: readonly number[], isTaken: (probe: Probe, nth: number) => boolean): void {
  let [sent, nth] = [0, 0];
  const total = given.reduce((sum, size) => sum + size, 0);
  // What later turns send: what was found is left out of them.
  const left = search.finding ? leftOut(search.finding) : [];
  const kept = left.reduce((sum, key) => sum - (given[Number(key)] ?? 0), total);
  for (let probe = search.next; probe; probe = search.next) {
    const { from, end, without = [] } = probe;
    for (let at = from; at < end; at++) if (!without.includes(String(at))) sent += given[at]!;
    search.takeAnswer(isTaken(probe, nth++));
  }
  expect(search.probes).toBe(nth);
  expect(nth).toBeLessThanOrEqual(MAX_PROBES);
  expect(sent).toBeLessThanOrEqual(2 * (nth > 1 ? kept : total));
}

/** A search and those behind later turns, as long as they have more to tell. */
function runAll(search: Search, given: readonly number[], isTaken: (probe: Probe) => boolean): void {
  if (search.next) run(search, given, isTaken);
  for (let turn = 0; !search.isOver; turn++) {
    expect(turn, "comes to an end").toBeLessThan(20);
    search.renew();
    run(search, given, isTaken);
  }
}

const holds = ({ from, end, without = [] }: Probe, part: number, piece?: number): boolean =>
  from <= part &&
  part < end &&
  !without.includes(String(part)) &&
  !(piece !== undefined && without.includes(makePieceKey(part, piece)));

/** The keys that a finding leaves out. */
function leftOut(finding: Finding | undefined): string[] {
  if (finding?.found !== "part" && finding?.found !== "half") throw new Error(`found ${finding?.found}`);
  const all = Array.from({ length: finding.end - finding.from }, (_, nth) => String(finding.from + nth));
  return [...(finding.only ?? all)];
}

it("of up to 128 parts exactly the refused one is found, and whether its words are taken where a request is left", () => {
  fc.assert(
    fc.property(sizes(128), fc.nat(), fc.boolean(), fc.boolean(), (given, nth, isOfWords, areWordsRefused) => {
      const fault = nth % given.length;
      const search = searchIn(given, 0, { areWordsRefused });
      let isAsked = false;
      run(search, given, (probe) => {
        isAsked ||= probe.inWords;
        return !holds(probe, fault) || (probe.inWords && !isOfWords);
      });
      const inWords = isAsked && !isOfWords;
      expect(search.finding).toEqual({ found: "part", from: fault, end: fault + 1, inWords });
      if (given.length <= 64) expect(isAsked).toBe(!areWordsRefused);
    }),
    { numRuns: RUNS },
  );
});

it.each([64, 128])("each of %i parts of one size is found", (count) => {
  const given = Array<number>(count).fill(10);
  for (let fault = 0; fault < count; fault++) {
    const search = searchIn(given);
    run(search, given, (probe) => !holds(probe, fault));
    expect(leftOut(search.finding)).toEqual([String(fault)]);
  }
});

it("of more than 128 parts at most one of each 128 is found, and one alone in the end", () => {
  fc.assert(
    fc.property(fc.integer({ min: 129, max: 900 }), fc.nat(), (count, nth) => {
      const given = Array<number>(count).fill(10);
      const fault = nth % count;
      const search = searchIn(given);
      run(search, given, (probe) => !holds(probe, fault));
      expect(leftOut(search.finding)).toContain(String(fault));
      expect(leftOut(search.finding).length).toBeLessThanOrEqual(Math.ceil(count / 128));
      runAll(search, given, (probe) => !holds(probe, fault));
      expect(leftOut(search.finding)).toEqual([String(fault)]);
    }),
    { numRuns: RUNS / 5 },
  );
});

it("of a refused part only the refused piece is left out, in a later search where no request is left", () => {
  fc.assert(
    fc.property(sizes(128), fc.nat(), fc.integer({ min: 1, max: 6 }), fc.nat(), (given, nth, pieces, nthPiece) => {
      const [fault, piece] = [nth % given.length, nthPiece % pieces];
      const isTaken = (probe: Probe): boolean => !holds(probe, fault, piece);
      const search = searchIn(given, pieces);
      run(search, given, isTaken);
      // Until then all of it is, or more of it.
      expect([String(fault), makePieceKey(fault, piece)].some((key) => leftOut(search.finding).includes(key))).toBe(
        true,
      );
      runAll(search, given, isTaken);
      expect(leftOut(search.finding)).toEqual([makePieceKey(fault, piece)]);
    }),
    { numRuns: RUNS },
  );
});

it("a part that is refused without each of its pieces too is left out whole", () => {
  const given = Array<number>(16).fill(10);
  const search = searchIn(given, 3);
  runAll(search, given, (probe) => !holds(probe, 7));
  expect(search.finding).toEqual({ found: "part", from: 7, end: 8, inWords: false });
});

it("a provider that refuses any history is seen as such by one search: no part is blamed", () => {
  fc.assert(
    fc.property(sizes(300), (given) => {
      fc.pre(given.length > 1);
      const search = searchIn(given, 2);
      run(search, given, () => false);
      expect(search.finding).toEqual({ found: "no_half" });
      expect(search.isOver).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

it("whatever the answers are, no half is found only where both halves were refused and nothing was taken", () => {
  fc.assert(
    fc.property(sizes(200), fc.array(fc.nat(9), { minLength: 60, maxLength: 60 }), (given, answers) => {
      const search = searchIn(given, 2);
      const refused: Probe[] = [];
      let [isTakenOnce, nth] = [false, 0];
      runAll(search, given, (probe) => {
        const isTaken = answers[nth++ % answers.length] === 0;
        isTakenOnce ||= isTaken && !probe.inWords;
        if (!isTaken) refused.push(probe);
        return isTaken;
      });
      if (search.finding?.found !== "no_half") return;
      expect(given.length).toBeGreaterThan(1);
      expect(isTakenOnce).toBe(false);
      const [first, last] = [refused[0]!, refused.at(-1)!];
      expect(first.end - first.from + (last.end - last.from)).toBe(given.length);
      expect(first.from === last.end || last.from === first.end).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

it("of two parts that are refused together only one is lost at any time, and nothing else in the end", () => {
  fc.assert(
    fc.property(sizes(200), fc.nat(), fc.nat(), (given, one, two) => {
      const count = given.length;
      const faults = [one % count, two % count] as const;
      fc.pre(faults[0] !== faults[1]);
      const isTaken = (probe: Probe): boolean => !faults.every((fault) => holds(probe, fault));
      const search = searchIn(given, 2);
      const lost = (): number => faults.filter((fault) => leftOut(search.finding).includes(String(fault))).length;
      for (let turn = 0; !search.isOver; turn++) {
        if (turn > 0) search.renew();
        run(search, given, isTaken);
        // Of more parts one search may leave two that it has not told apart.
        if (search.finding && count <= 128) expect(lost()).toBe(1);
      }
      expect(leftOut(search.finding)).toHaveLength(1);
    }),
    { numRuns: RUNS },
  );
});

it("a passing failure leaves nothing out: what was refused once is asked about again", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), fc.nat(), sizes(1), (halvings, nth, [size = 1]) => {
      const given = Array.from({ length: 2 ** halvings }, (_, at) => (at * 7919 * size) % 100);
      // Not the request about what is left in the end, which was refused in the whole history before.
      const failing = nth % halvings;
      const search = searchIn(given);
      let asked = 0;
      runAll(search, given, () => asked++ !== failing);
      const { finding } = search;
      if (given.length > 64 && finding?.found === "part") expect(finding.inWords).toBe(true);
      else expect(finding).toEqual({ found: "nothing" });
    }),
    { numRuns: RUNS },
  );
});

it("a provider that takes what it has refused has no rule: nothing is left out, also of a text that is asked about as words", () => {
  fc.assert(
    fc.property(sizes(128), fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (given, answers) => {
      const parts = given.map((size, at) => ({ keys: [String(at)], size, isText: () => true }));
      const search = new Search(parts);
      const told = new Map<string, boolean>();
      let [isByChance, nth] = [false, 0];
      for (let turn = 0; turn < 3 && !search.isOver; turn++) {
        if (turn > 0) search.renew();
        for (let probe = search.next; probe; probe = search.next) {
          const isTaken = answers[nth++ % answers.length]!;
          const name = JSON.stringify({ ...probe, inWords: false });
          isByChance ||= told.has(name) && told.get(name) !== isTaken;
          told.set(name, isTaken);
          search.takeAnswer(isTaken);
        }
      }
      if (isByChance) expect(search.finding?.found).toBe("nothing");
    }),
    { numRuns: RUNS },
  );
});
