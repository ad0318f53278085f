import { createContext, Script } from "node:vm";
import { analyse } from "scslre";
import { describe, expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import { patternsIn, patternsInSources, type Found } from "./collect.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { patternsMadeBy } from "./recorded.ts";

/**
 * What all texts of a pattern may take together, of 60,000 characters each, before they are timed one by one; and what
 * one of them may. A pattern that is quadratic in them takes longer by far.
 */
const MOST_MS = patience(150);
const TRIES = 4;

const written = patternsInSources();
const made = await patternsMadeBy(written.filter(({ pattern }) => pattern === undefined));
const known = [...written.filter(({ pattern }) => pattern !== undefined), ...made];

/** How it could go back more than its text is long, by its syntax. */
function listFaults({ pattern = "", flags }: Found): string[] {
  return analyse({ source: pattern, flags }).reports.map(
    ({ type, exponential }) => `${type}${exponential ? ", exponential" : ""}`,
  );
}

/** The first text that takes it too long, in its first characters. */
function findSlowText({ pattern = "", flags }: Found): string | undefined {
  const texts = hostileTexts(pattern);
  if (measureMatch(pattern, flags, texts) < MOST_MS) return undefined;
  // One process's pause is no fault of the pattern: what is slow stays slow.
  const slow = texts.find((text) =>
    Array.from({ length: TRIES }).every(() => measureMatch(pattern, flags, [text]) > MOST_MS),
  );
  return slow && JSON.stringify(slow.slice(0, 80));
}

const context = createContext({ pattern: "", flags: "", texts: [] });
const all = new Script(
  "{ const expression = new RegExp(pattern, flags); for (const text of texts) { expression.lastIndex = 0; expression.test(text); } }",
);

function measureMatch(pattern: string, flags: string, texts: readonly string[]): number {
  Object.assign(context, { pattern, flags, texts });
  const began = performance.now();
  try {
    // The context's own clock ends what would never end.
    all.runInContext(context, { timeout: 2 * MOST_MS });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
  }
  return performance.now() - began;
}

describe("every regular expression of the sources takes time that grows with its text only", () => {
  it("all of them are known: those in the syntax, and those that a file makes when it is loaded", () => {
    const dynamic = new Set(
      written.filter(({ pattern }) => pattern === undefined).map(({ place }) => place.slice(0, place.lastIndexOf(":"))),
    );
    const unmade = [...dynamic].filter((file) => !made.some(({ place }) => place === file));
    expect(known.length).toBeGreaterThan(200);
    expect(unmade).toEqual([]);
  });

  it("none can go back more often than its text is long, by its syntax", () => {
    expect(
      known.flatMap((found) => listFaults(found).map((fault) => `${found.place}: ${found.source}: ${fault}`)),
    ).toEqual([]);
  });

  it("none is slow on texts that are made of its own words", () => {
    const slow = known.flatMap((found) =>
      findSlowText(found) === undefined ? [] : [`${found.place}: ${found.source}: ${findSlowText(found)}`],
    );
    expect(slow).toEqual([]);
  });
});

describe("a pattern that can go back is found", () => {
  it.each([
    ["nested repetition", "export const found = /^(?:[a-z]+)+$/;"],
    ["repetition behind repetition", "const found: RegExp = /\\s*\\s*x/;"],
    ["repetition that begins anywhere", "text.replace(/[.\\s]+$/, '');"],
    ["in a call", 'new RegExp("(a|aa)+$", "u");'],
  ])("%s", (_name, source) => {
    const [found] = patternsIn(source, "src/any.ts");
    expect(listFaults(found!)).not.toEqual([]);
  });

  it.each([
    ["a look behind in a loop", "/(?<=(a*)b)c|a*b/"],
    ["what may begin in every line and needs an end that is not there", "/^import\\s[^;]*;$/gm"],
    ["what may begin anywhere and needs an end that is not there", "/[^.]*\\.$/"],
    // By the clock: other work of the machine can hide it once.
  ])("by its time, where the syntax does not always tell: %s", { retry: 3 }, (_name, pattern) => {
    const [found] = patternsIn(`const found = ${pattern};`, "src/any.ts");
    expect(findSlowText(found!)).toBeDefined();
  });
});
